"""A small MCP server written with the official package: `python official_server.py PORT [WORDS]`."""

from __future__ import annotations

import sys

from mcp.server import MCPServer

server = MCPServer("harbour")


def berth(ship: str, length_m: int, tags: list[str] | None = None) -> dict[str, object]:
    return {"ship": ship, "berth": 7 if length_m < 100 else 1, "tags": tags or []}


server.tool(name="find_berth", description=" ".join(sys.argv[2:]) or "Finds a berth for a ship.")(berth)
server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
