"""What a client is to do, on stdin, and what came of it, on stdout: the same for every client library.

A run has several sessions, held at the same time. Each names a command to start and steps to take:
``["tools"]``, ``["call", tool, arguments]``, ``["whole", tool, arguments]`` (call, and read on to the end of what was
held), ``["resource", uri]``, ``["prompt", name, arguments]``, ``["level", level]``.
It runs in an environment of its own, where nothing of this project is installed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    Connect = Callable[[list[str], dict[str, str], str], AbstractAsyncContextManager["Session"]]  # command, env, mode

FETCH: Final = "fetch_cached_response"
MOST_WINDOWS: Final = 400  # a result that takes more than that is not being read on
WIDE: Final = 10_000_000  # as few windows as the budget allows: a client takes its time with each answer
ROOT: Final = "file:///srv/one"
ANSWER: Final = {"name": "Ann", "check": True}


class Session(Protocol):
    """A connected client, whichever library it is of; answers are given as JSON values with the names of the wire."""

    era: str
    heard: list[Any]

    async def tools(self) -> list[dict[str, Any]]: ...
    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]: ...
    async def resource(self, uri: str) -> dict[str, Any]: ...
    async def prompt(self, name: str, arguments: dict[str, str]) -> dict[str, Any]: ...
    async def level(self, level: str) -> dict[str, Any]: ...


def plain(model: Any) -> Any:
    """What a library gives, as a JSON value with the names of the wire."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


@dataclass
class Connected:
    """What the session of both libraries has."""

    client: Any
    era: str
    heard: list[Any] = field(default_factory=list)

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.heard.append(["progress", done, total, message])

    async def prompt(self, name: str, arguments: dict[str, str]) -> dict[str, Any]:
        told: dict[str, Any] = plain(await self.client.get_prompt(name, arguments))
        return told


async def whole(session: Session, tool: str, arguments: dict[str, Any]) -> str:
    """The text of a result, read on to its end as the notice says when there is one."""
    text: str = (await session.call(tool, arguments))["content"][0]["text"]
    if not text.startswith('{"type":"buffered_response"'):
        return text
    asked: dict[str, Any] = {
        "cache_id": json.loads(text.partition("\n")[0])["cache_id"],
        "action": "get",
        "start_index": 0,
        "max_length": WIDE,
    }
    parts: list[str] = []
    for _ in range(MOST_WINDOWS):
        (block,) = (await session.call(FETCH, asked))["content"]
        place, _, part = block["text"].partition("\n")
        parts.append(part)
        asked["start_index"] = json.loads(place)["next_index"]
        if asked["start_index"] is None:
            return "".join(parts)
    raise RuntimeError("the end was not reached")


async def take(session: Session, step: list[Any]) -> Any:
    kind, *rest = step
    return await (whole(session, *rest) if kind == "whole" else getattr(session, kind)(*rest))


async def have(connect: Connect, wanted: dict[str, Any]) -> dict[str, Any]:
    outcomes: list[Any] = []
    async with connect(wanted["command"], wanted["env"], wanted["mode"]) as session:
        for step in wanted["steps"]:
            try:
                outcomes.append(await take(session, step))
            except Exception as error:  # noqa: BLE001 - what a client raises is what is compared
                outcomes.append(f"{type(error).__name__}: {error}")
        return {"era": session.era, "outcomes": outcomes, "heard": session.heard}


def main(connect: Connect) -> None:
    async def all_of(sessions: dict[str, dict[str, Any]]) -> dict[str, Any]:
        done = await asyncio.gather(*(have(connect, wanted) for wanted in sessions.values()))
        return dict(zip(sessions, done, strict=True))

    json.dump(asyncio.run(all_of(json.load(sys.stdin))), sys.stdout)
