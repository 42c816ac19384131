"""`manage.py mcp`: the Model Context Protocol over stdin and stdout, for a client that starts mindX itself."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from mindx_web.api.protocol.problems import Problem
from mindx_web.mcp import http
from mindx_web.mcp.calling import Caller, token

TOKEN = "MINDX_TOKEN"  # noqa: S105  # the name of the variable


class Command(BaseCommand):
    """Runs until the client closes the connection. Everything except the protocol goes to stderr."""

    help = f"Serve MCP on stdin and stdout, with the rights of the API token in the environment variable {TOKEN}."

    def handle(self, *args: Any, **options: Any) -> None:
        if not http.is_installed():
            raise CommandError(http.MISSING)
        # From the environment, because everybody on the machine can read a program's arguments.
        caller = Caller(os.environ.get(TOKEN, ""))
        if not caller.secret:
            raise CommandError(f"Set {TOKEN} to an API token; `manage.py token USER` makes one.")
        try:
            token(caller)
        except Problem as problem:
            raise CommandError(problem.detail) from problem
        asyncio.run(_speak(caller))


async def _speak(caller: Caller) -> None:
    from mcp.server.stdio import stdio_server

    from mindx_web.mcp import server

    made = server.make(lambda context: caller)
    async with stdio_server() as (reading, writing):
        await made.run(reading, writing, made.create_initialization_options())
