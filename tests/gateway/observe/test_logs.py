"""One line for each request, and one for each complaint of a library."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from typing import TYPE_CHECKING

import pytest

from penstock.gateway.log import Log
from penstock.gateway.observe.logs import Complaints, RequestLog, take_over
from penstock.gateway.observe.request_record import RequestRecord

if TYPE_CHECKING:
    from collections.abc import Iterator


class Pipe:
    """A log, and what was written to it."""

    def __init__(self) -> None:
        self.reading, self._writing = os.pipe()
        self.log = Log("info", self._writing)

    def lines(self) -> list[str]:
        os.close(self._writing)
        with os.fdopen(self.reading) as written:
            return written.read().splitlines()


@pytest.fixture
def pipe() -> Pipe:
    return Pipe()


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    found = logging.getLogger("somebody")
    yield found
    for handler in [*found.handlers, *logging.getLogger().handlers]:
        if isinstance(handler, Complaints):
            found.removeHandler(handler)
            logging.getLogger().removeHandler(handler)


def test_a_request_is_one_line_of_json(pipe: Pipe) -> None:
    account = RequestRecord(
        headers=[], method="tools/call", tool='a"b\nc', status=200, outcome="held", seconds=0.0123456
    )
    account.tokens_in, account.tokens_out = 85_000, 2_000
    RequestLog(pipe.log).write(account)
    RequestLog(pipe.log).write(RequestRecord(headers=[], method="tools/list", status=200))
    first, second = map(json.loads, pipe.lines())
    assert first == {
        "method": "tools/call",
        "tool": 'a"b\nc',
        "status": 200,
        "ms": 12.346,
        "held": True,
        "outcome": "held",
        "tokens_in": 85_000,
        "tokens": 2_000,
    }
    assert (second["method"], second["held"]) == ("tools/list", False)
    assert "tool" not in second


def test_a_complaint_is_one_line_with_its_cause_and_no_traceback(pipe: Pipe, logger: logging.Logger) -> None:
    take_over(pipe.log)
    try:
        raise ValueError("of two\nlines")
    except ValueError:
        logger.exception("it broke\n")
    logger.warning("look at %s", "this")
    logger.info("nobody cares")
    assert pipe.lines() == ["penstock: error: it broke: ValueError: of two lines", "penstock: warning: look at this"]


def test_what_was_broken_off_is_not_complained_of(pipe: Pipe, logger: logging.Logger) -> None:
    take_over(pipe.log)
    try:
        raise asyncio.CancelledError
    except asyncio.CancelledError:
        logger.exception("Exception in ASGI application")
    assert pipe.lines() == []
