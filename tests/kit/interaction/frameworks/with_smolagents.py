"""smolagents: its tools of an MCP server, as its agents call them."""

from __future__ import annotations

from mcp import StdioServerParameters
from smolagents import MCPClient
from task import converse, given


def main() -> None:
    command, arguments = given()
    way = (
        StdioServerParameters(command=command[0], args=command[1:])
        if len(command) > 1
        else {"url": command[0], "transport": "streamable-http"}
    )
    with MCPClient(way, structured_output=False) as listed:
        tools = {tool.name: tool for tool in listed}
        converse(lambda name, call: tools[name](**call), arguments)


main()
