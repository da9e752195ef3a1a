"""The plan with the client of FastMCP."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.interaction.clients.plan import ANSWER, ROOT, main

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

fastmcp: Any = import_module("fastmcp")  # by name: it is there where this runs, but need not be where it is checked


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


@dataclass
class Connected:
    client: Any
    era: str
    heard: list[Any] = field(default_factory=list)

    async def tools(self) -> list[dict[str, Any]]:
        return [plain(tool) for tool in await self.client.list_tools()]

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """As programs call it: what the tool's schema promises is checked and made into an object."""

        async def progress(done: float, total: float | None, message: str | None) -> None:
            self.heard.append(["progress", done, total, message])

        result = await self.client.call_tool(tool, arguments, progress_handler=progress)
        return {"content": [plain(block) for block in result.content], "structured": result.structured_content}

    async def resource(self, uri: str) -> dict[str, Any]:
        return {"contents": [plain(one) for one in await self.client.read_resource(uri)]}

    async def prompt(self, name: str, arguments: dict[str, str]) -> dict[str, Any]:
        told: dict[str, Any] = plain(await self.client.get_prompt(name, arguments))
        return told

    async def level(self, level: str) -> dict[str, Any]:
        await self.client.set_logging_level(level)
        return {}


@asynccontextmanager
async def connect(command: list[str], env: dict[str, str], mode: str) -> AsyncIterator[Connected]:
    heard: list[Any] = []

    async def sample(messages: Any, *_: Any) -> str:
        heard.append(["sampling", [plain(message) for message in messages]])
        return "sampled"

    async def elicit(message: str, *_: Any) -> dict[str, Any]:
        heard.append(["elicitation", message])
        return dict(ANSWER)

    async def log(message: Any) -> None:
        heard.append(["log", plain(message)])

    async def roots(_: Any) -> list[str]:
        heard.append(["roots"])
        return [ROOT]

    transport = fastmcp.client.transports.StdioTransport(
        command=command[0], args=command[1:], env=env, keep_alive=False
    )
    async with fastmcp.Client(
        transport,
        mode=mode,
        sampling_handler=sample,
        elicitation_handler=elicit,
        log_handler=log,
        roots=roots,
        timeout=60,
    ) as client:
        yield Connected(client=client, era=str(client.session.protocol_version), heard=heard)


if __name__ == "__main__":
    main(connect)
