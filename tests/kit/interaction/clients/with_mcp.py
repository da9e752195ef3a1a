"""The plan with the client of the official Python SDK."""

from __future__ import annotations

from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.kit.interaction.clients.plan import ANSWER, ROOT, Connected, main, plain

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

mcp: Any = import_module("mcp")  # by name: it is there where this runs, but need not be where it is checked
types: Any = import_module("mcp_types")


class SdkSession(Connected):
    async def tools(self) -> list[dict[str, Any]]:
        return [plain(tool) for tool in (await self.client.list_tools()).tools]

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = plain(await self.client.call_tool(tool, arguments, progress_callback=self.progress))
        return told

    async def resource(self, uri: str) -> dict[str, Any]:
        told: dict[str, Any] = plain(await self.client.read_resource(uri))
        return told

    async def level(self, level: str) -> dict[str, Any]:
        told: dict[str, Any] = plain(await self.client.set_logging_level(level))
        return told


@asynccontextmanager
async def connect(command: list[str], env: dict[str, str], mode: str) -> AsyncIterator[SdkSession]:
    heard: list[Any] = []

    async def sample(_: Any, params: Any) -> Any:
        heard.append(["sampling", plain(params)])
        return types.CreateMessageResult(
            role="assistant", content=types.TextContent(type="text", text="sampled"), model="none"
        )

    async def elicit(_: Any, params: Any) -> Any:
        heard.append(["elicitation", plain(params)])
        return types.ElicitResult(action="accept", content=dict(ANSWER))

    async def roots(_: Any) -> Any:
        heard.append(["roots"])
        return types.ListRootsResult(roots=[types.Root(uri=ROOT, name="one")])

    async def log(params: Any) -> None:
        heard.append(["log", plain(params)])

    async with mcp.Client(
        mcp.StdioServerParameters(command=command[0], args=command[1:], env=env),
        mode=mode,
        sampling_callback=sample,
        elicitation_callback=elicit,
        list_roots_callback=roots,
        logging_callback=log,
        read_timeout_seconds=60,
    ) as client:
        yield SdkSession(client=client, era=client.protocol_version, heard=heard)


if __name__ == "__main__":
    main(connect)
