"""`mcp-servers`: MCP servers that developers added: their tools, listing these again, removing a server."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.http import HttpResponse
from ninja import Body, Router, Schema
from ninja.responses import Status

from agents.foreign_tools import servers
from agents.foreign_tools.servers import ServerRefused
from agents.models import McpServer
from agents.pages.library import mcp_page
from agents.states import AskedState
from mindx_web.api.protocol.auth import ApiRequest, BearerToken
from mindx_web.api.protocol.paging import found_id
from mindx_web.api.protocol.problems import invalid, not_found
from mindx_web.api.protocol.shapes import Nothing, Strict
from people.scopes import Scope

router = Router(tags=["mcp-servers"])
_MAY_READ = BearerToken(Scope.LIBRARY_READ)
_MAY_WRITE = BearerToken(Scope.LIBRARY_WRITE)
_MOST = 200


class McpServerIn(Strict):
    """A command of the sandbox or an address. `source` is a program that `{source}` in the command stands for."""

    name: str
    command: str = ""
    source: str = ""
    address: str = ""


class McpToolOut(Schema):
    """A tool of the server and its state here: `candidate` awaits review, `active` is in use.

    `name` is text from the server: data, never markup. `fault` says why it cannot be a tool here.
    """

    name: str
    component: str | None
    candidate: str | None
    active: str | None
    fault: str


class McpServerOut(Schema):
    """A server. `state` is `listing`, `listed` or `failed`, which `said` explains."""

    id: str
    name: str
    command: str
    source: str
    address: str
    state: str
    said: str
    tools: list[McpToolOut]
    added_by: str | None
    added_at: datetime


class McpServerPage(Schema):
    """All servers, by name. `next` is null: one page has all."""

    items: list[McpServerOut]
    next: str | None = None


@router.get("", response=McpServerPage, auth=_MAY_READ, operation_id="list_mcp_servers")
def page(request: ApiRequest) -> McpServerPage:
    """The servers that were not removed."""
    return McpServerPage(items=[_out(server) for server in servers.known()[:_MOST]])


@router.post("", response={201: McpServerOut}, auth=_MAY_WRITE, operation_id="add_mcp_server")
def add(request: ApiRequest, response: HttpResponse, payload: McpServerIn) -> Status[McpServerOut]:
    """Add a server and have its tools listed (developers). Nothing uses them before a review."""
    try:
        made = servers.add(by=request.auth.user, **payload.model_dump())
    except ServerRefused as refused:
        raise invalid(refused.field, str(refused)) from refused
    response.headers["Location"] = f"/api/v1/mcp-servers/{made.pk}"
    return Status(201, _out(_found(str(made.pk))))


@router.get("/{server_id}", response=McpServerOut, auth=_MAY_READ, operation_id="read_mcp_server")
def read(request: ApiRequest, server_id: str) -> McpServerOut:
    """One server with its tools."""
    return _out(_found(server_id))


@router.post("/{server_id}/refresh", response={202: McpServerOut}, auth=_MAY_WRITE, operation_id="refresh_mcp_server")
def refresh(
    request: ApiRequest, server_id: str, payload: Annotated[Nothing | None, Body()] = None
) -> Status[McpServerOut]:
    """Have its tools listed again: a changed tool is stopped, and its new version awaits review."""
    servers.refresh(_found(server_id), by=request.auth.user)
    return Status(202, _out(_found(server_id)))


@router.post("/{server_id}/remove", response={204: None}, auth=_MAY_WRITE, operation_id="remove_mcp_server")
def remove(request: ApiRequest, server_id: str, payload: Annotated[Nothing | None, Body()] = None) -> Status[None]:
    """Retire all of its tools, and remove the server."""
    servers.remove(_found(server_id), by=request.auth.user)
    return Status(204, None)


def _found(server_id: str) -> McpServer:
    server = servers.known().filter(pk=found_id(server_id, not_found("MCP server"))).first()
    if server is None:
        raise not_found("MCP server")
    return server


def _out(server: McpServer) -> McpServerOut:
    state = "listing" if server.state != AskedState.ENDED else "failed" if server.reason else "listed"
    return McpServerOut(
        id=str(server.pk),
        name=server.name,
        command=server.command,
        source=server.source,
        address=server.address,
        state=state,
        said=server.reason,
        tools=[
            McpToolOut(
                name=one.name,
                component=one.component or None,
                candidate=str(one.newest.pk) if one.newest is not None and one.is_new else None,
                active=one.active.version if one.active is not None else None,
                fault=one.fault,
            )
            for one in mcp_page.tools_of(server)
        ],
        added_by=server.added_by.username if server.added_by is not None else None,
        added_at=server.added_at,
    )
