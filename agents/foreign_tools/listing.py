"""Listing the tools of an MCP server, by a worker, in a jail of its own: asked for when it is added and refreshed."""

from __future__ import annotations

import inspect
import logging
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from agents.foreign_tools import servers
from agents.models import McpServer
from agents.record import causes, draining, logs, wake_ups
from agents.record.causes import Forged
from agents.toolkit import web_address
from agents.toolkit.foreign import inside
from agents.toolkit.jailed import REQUEST
from sandbox.contract import Request, SandboxError, SessionState
from sandbox.sessions.session import open_session

logger = logging.getLogger(__name__)

BEGUN_MAX = 3
TAKES_S = 40
_LEASE = timedelta(minutes=3)
_OPEN = Q(ended_at=None, removed_at=None) & ~Q(asked_at=None)


class NotListed(Exception):
    """The server listed nothing; the message says why."""


def sweep() -> None:
    """Wake a worker for listings that nobody does."""
    for server in McpServer.objects.filter(_OPEN & _free()).values_list("pk", flat=True)[:10]:
        wake_ups.wake_background("mcp_listing", server)


def work(server_id: int) -> None:
    """List its tools, if nobody does."""
    if draining.is_asked():
        return
    free = McpServer.objects.filter(_OPEN & _free(), pk=server_id)
    if not free.update(lease_fence=F("lease_fence") + 1, lease_until=Now() + _LEASE):
        return
    server = McpServer.objects.select_related("asked_by").get(pk=server_id)
    if server.lease_fence > BEGUN_MAX:
        _end(server, said=f"{BEGUN_MAX} workers died while its tools were listed")
        return
    try:
        causes.check(server)
        listed = _list(server)
    except (Forged, NotListed, SandboxError, OSError, ValueError) as error:
        logger.warning("The MCP server %s could not be listed", server, exc_info=True)
        _end(server, said=str(error))
        return
    with transaction.atomic():
        # Held until its tools are stored: who comes late, or for a server that was removed meanwhile, changes nothing.
        held = McpServer.objects.select_for_update(of=("self",)).select_related("asked_by")
        ours = held.filter(_OPEN, pk=server.pk, lease_fence=server.lease_fence, asked_at=server.asked_at).first()
        if ours is None:
            return
        if ours.asked_by is None:
            _end(ours, said="the account that asked for it no longer exists")
            return
        _end(ours, tools=servers.take(ours, listed, by=ours.asked_by))


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


def _end(server: McpServer, *, said: str = "", tools: list[dict[str, str]] | None = None) -> None:
    ours = McpServer.objects.filter(_OPEN, pk=server.pk, lease_fence=server.lease_fence)
    known = {} if tools is None else {"tools": tools}
    ours.update(said=logs.storable(said)[:500], lease_until=None, ended_at=Now(), **known)


def _free() -> Q:
    return Q(lease_until=None) | Q(lease_until__lte=Now())
