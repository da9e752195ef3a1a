"""The first question and answer go on before anything is imported, and are known of afterwards, each once."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from penstock.gateway import pipes
from penstock.gateway.stdio.early_relay import ReaderThreads
from tests.kit.gateway import Running, code
from tests.kit.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

QUESTION = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}}}}\n'


class Line:
    """Both sides of a gateway as pipes, and what the readers hand over."""

    def __init__(self, *, has_server: bool = True) -> None:
        self.stdin, self.client = os.pipe()
        self.answers, self.stdout = os.pipe()
        self.questions, self.server_stdin = os.pipe()
        self.server_stdout, self.server = os.pipe()
        self.told: list[tuple[str, bytes]] = []
        self.readers = ReaderThreads(
            stdin=self.stdin,
            stdout=self.stdout,
            server_stdin=self.server_stdin if has_server else None,
            server_stdout=self.server_stdout if has_server else None,
        )
        self.readers.start()

    def go_on(self) -> None:
        self.readers.go_on(
            lambda question, answer: self.told.extend((("asked", question), ("answered", answer))),
            lambda chunk: self.told.append(("client", chunk)),
            lambda chunk: self.told.append(("server", chunk)),
        )

    def end(self) -> None:
        os.close(self.client)
        os.close(self.server)
        until(lambda: not [one for one in threading.enumerate() if one.name in ("penstock-client", "penstock-server")])
        for descriptor in (
            self.stdin,
            self.answers,
            self.stdout,
            self.questions,
            self.server_stdin,
            self.server_stdout,
        ):
            os.close(descriptor)


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.end()


def test_question_and_answer_go_on_at_once_and_are_known_in_their_order(line: Line) -> None:
    os.write(line.client, QUESTION)
    assert os.read(line.questions, 1_000) == QUESTION
    os.write(line.server, ANSWER)
    assert os.read(line.answers, 1_000) == ANSWER
    assert line.told == []
    line.go_on()
    assert line.told == [("asked", QUESTION), ("answered", ANSWER)]
    os.write(line.client, b"next\n")
    os.write(line.server, b"more\n")
    assert until(lambda: len(line.told) == 4)
    assert set(line.told[2:]) == {("client", b"next\n"), ("server", b"more\n")}


def test_the_greeting_is_awaited_until_the_answer_has_passed(line: Line) -> None:
    assert not line.readers.await_greeting(0)
    os.write(line.client, QUESTION)
    assert os.read(line.questions, 1_000) == QUESTION
    assert not line.readers.await_greeting(0)
    os.write(line.server, ANSWER)
    assert line.readers.await_greeting(60)
    assert os.read(line.answers, 1_000) == ANSWER
    line.go_on()


def test_nobody_waits_for_a_greeting_where_something_else_is_said_first(line: Line) -> None:
    os.write(line.client, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    assert line.readers.await_greeting(60)
    line.go_on()


def test_nobody_waits_for_a_greeting_from_a_server_that_speaks_unasked(line: Line) -> None:
    os.write(line.server, b"Welcome!\n")
    assert line.readers.await_greeting(60)
    line.go_on()


def test_a_question_that_comes_late_is_handed_over(line: Line) -> None:
    line.go_on()
    assert line.told == [("asked", b""), ("answered", b"")]
    os.write(line.client, QUESTION)
    assert until(lambda: ("client", QUESTION) in line.told)


def test_an_answer_that_comes_late_is_handed_over(line: Line) -> None:
    os.write(line.client, QUESTION)
    assert os.read(line.questions, 1_000) == QUESTION
    line.go_on()
    os.write(line.server, ANSWER)
    assert until(lambda: ("server", ANSWER) in line.told)
    assert line.told[:2] == [("asked", QUESTION), ("answered", b"")]


@pytest.mark.parametrize(
    "chunk",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
        QUESTION + QUESTION,
        QUESTION[:-1],
        b" " + QUESTION,
        b"garbage\n",
        b'["method":"initialize"]\n',
    ],
)
def test_anything_else_waits_to_be_understood(line: Line, chunk: bytes) -> None:
    os.write(line.client, chunk)
    line.go_on()
    assert until(lambda: ("client", chunk) in line.told)


@pytest.mark.parametrize(
    "chunk",
    [
        b'{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"prompts":{}}}}\n',  # without tools: ours are to be added
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}\n',
        b"Welcome!\n",
        ANSWER + ANSWER,
    ],
)
def test_an_answer_that_may_need_a_change_waits_to_be_understood(line: Line, chunk: bytes) -> None:
    os.write(line.client, QUESTION)
    assert os.read(line.questions, 1_000) == QUESTION
    os.write(line.server, chunk)
    line.go_on()
    assert until(lambda: ("server", chunk) in line.told)


def test_without_a_server_the_client_is_read_all_the_same() -> None:
    line = Line(has_server=False)
    os.write(line.client, QUESTION)
    line.go_on()
    assert until(lambda: {("client", QUESTION), ("server", b"")} <= set(line.told))
    line.end()


def test_sides_that_are_gone_are_found_out_by_the_readers() -> None:
    line = Line()
    os.close(line.questions)
    line.questions = os.dup(line.stdin)
    os.write(line.client, QUESTION)
    assert until(lambda: not pipes.has_more(line.stdin))
    line.go_on()
    assert line.told[0] in (("asked", QUESTION), ("asked", b""))
    line.end()


SERVERS = {
    "with tools": '{"tools":{}}',
    "without tools": '{"prompts":{}}',
}


@pytest.mark.parametrize("what", SERVERS)
def test_the_first_answer_is_never_lost_nor_given_twice(what: str) -> None:
    """Regression: the answer could be read before the question was known of."""
    answer = (
        '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":%s,"serverInfo":{"name":"n"}}}'
    )
    quick = f"import sys; input(); print({answer % SERVERS[what]!r}, flush=True); sys.stdin.read()"
    with ExitStack() as stack:
        for gateway in [stack.enter_context(Running(code(quick))) for _ in range(4)]:
            assert "tools" in gateway.request("initialize", {"clientInfo": {"name": "tester"}})["capabilities"]
