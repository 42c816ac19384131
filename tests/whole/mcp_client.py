"""Speaks to mindX with the official client: submits a goal, waits for it, reads what came of it.

`python mcp_client.py ADDRESS | -- COMMAND…`; the token is in MINDX_TOKEN. What it learns
it prints, a line of JSON each.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestParams, ElicitResult

TOKEN = os.environ["MINDX_TOKEN"]
KEY = str(os.getpid())
TEXT = "Create a Python project named api_client with a virtual environment and a script that prints the Python version"


def say(**known: Any) -> None:
    """One line for the test."""
    print(json.dumps(known), flush=True)  # noqa: T201  # its output is read by the test


async def shown(context: Any, params: ElicitRequestParams) -> ElicitResult:
    """The person sees the address, and opens it."""
    say(asked=params.model_dump(mode="json"))
    return ElicitResult(action="accept")


async def main() -> None:
    """Everything, until the goal has ended."""
    if sys.argv[1] == "--":
        server = StdioServerParameters(command=sys.argv[2], args=sys.argv[3:], env=dict(os.environ))
        await _goal(Client(server, elicitation_callback=shown))
        return
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as http:
        await _goal(Client(streamable_http_client(sys.argv[1], http_client=http), elicitation_callback=shown))


async def _goal(connection: Client) -> None:
    async with connection as client:
        say(tools=sorted(tool.name for tool in (await client.list_tools()).tools))
        goal = (await client.call_tool("submit_goal", {"text": TEXT, "idempotency_key": KEY})).structured_content
        again = (await client.call_tool("submit_goal", {"text": TEXT, "idempotency_key": KEY})).structured_content
        say(goal=goal["id"], again=again["id"])
        given: dict[str, Any] = {"goal": goal["id"], "seconds": 20}
        while True:
            waited = (await client.call_tool("wait_for_goal", given)).structured_content
            say(status=waited["status"], waiting=waited.get("waiting"))
            if waited["status"] not in ("working", "input_required"):
                break
            if "waiting" in waited:
                given["state"] = waited["waiting"]["state"]
        say(result=(await client.call_tool("read_result", {"goal": goal["id"]})).structured_content)
        say(log=(await client.call_tool("read_log", {"goal": goal["id"]})).structured_content)
        refused = await client.call_tool("approve_plan", {"plan": waited["goal"]["intent_plan"], "digest": "00"})
        say(refused=refused.structured_content, is_error=refused.is_error)


asyncio.run(main())
