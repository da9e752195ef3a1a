"""LangChain: the tools of an MCP server as ``ChatOpenAI`` sends them, without strict mode and with it."""

from __future__ import annotations

import asyncio

from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from sent import Api, tell
from task import given


async def main() -> None:
    command, _ = given()
    client = MultiServerMCPClient({"shop": {"transport": "stdio", "command": command[0], "args": command[1:]}})
    tools = await client.get_tools()
    with Api() as api:
        model = ChatOpenAI(model="gpt-4o", base_url=api.url, api_key="none", max_retries=0)
        tell(
            {
                "plain": await api.record(model.bind_tools(tools).ainvoke("hello")),
                "strict": await api.record(model.bind_tools(tools, strict=True).ainvoke("hello")),
            }
        )


asyncio.run(main())
