"""CrewAI: its tools of an MCP server, as its agents run them."""

from __future__ import annotations

from crewai_tools import MCPServerAdapter
from mcp import StdioServerParameters
from task import converse, given


def main() -> None:
    command, arguments = given()
    way = (
        StdioServerParameters(command=command[0], args=command[1:])
        if len(command) > 1
        else {"url": command[0], "transport": "streamable-http"}
    )
    with MCPServerAdapter(way) as listed:
        tools = {tool.name: tool for tool in listed}
        converse(lambda name, call: tools[name].run(**call), arguments)


main()
