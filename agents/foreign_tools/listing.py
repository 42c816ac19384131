"""Listing the tools of an MCP server, by a worker, in a jail of its own: asked for when it is added and refreshed."""

from __future__ import annotations

import inspect
import logging
import tempfile
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from agents.execution.companion import Companion
from agents.foreign_tools import servers
from agents.models import McpServer
from agents.record import causes, draining, leased, logs, wake_ups
from agents.states import AskedState
from agents.toolkit import web_address
from agents.toolkit.foreign import inside
from agents.toolkit.jailed import REQUEST
from sandbox.contract import Request, SandboxError, SessionState
from sandbox.sessions.session import open_session

logger = logging.getLogger(__name__)

TAKES_S = 40


class NotListed(Exception):
    """The server listed nothing; the message says why."""


def sweep() -> None:
    """Wake a worker for listings that nobody does."""
    for server in _free().values_list("pk", flat=True)[:10]:
        wake_ups.wake_background("mcp_listing", server)


def work(server_id: int) -> None:
    """List its tools, if nobody does."""
    server = None if draining.is_asked() else claim(server_id)
    if server is None:
        return
    try:
        with Companion(0, renew=lambda: leased.renew(server), is_cancelled=lambda: False):
            listed = _list(server)
    except (NotListed, SandboxError, OSError, ValueError) as error:
        logger.warning("The MCP server %s could not be listed", server, exc_info=True)
        _end(server, str(error))
    else:
        _end(server, listed=listed)


def claim(server_id: int) -> McpServer | None:
    """Begin the listing of a server, unless somebody does it or it has ended."""
    with transaction.atomic():
        return leased.begin(_free().filter(pk=server_id))


def _list(server: McpServer) -> list[dict[str, Any]]:
    asked = {
        "sources": {"mcp_server": inspect.getsource(inside)},
        "function": "listing",
        "params": servers.spec_of(server).spoken_to,
        "paths": {},
        "reads_only": False,
        "timeout_s": TAKES_S,
    }
    hosts = (web_address.read(server.address).entry,) if server.address else ()
    with tempfile.TemporaryDirectory(prefix="mcp-") as folder:
        root = Path(folder) / "workspace"
        root.mkdir()
        with open_session(root, SessionState(), hosts=hosts) as session:
            result = session.execute(Request(REQUEST, asked))
    if not result.ok:
        raise NotListed(result.reason)
    tools: list[dict[str, Any]] = result.data["tools"]
    return tools


def _end(server: McpServer, why: str = "", listed: list[dict[str, Any]] | None = None) -> None:
    with transaction.atomic():
        # Held until its tools are stored: who comes late, or for a server that was removed meanwhile, changes nothing.
        mine = leased.ours(server).select_for_update(no_key=True, of=("self",)).select_related("asked_by").first()
        if mine is None:
            return
        found = {}
        if listed is not None and mine.asked_by is None:
            why = "the account that asked for it no longer exists"
        elif listed is not None and mine.asked_by is not None:
            causes.check(mine)
            found = {"tools": servers.take(mine, listed, by=mine.asked_by)}
        leased.to(mine, AskedState.ENDED, reason=logs.storable(why)[:500], **found)


def _free() -> QuerySet[McpServer]:
    return McpServer.objects.filter(leased.free(McpServer), removed_at=None)
