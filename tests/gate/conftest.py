"""A gate on a memory store, a clock that stands still, and one sandbox for all tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.core.fit import Call
from penstock.gate import Gate
from penstock.query.sandbox.sandbox import Sandbox
from penstock.stores import Store, open_store
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNER = "ann"


@dataclass
class Clock:
    time: float = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@dataclass
class Desk:
    """A gate with what a test needs to work it."""

    gate: Gate
    store: Store
    clock: Clock

    def admit(self, value: Any, *, tool: str = "search", owner: str = OWNER, **members: Any) -> dict[str, Any]:
        text = value if isinstance(value, str) else json.dumps(value)
        result = json.dumps({"content": [{"type": "text", "text": text}], **members}).encode()
        call = Call(tool=tool, arguments={"q": "x"}, owner=owner)
        told: dict[str, Any] = json.loads(self.gate.admit(call, result))
        return told

    def hold(self, value: Any, **options: Any) -> str:
        handle = notice(self.admit(value, **options))["cache_id"]
        assert isinstance(handle, str)
        return handle

    def raw(self, action: str, handle: Any = None, *, owner: str = OWNER, **arguments: Any) -> bytes:
        given = {"action": action, **({"cache_id": handle} if handle is not None else {}), **arguments}
        return self.gate.fetch(owner, given)

    def fetch(self, action: str, handle: Any = None, **arguments: Any) -> Any:
        """The JSON of the first block of an answer that is no error."""
        told = json.loads(self.raw(action, handle, **arguments))
        assert "isError" not in told, told
        return head_of(told)

    def error(self, action: str, handle: Any = None, **arguments: Any) -> str:
        raw = self.raw(action, handle, **arguments)
        told = json.loads(raw)
        assert told["isError"] is True
        assert len(raw) < 1_024
        return str(told["content"][0]["text"])


def notice(answer: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = head_of(answer)
    return told


_NUMBERS = count()


def numbered_handle() -> str:
    """A handle that no other test has. All cost alike: what a notice has room for must not depend on chance."""
    return f"r_{next(_NUMBERS):022d}"


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=1) as sandbox:
        yield sandbox


@pytest.fixture
def desk(sandbox: Sandbox) -> Iterator[Desk]:
    clock = Clock()
    with open_store("memory:", now=clock) as store:
        config = Config(max_tokens=3_000, preview_tokens=1_000, page_tokens=1_500, notice="full")
        gate = Gate(store, config, now=clock, new_handle=numbered_handle, sandbox=sandbox)
        yield Desk(gate=gate, store=store, clock=clock)
