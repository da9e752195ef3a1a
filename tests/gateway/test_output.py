"""One writer for several threads: whole lines, back-pressure, and an end that harms nobody."""

from __future__ import annotations

import os
import threading
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.output import Output
from tests.kit.waiting import PATIENCE, until

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = 1_000_000  # bytes; far more than a pipe holds


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        try:
            os.close(descriptor)
        except OSError:
            continue  # the test has closed it


def drain(descriptor: int) -> bytes:
    parts = []
    while chunk := os.read(descriptor, 65_536):
        parts.append(chunk)
    return b"".join(parts)


class Drained(threading.Thread):
    def __init__(self, descriptor: int) -> None:
        super().__init__(daemon=True)
        self.descriptor = descriptor
        self.read = b""
        self.start()

    def run(self) -> None:
        self.read = drain(self.descriptor)


def test_a_line_beyond_what_a_pipe_holds_is_written_whole(pipe: tuple[int, int]) -> None:
    output, reader = Output(pipe[1]), Drained(pipe[0])
    line = bytes(range(1, 251)) * (LARGE // 250)
    assert output.write(line)
    output.close(PATIENCE)
    reader.join(PATIENCE)
    assert reader.read == line


def test_a_descriptor_that_does_not_block_is_waited_for(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    output, reader = Output(pipe[1]), Drained(pipe[0])
    assert output.write(b"x" * LARGE)
    output.close(PATIENCE)
    reader.join(PATIENCE)
    assert reader.read == b"x" * LARGE


def test_lines_of_several_threads_are_never_mixed(pipe: tuple[int, int]) -> None:
    output, reader = Output(pipe[1]), Drained(pipe[0])
    letters = b"abcdef"

    def write(letter: int) -> None:
        for _ in range(20):
            assert output.write(bytes([letter]) * 100_000 + b"\n")

    threads = [threading.Thread(target=write, args=(letter,)) for letter in letters]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    output.close(PATIENCE)
    reader.join(PATIENCE)
    lines = reader.read.splitlines()
    assert all(len(line) == 100_000 and len(set(line)) == 1 for line in lines)
    assert Counter(line[0] for line in lines) == dict.fromkeys(letters, 20)


def test_a_reader_that_has_gone_closes_the_output(pipe: tuple[int, int]) -> None:
    output = Output(pipe[1])
    os.close(pipe[0])
    assert not output.write(b"line\n")
    assert output.closed
    assert not output.write(b"another\n")
    assert not output.offer(b"a third\n")


def test_a_reader_that_goes_in_the_middle_of_a_line_closes_the_output(pipe: tuple[int, int]) -> None:
    output = Output(pipe[1])
    results: list[bool] = []
    writing = threading.Thread(target=lambda: results.append(output.write(b"x" * LARGE)))
    writing.start()
    assert os.read(pipe[0], 1)
    os.close(pipe[0])
    writing.join(PATIENCE)
    assert results == [False]


def test_close_is_the_end_to_the_reader_and_can_be_repeated(pipe: tuple[int, int]) -> None:
    output = Output(pipe[1])
    assert output.write(b"last\n")
    output.close(PATIENCE)
    output.close(PATIENCE)
    assert drain(pipe[0]) == b"last\n"
    assert not output.write(b"later\n")


def test_close_gives_up_on_a_line_that_is_stuck(pipe: tuple[int, int]) -> None:
    output = Output(pipe[1])
    writing = threading.Thread(target=output.write, args=(b"x" * LARGE,), daemon=True)
    writing.start()
    assert until(lambda: not output.offer(b""))  # the other thread has the lock
    output.close(0.01)
    assert not output.closed
    assert writing.is_alive()
    os.close(pipe[0])
    writing.join(PATIENCE)
    assert output.closed


def test_settle_lets_the_line_that_is_being_written_be_the_last(pipe: tuple[int, int]) -> None:
    output = Output(pipe[1])
    assert output.write(b"last\n")
    assert output.settle(PATIENCE)
    assert not output.settle(PATIENCE)
    assert not output.write(b"later\n")
    os.close(pipe[1])
    assert drain(pipe[0]) == b"last\n"


def test_an_offer_is_written_where_there_is_room(pipe: tuple[int, int]) -> None:
    output = Output(pipe[1])
    assert output.offer(b"short\n")
    assert os.read(pipe[0], 100) == b"short\n"


def test_an_offer_to_a_full_pipe_is_not_waited_for(pipe: tuple[int, int]) -> None:
    os.set_blocking(pipe[1], False)
    filled = 0
    try:
        while True:
            filled += os.write(pipe[1], b"x" * 4_096)
    except BlockingIOError:
        os.set_blocking(pipe[1], True)
    output = Output(pipe[1])
    assert not output.offer(b"short\n")
    assert not output.closed


def test_the_parts_of_a_line_are_written_together_until_the_reader_has_gone(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    output = Output(writing)
    assert output.write_parts(iter((b"one ", b"line\n")))
    assert os.read(reading, 99) == b"one line\n"
    os.close(reading)
    taken = iter((b"a", b"b", b"c"))
    assert not output.write_parts(taken)
    assert list(taken) == [b"b", b"c"]
