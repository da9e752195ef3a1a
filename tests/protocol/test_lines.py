"""LineBuffer: whatever the chunks, the same lines come out, and no byte is copied more often than it must be."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.protocol.wire import lines as lines_module
from penstock.protocol.wire.lines import KEPT, SPARE, LargeLine, Line, LineBuffer, TooLong

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGE, LIMIT = 20, 50

messages = st.lists(
    st.one_of(
        st.binary(max_size=80).map(lambda data: data.replace(b"\n", b"")),
        st.sampled_from(
            [b'{"id":1}', b'{"jsonrpc":"2.0","id":2,"result":{"content":[]}}', b"\xef\xbb\xbf{}", b"\r", b""]
        ),
    ),
    max_size=8,
)
sizes = st.lists(st.integers(1, 30), max_size=40)


def cut(data: bytes, lengths: Sequence[int]) -> list[bytes]:
    """The data in chunks of these lengths; what is left over comes byte by byte."""
    chunks: list[bytes] = []
    for length in lengths:
        chunks.append(data[:length])
        data = data[length:]
    return [*chunks, *(bytes((byte,)) for byte in data)]


def fed(lines: LineBuffer, chunks: Sequence[bytes]) -> list[Line]:
    return [line for chunk in chunks for line in lines.feed(chunk)]


def whole(line: Line) -> bytes:
    assert isinstance(line, bytes | LargeLine)
    return line if isinstance(line, bytes) else b"".join(line.parts)


@given(messages, st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"")), sizes)
def test_whatever_the_chunks_the_same_lines_come_out(sent: list[bytes], rest: bytes, lengths: list[int]) -> None:
    lines = LineBuffer(lambda: 10**9, LARGE)
    data = b"".join(one + b"\n" for one in sent) + rest
    found = fed(lines, cut(data, lengths))
    assert [whole(line) for line in found] == [one + b"\n" for one in sent]
    assert [isinstance(line, LargeLine) for line in found] == [len(one) + 1 > LARGE for one in sent]
    assert all(line.size == len(whole(line)) for line in found if isinstance(line, LargeLine))
    assert lines.rest() == rest
    assert lines.rest() == b""


@given(messages, sizes)
def test_a_line_above_the_limit_is_told_of_and_no_other_line_is_touched(sent: list[bytes], lengths: list[int]) -> None:
    found = fed(LineBuffer(lambda: LIMIT, LARGE), cut(b"".join(one + b"\n" for one in sent), lengths))
    assert len(found) == len(sent)
    for line, one in zip(found, (one + b"\n" for one in sent), strict=True):
        if len(one) <= LIMIT:
            assert whole(line) == one
        else:
            assert isinstance(line, TooLong)
            assert (line.size, line.tail) == (len(one), one)
            assert one.startswith(line.head)


@given(st.integers(1, 3 * KEPT), st.integers(0, 3 * SPARE))
def test_of_a_line_that_is_too_long_its_beginning_and_its_end_are_kept(chunk: int, more: int) -> None:
    lines = LineBuffer(lambda: LIMIT, LARGE)
    data = bytes(number % 251 for number in range(KEPT + more)).replace(b"\n", b" ") + b"\n"
    (line,) = fed(lines, [data[at : at + chunk] for at in range(0, len(data), chunk)] if chunk > 999 else [data])
    assert isinstance(line, TooLong)
    assert line.size == len(data)
    assert data.startswith(line.head)
    assert line.head
    assert data.endswith(line.tail)
    assert len(line.tail) == KEPT


def test_a_line_in_one_chunk_is_that_chunk() -> None:
    chunk = b'{"id":1}\n'
    assert LineBuffer(lambda: LIMIT).feed(chunk)[0] is chunk


def test_the_end_of_a_line_that_is_too_long_and_never_ended_is_no_message() -> None:
    lines = LineBuffer(lambda: LIMIT, LARGE)
    assert lines.feed(b"x" * 60) == ()
    assert lines.rest() == b""
    assert lines.feed(b"{}\n") == (b"{}\n",)


def test_the_limit_is_asked_for_only_once_a_line_is_large() -> None:
    def limit() -> int:
        raise AssertionError("asked")

    lines = LineBuffer(limit, LARGE)
    assert fed(lines, [b"x" * 10, b"y" * 9 + b"\n", b"\n"]) == [b"x" * 10 + b"y" * 9 + b"\n", b"\n"]
    with pytest.raises(AssertionError, match="asked"):
        lines.feed(b"x" * 21)


def test_a_large_line_is_handed_on_in_the_chunks_it_came_in() -> None:
    """Not one byte of it was copied, so that its time is linear by construction."""
    chunks = [b"x" * 15 for _ in range(100)]
    lines = LineBuffer(lambda: 10**9, LARGE)
    (line,) = fed(lines, [*chunks, b"\n"])
    assert isinstance(line, LargeLine)
    assert isinstance(line.parts, deque)
    assert all(part is chunk for part, chunk in zip(line.parts, chunks, strict=False))
    assert len(line.parts) == len(chunks) + 1


def test_of_a_line_that_is_too_long_no_more_than_a_few_times_what_is_kept_is_in_memory() -> None:
    lines = LineBuffer(lambda: LIMIT, LARGE)
    most = 0
    for _ in range(2_000):
        assert lines.feed(b"x" * 1_000) == ()
        most = max(most, sum(map(len, lines._parts)))
    assert most <= SPARE + KEPT + 1_000


def test_the_end_of_a_line_that_is_too_long_is_cut_off_now_and_then_and_not_at_every_part() -> None:
    """Each time some bytes are copied: as often as they are few, the time is linear."""

    class Counting(LineBuffer):
        cuts = 0

        def _cut(self) -> None:
            self.cuts += 1
            super()._cut()

    lines = Counting(lambda: LIMIT, LARGE)
    for _ in range(20_000):
        lines.feed(b"x" * 100)
    assert 1 < lines.cuts <= 1 + 20_000 * 100 / (SPARE - KEPT - 100)


def test_a_conversation_cut_at_any_byte_is_the_same_conversation() -> None:
    sent = [
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"w\xc3\xadre"}}}\n',
        b'{"method":"notifications/initialized","jsonrpc":"2.0"}\r\n',
        b"\n",
        b'[{"id":"a","method":"ping"},{"id":"b","method":"ping"}]\n',
        b'{"result":{"content":[{"type":"text","text":"\xf0\x9f\x98\x80 \\ud83d"}]},"id":2}\n',
    ]
    data = b"".join(sent)
    for at in range(len(data) + 1):
        assert fed(LineBuffer(lambda: 10**9), [data[:at], data[at:]]) == sent


class Taken:
    """A long line, as a watcher takes it."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.how = ""

    def put(self, part: bytes) -> None:
        self.parts.append(part)

    def end(self) -> None:
        self.how = "ended"

    def drop(self) -> bytes:
        self.how = "dropped"
        return b"".join(self.parts)[-KEPT:]


class Watching:
    """A watcher that takes long lines, unless they begin with ``x``."""

    def __init__(self) -> None:
        self.taken: list[Taken] = []
        self.sizes: list[tuple[bytes, int]] = []

    def grew(self, head: bytes, size: int) -> None:
        self.sizes.append((head[:1], size))

    def take(self, head: bytes) -> Taken | None:
        if head.startswith(b"x"):
            return None
        self.taken.append(Taken())
        return self.taken[-1]


@given(st.lists(st.tuples(st.sampled_from(b"abx"), st.integers(0, 90)), max_size=6), sizes, st.booleans())
def test_a_long_line_is_taken_over_while_it_arrives(
    drawn: list[tuple[int, int]], lengths: list[int], ended: bool
) -> None:
    sent = [bytes((byte,)) * size for byte, size in drawn]
    data = b"\n".join(sent) + b"\n" * ended
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "STEP", 10)
        patch.setattr(lines_module, "LONG", 30)
        watching = Watching()
        lines = LineBuffer(lambda: 60, LARGE, watching)
        found = fed(lines, cut(data, lengths))
        rest = lines.rest()
    kept = [whole(line) for line in found if not isinstance(line, TooLong)]
    assert all(taken.how in ("ended", "dropped") for taken in watching.taken)
    whole_lines = [*kept, *(b"".join(one.parts) for one in watching.taken if one.how == "ended"), rest]
    wanted = [one for one in data.splitlines(keepends=True) if len(one) <= 60 or (one is data[-1:] and not ended)]
    assert sorted(filter(None, whole_lines)) == sorted(wanted)
    too_long = [line for line in found if isinstance(line, TooLong)]
    assert sorted(line.size for line in too_long) == sorted(
        len(one) for one in data.splitlines(keepends=True) if len(one) > 60 and one.endswith(b"\n")
    )
    assert all(line.tail.endswith(line.head[:1] + b"\n") and len(line.tail) > LARGE for line in too_long)


def test_the_watcher_hears_how_a_line_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "STEP", 10)
    monkeypatch.setattr(lines_module, "LONG", 30)
    watching = Watching()
    lines = LineBuffer(lambda: 10**6, LARGE, watching)
    assert fed(lines, [b"short\n", b"a" * 12, b"a" * 25, b"a" * 2, b"a" * 8 + b"\nxx", b"x" * 40]) == [b"short\n"]
    assert watching.sizes == [(b"a", 12), (b"a", 37), (b"a", 48), (b"x", 42)]
    assert [b"".join(one.parts) for one in watching.taken] == [b"a" * 47 + b"\n"]
    assert whole(fed(lines, [b"y\n"])[0]) == b"x" * 42 + b"y\n"
