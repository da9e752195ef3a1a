"""The parts of a long line, between two threads: all of them come through, in their order, or the line is dropped."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.gateway import inflow as module
from penstock.gateway.inflow import ChunkInflow, DroppedError
from tests.kit.long_text import cut

LINE = b'{"result":"' + b"0123456789" * 400 + b'"}\n'


@settings(max_examples=40)
@given(st.lists(st.integers(1, 900), min_size=1, max_size=9), st.integers(1, 3_000))
def test_all_parts_come_through_in_their_order(lengths: list[int], waiting: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "WAITING", waiting)
        patch.setattr(module, "LONG", 0)
        patch.setattr(module, "MOST_WAITING", waiting + 9)
        inflow = ChunkInflow(LINE[:10])
        found: list[bytes] = []
        other = threading.Thread(target=lambda: found.extend(inflow))
        other.start()
        for part in cut(LINE, lengths):
            inflow.put(part)
        inflow.end()
        other.join()
    assert b"".join(found) == LINE
    assert inflow.size == len(LINE)


def test_a_line_without_its_end_is_dropped() -> None:
    inflow = ChunkInflow(b"")
    inflow.put(LINE[:99])
    inflow.end()
    with pytest.raises(DroppedError):
        list(inflow)


def test_a_line_that_is_too_long_is_dropped() -> None:
    inflow = ChunkInflow(b"")
    inflow.put(LINE)
    assert inflow.drop() == LINE
    with pytest.raises(DroppedError):
        list(inflow)


def test_who_gives_up_gets_the_end_of_the_line_and_no_reader_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 60)
    inflow = ChunkInflow(b"")
    inflow.put(LINE[:60])
    tails: list[bytes] = []
    other = threading.Thread(target=lambda: tails.append(inflow.drain()))
    other.start()
    inflow.put(b"more" * 9)  # waits until the other thread has given up
    inflow.put(b'"id":7}')
    inflow.end()
    other.join()
    assert tails[0].endswith(b'moremore"id":7}')


def test_who_cannot_wait_is_told_when_there_is_room_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 1_000)
    monkeypatch.setattr(module, "LONG", 0)
    calls: list[str] = []
    inflow = ChunkInflow(b"", has_room=lambda: calls.append("room"))
    assert inflow.offer(LINE[:900])
    assert not inflow.offer(LINE[900:1_100])
    parts = iter(inflow)
    assert next(parts) == LINE[:900]
    assert calls == ["room"]
    assert inflow.offer(LINE[1_100:1_200])
    inflow.offer(LINE[1_200:])
    inflow.end()
    assert b"".join(parts) == LINE[900:]
    assert calls == ["room"] * 2


def test_who_waits_for_room_is_told_that_the_line_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 10)
    monkeypatch.setattr(module, "LONG", 0)
    calls: list[str] = []
    inflow = ChunkInflow(b"", has_room=lambda: calls.append("room"))
    assert not inflow.offer(LINE[:900])
    inflow.drop()
    assert calls == ["room"]
    with pytest.raises(DroppedError):
        next(iter(inflow))
