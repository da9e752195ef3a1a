"""A gate whose second tool is switched on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from penstock.config import Config
from penstock.gate import Gate
from penstock.stores import open_store
from tests.gate.conftest import OWNER, Clock, Desk, numbered_handle
from tests.kit.answers import head_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.query.sandbox.sandbox import Sandbox

ALL = ("export", "more", "drop")


@dataclass
class ActingDesk(Desk):
    """The same with calls of the second tool."""

    def act_raw(self, action: str, handle: Any = None, *, owner: Any = OWNER, **arguments: Any) -> Any:
        given = {"action": action, **({"cache_id": handle} if handle is not None else {}), **arguments}
        return json.loads(self.gate.act(owner, given))

    def act(self, action: str, handle: Any = None, **arguments: Any) -> Any:
        """The JSON of the first block of an answer that is no error."""
        told = self.act_raw(action, handle, **arguments)
        assert "isError" not in told, told
        return head_of(told)

    def act_error(self, action: str, handle: Any = None, **arguments: Any) -> str:
        told = self.act_raw(action, handle, **arguments)
        assert told["isError"] is True, told
        return str(told["content"][0]["text"])


@pytest.fixture
def acting(sandbox: Sandbox, tmp_path: Path) -> Iterator[ActingDesk]:
    clock = Clock()
    with open_store("memory:", now=clock) as store:
        config = Config(
            max_tokens=3_000,
            preview_tokens=1_000,
            page_tokens=1_500,
            act=ALL,
            export_folder=str(tmp_path / "exports"),
        )
        gate = Gate(store, config, now=clock, new_handle=numbered_handle, sandbox=sandbox)
        yield ActingDesk(gate=gate, store=store, clock=clock)
