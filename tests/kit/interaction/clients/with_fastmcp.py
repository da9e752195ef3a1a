"""The plan with the client of FastMCP."""

from __future__ import annotations

from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.kit.interaction.clients.plan import ANSWER, ROOT, Connected, main, plain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

fastmcp: Any = import_module("fastmcp")  # by name: it is there where this runs, but need not be where it is checked


class FastMcpSession(Connected):
    async def tools(self) -> list[dict[str, Any]]:
        return [plain(tool) for tool in await self.client.list_tools()]

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """As programs call it: what the tool's schema promises is checked and made into an object."""
        result = await self.client.call_tool(tool, arguments, progress_handler=self.progress)
        return {"content": [plain(block) for block in result.content], "structured": result.structured_content}

    async def resource(self, uri: str) -> dict[str, Any]:
        return {"contents": [plain(one) for one in await self.client.read_resource(uri)]}

    async def level(self, level: str) -> dict[str, Any]:
        await self.client.set_logging_level(level)
        return {}


@asynccontextmanager
async def connect(command: list[str], env: dict[str, str], mode: str) -> AsyncIterator[FastMcpSession]:
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
        yield FastMcpSession(client=client, era=str(client.session.protocol_version), heard=heard)


if __name__ == "__main__":
    main(connect)
