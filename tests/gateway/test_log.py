"""One line each on stderr, and nobody is held up for it."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

import pytest

from penstock.gateway import log
from penstock.gateway.log import Log

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)
    os.close(writing)


def test_what_is_less_severe_than_the_level_is_left_out(pipe: tuple[int, int]) -> None:
    told = Log("warning", pipe[1])
    told.note("info", "quiet")
    told.note("warning", "heard")
    assert os.read(pipe[0], 1_000) == b"penstock: warning: heard\n"


def test_a_message_is_one_line_whatever_is_in_it(pipe: tuple[int, int]) -> None:
    Log(descriptor=pipe[1]).write("one\ntwo\r\nthree\u2028four \udcff")
    assert os.read(pipe[0], 1_000) == b"one two three four \\udcff\n"


def test_orders_to_a_terminal_are_written_out(pipe: tuple[int, int]) -> None:
    """Regression: what a server writes beside the protocol could set colours and titles of the user's terminal."""
    Log(descriptor=pipe[1]).write("a \x1b]0;pwned\x07 \x9b31m \u202etxt.exe \U000e0001")
    assert os.read(pipe[0], 1_000) == b"a \\u001b]0;pwned\\u0007 \\u009b31m \\u202etxt.exe \\udb40\\udc01\n"


def test_a_long_message_is_cut_to_what_a_pipe_takes_at_once(pipe: tuple[int, int]) -> None:
    Log(descriptor=pipe[1]).write("é" * 100_000)
    line = os.read(pipe[0], 65_536)
    assert len(line) <= 4_096
    assert line.endswith(b"\n")


def test_a_reader_that_has_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    told = Log(descriptor=writing)
    told.write("to nobody")
    os.close(writing)
    told.write("to nowhere")


def test_lines_that_nobody_reads_are_counted_and_told_of_later(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "PATIENCE", 0.01)
    os.set_blocking(pipe[1], False)
    try:
        while True:
            os.write(pipe[1], b"x" * 4_096)
    except BlockingIOError:
        os.set_blocking(pipe[1], True)
    told = Log(descriptor=pipe[1])
    told.write("lost")
    told.write("lost too")
    while select.select([pipe[0]], [], [], 0)[0]:
        os.read(pipe[0], 65_536)
    told.write("heard")
    assert os.read(pipe[0], 1_000).decode().splitlines() == [
        "penstock: warning: 2 lines before this one were lost: the client does not read stderr",
        "heard",
    ]


def test_debug_logs_the_method_and_the_size_of_each_message(pipe: tuple[int, int]) -> None:
    quiet, loud = Log("info", pipe[1]), Log("debug", pipe[1])
    for log_ in (quiet, loud):
        log_.message("client", b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', 47)
        log_.message("server", b'{"id":1,"result":{}}\n', 21)
        log_.message("server", b"", 3_000_000)
        log_.message("server", b"Ready!\n", 7)
    assert os.read(pipe[0], 1_000).decode().splitlines() == [
        "penstock: debug: client: tools/list, 47 bytes",
        "penstock: debug: server: response, 21 bytes",
        "penstock: debug: server: response, 3,000,000 bytes",
        "penstock: debug: server: a line that is not JSON, 7 bytes",
    ]
