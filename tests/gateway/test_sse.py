"""Events: whatever the chunks, the same events come out, and all of them put together are the stream."""

from __future__ import annotations

from tempfile import TemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import spool
from penstock.gateway.sse import Event, Events, event
from penstock.protocol.wire import lines
from penstock.protocol.wire.lines import KEPT, TooLong
from penstock.spool import Spool

LIMIT = 10**9
ends = st.sampled_from([b"\n", b"\r\n", b"\r"])
fields = st.sampled_from(
    [b"data: {}", b"data:x", b"data", b"id: 7", b"event: message", b": ping", b"retry: 10", b"data: a:b", b"date: no"]
)


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A stream with one kind of line ends, and its events."""
    end = draw(ends)
    events = draw(st.lists(st.lists(fields, min_size=1, max_size=4), max_size=6))
    raws = [b"".join(line + end for line in lines) + end for lines in events]
    return b"".join(raws), raws


def whole(found: list[Event | TooLong]) -> list[Event]:
    return [one for one in found if isinstance(one, Event)]


def cut(data: bytes, lengths: list[int]) -> list[bytes]:
    chunks = []
    for length in lengths:
        chunks.append(data[:length])
        data = data[length:]
    return [chunk for chunk in [*chunks, data] if chunk]


@given(streams(), st.lists(st.integers(1, 12), max_size=30))
def test_events_put_together_are_the_stream(stream: tuple[bytes, list[bytes]], lengths: list[int]) -> None:
    data, _ = stream
    events = Events(lambda: LIMIT)
    found = [one for chunk in cut(data, lengths) for one in whole(events.feed(chunk))]
    assert b"".join(one.raw for one in found) + events.rest() == data


@given(streams())
def test_a_stream_in_one_piece_has_these_events(stream: tuple[bytes, list[bytes]]) -> None:
    data, raws = stream
    assert [one.raw for one in whole(Events(lambda: LIMIT).feed(data))] == raws


@given(streams().filter(lambda stream: b"\r" not in stream[0]), st.lists(st.integers(1, 12), max_size=30))
def test_whatever_the_chunks_the_same_events_come_out(stream: tuple[bytes, list[bytes]], lengths: list[int]) -> None:
    data, raws = stream
    events = Events(lambda: LIMIT)
    assert [one.raw for chunk in cut(data, lengths) for one in whole(events.feed(chunk))] == raws


@pytest.mark.parametrize(
    ("raw", "data"),
    [
        (b"data: {}\n\n", b"{}"),
        (b"data:{}\r\n\r\n", b"{}"),
        (b"id: 1\nevent: message\ndata: a\ndata: b\n\n", b"a\nb"),
        (b": data: no\n\n", None),
        (b"id: 1\n\n", None),
        (b"data\n\n", b""),
        (b"database: x\n\n", None),
    ],
)
def test_what_an_event_carries(raw: bytes, data: bytes | None) -> None:
    assert Event(raw).data == data


def test_an_event_with_other_data_keeps_all_else() -> None:
    came = Event(b": note\r\nid: 9\r\nevent: message\r\ndata: old\r\ndata: lines\r\nretry: 5\r\n\r\n")
    made = Event(came.carrying(b'{"new":1}'))
    assert made.raw == b': note\r\nid: 9\r\nevent: message\r\ndata: {"new":1}\r\nretry: 5\r\n\r\n'
    assert made.data == b'{"new":1}'
    assert Event(b"data: x\n\n").carrying(b"a\nb") == b"data: a\ndata: b\n\n"


def test_only_an_id_lets_a_stream_be_taken_up_again() -> None:
    assert Event(b"id: 4\ndata: x\n\n").has_id
    assert not Event(b"data: id\n\n").has_id
    assert not Event(b": ping\n\n").has_id


def test_a_new_event_carries_one_line() -> None:
    assert Event(event(b'{"a":1}\n')).data == b'{"a":1}'


def test_of_an_event_above_the_limit_both_ends_are_kept_and_the_next_one_is_whole() -> None:
    events = Events(lambda: 1_000_000)
    sent = b"id: 7\ndata: " + b"x" * 3_000_000 + b"y\n\ndata: next\n\n"
    found = [one for start in range(0, len(sent), 65_536) for one in events.feed(sent[start : start + 65_536])]
    long, after = found
    assert isinstance(long, TooLong)
    assert (long.head, long.tail) == (sent[:KEPT], sent[: -len(b"data: next\n\n")][-KEPT:])
    assert long.size == len(sent) - len(b"data: next\n\n")
    assert after == Event(b"data: next\n\n")


def test_nothing_is_left_of_an_event_above_the_limit_that_never_ends() -> None:
    events = Events(lambda: 1_000_100)
    assert events.feed(b"data: " + b"x" * 1_000_000) == []
    assert events.feed(b"x" * 1_000) == []
    assert events.rest() == b""
    assert events.feed(b"data: x\n\n") == [Event(b"data: x\n\n")]


def test_a_field_that_only_begins_like_data_stays() -> None:
    assert Event(b"database: x\ndata: old\n\n").carrying(b"new") == b"database: x\ndata: new\n\n"


@given(
    st.lists(st.sampled_from([b"{short}", b"{" + b"long " * 20 + b"}", b"[" + b"no " * 40 + b"]"]), max_size=5),
    st.lists(st.integers(1, 90), min_size=1, max_size=6),
    st.sampled_from([b"\n", b"\r\n"]),
    st.booleans(),
    st.booleans(),
)
def test_data_in_a_file_is_the_data(
    messages: list[bytes], lengths: list[int], line_end: bytes, id_first: bool, in_lines: bool
) -> None:
    fields = b"id: 7" + line_end
    data = [b"data: " + one + (line_end + b"data: more" if in_lines else b"") + line_end for one in messages]
    raw = b"".join((fields + one if id_first else one + fields) + line_end for one in data)
    expected = [one + (b"\nmore" if in_lines else b"") for one in messages]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spool, "MAX_IN_MEMORY", 40)
        events = Events(lambda: 10_000, new_spool=lambda: Spool(TemporaryFile))
        came = [event for chunk in cut(raw, lengths) for event in events.feed(chunk)]
    assert all(isinstance(event, Event) and event.has_id for event in came)
    assert [bytes(event.data or b"") for event in came if isinstance(event, Event)] == expected
    written = [event.carrying(b"other") for event in came if isinstance(event, Event)]
    assert [Event(one).data for one in written] == [b"other"] * len(messages)
    assert all(Event(one).has_id for one in written)


def test_growing_data_is_reported_and_what_is_too_long_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "STEP", 30)
    monkeypatch.setattr(lines, "LARGE", 100)
    grown: list[tuple[bytes, int]] = []
    events = Events(lambda: 200, grew=lambda head, size: grown.append((head[:2], size)))
    chunks = [b"data: {" + b"0123456789" * 5, b"0123456789" * 20, b"}\n\n"]
    (long,) = [event for chunk in chunks for event in events.feed(chunk)]
    assert isinstance(long, TooLong)
    assert long.head.startswith(b"data: {")
    assert long.tail.endswith(b"}\n\n")
    assert grown == [(b"{0", 51)]
