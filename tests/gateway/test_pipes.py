"""File descriptors that others have made: some do not block, some are sockets, some are gone."""

from __future__ import annotations

import os
import select
import socket
import sys
import threading
from typing import TYPE_CHECKING

from penstock.gateway import pipes
from tests.kit.waiting import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_read_waits_even_where_the_descriptor_does_not() -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)

    def say() -> None:
        os.write(writing, b"said\n")
        os.close(writing)

    thread = threading.Thread(target=say)
    thread.start()
    parts = []
    while chunk := pipes.read(reading):
        parts.append(chunk)
    thread.join(PATIENCE)
    assert b"".join(parts) == b"said\n"
    os.close(reading)


def test_a_descriptor_that_is_no_more_reads_as_the_end() -> None:
    reading, writing = os.pipe()
    os.close(writing)
    assert pipes.read(reading) == b""
    os.close(reading)
    assert pipes.read(reading) == b""


def test_a_socket_is_read_and_written_like_a_pipe() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        pipes.write(ours.fileno(), b"said\n")
        assert pipes.read(theirs.fileno()) == b"said\n"
        assert not pipes.is_left(theirs.fileno())
        ours.close()
        assert pipes.is_left(theirs.fileno())


def test_a_hang_up_is_seen_before_all_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"unread")
    assert not pipes.is_left(reading)
    os.close(writing)
    assert pipes.is_left(reading)
    assert pipes.has_more(reading)
    os.close(reading)


def test_a_reader_that_left_is_seen_by_the_writer() -> None:
    reading, writing = os.pipe()
    assert not pipes.is_left(writing)
    assert pipes.has_room(writing)
    os.close(reading)
    assert pipes.is_left(writing)
    os.close(writing)


def test_a_pipe_can_be_made_to_hold_more_and_what_is_no_pipe_is_left_alone(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    pipes.widen(writing)
    assert os.write(writing, b"x" * 60_000) == 60_000
    if sys.platform == "linux":
        assert os.write(writing, b"x" * 60_000) == 60_000  # more than it held before, without a reader
    os.close(reading)
    os.close(writing)
    pipes.widen(writing)
    with (tmp_path / "file").open("wb") as file:
        pipes.widen(file.fileno())


def test_where_nobody_can_tell_all_is_taken_to_be_as_it_should(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.delattr(select, "poll")
    reading, writing = os.pipe()
    assert pipes.has_room(writing)
    assert pipes.has_more(reading)
    os.close(reading)
    assert not pipes.is_left(writing)
    os.close(writing)


def test_an_empty_pipe_has_nothing_more() -> None:
    reading, writing = os.pipe()
    assert not pipes.has_more(reading)
    os.close(writing)
    assert pipes.has_more(reading)  # its end
    os.close(reading)
