"""Adding, refreshing and removing MCP servers, and what their lists make of the tools in the library."""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from agents.components import made_tools, tool_writing
from agents.components.tool_writing import ToolInvalid
from agents.evolution.activation import tool_checks
from agents.evolution.replays import cases, replays
from agents.models import McpServer
from agents.record import causes, leased, logs, wake_ups
from agents.record.errors import NotPossibleNow, NotYours
from agents.states import AskedState
from agents.toolkit import made, web_address
from agents.toolkit.foreign import writing
from agents.toolkit.foreign.inside import digest_of
from agents.toolkit.foreign.writing import NotATool, Server
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people import journal, sealing
from people.journal import Event
from people.models import User
from people.roles import Role
from sandbox.gate.internet import is_on_the_internet

logger = logging.getLogger(__name__)

SOURCE_MOST = 20_000
COMMAND_MOST = 200
_NAME = re.compile(r"[a-z][a-z0-9]{1,19}\Z")
_MOST_NAME = 200
_Status = ComponentVersion.Status
_USABLE = (_Status.CANDIDATE, _Status.ACTIVE, _Status.CANARY)


class ServerRefused(NotPossibleNow):
    """The server cannot be added so; the message says what to change, `field` where."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def may_manage(user: object) -> bool:
    """Whether this person adds and removes servers. An agent is no `User`, so it never may."""
    return isinstance(user, User) and user.has_role(Role.DEVELOPER)


def known() -> QuerySet[McpServer]:
    """The servers that were not removed, by name."""
    return McpServer.objects.filter(removed_at=None).select_related("added_by").order_by("name")


def add(*, by: User, name: str, command: str = "", source: str = "", address: str = "") -> McpServer:
    """Add a server and have its tools listed. Raises NotYours, ServerRefused."""
    _check_rights(by)
    name, command, address = name.strip(), command.strip(), address.strip()
    source = source.replace("\r\n", "\n")
    _check(name, command, source, address)
    server = McpServer(name=name, command=command, source=source, address=address, added_by=by)
    try:
        with transaction.atomic():
            server.save()
            sealing.seal(server)
            _journal(server, by, "added the MCP server")
            refresh(server, by=by)
    except IntegrityError as error:
        raise ServerRefused(f"There is a server “{name}” already.", "name") from error
    return server


def refresh(server: McpServer, *, by: User) -> None:
    """Have its tools listed again. Raises NotYours, NotPossibleNow."""
    _check_rights(by)
    with transaction.atomic():
        held = _held(server)
        if held is None:
            raise NotPossibleNow("This server was removed.")
        causes.check(held)
        leased.to(held, AskedState.WAITING, asked_by=by, asked_at=Now(), lost_workers=0)
        sealing.seal(held)
    wake_ups.wake_background("mcp_listing", server.pk)


def remove(server: McpServer, *, by: User) -> None:
    """Stop all of its tools, and forget the server; what it did stays in the record. Raises NotYours."""
    _check_rights(by)
    with transaction.atomic():
        held = _held(server)
        if held is None:
            return
        McpServer.objects.filter(pk=held.pk).update(removed_at=Now())
        if held.state != AskedState.ENDED:
            # The race it closes: a listing that ends meanwhile writes nothing for a server that is gone.
            leased.to(held, AskedState.ENDED, reason="the server was removed")
        # Nobody can bring it back, sealed as it was.
        sealing.end(held)
        for version in active_of(server):
            library.stop(version, f"{by.username} removed the server")
        _journal(server, by, "removed the MCP server")


def _held(server: McpServer) -> McpServer | None:
    return McpServer.objects.select_for_update(no_key=True).filter(pk=server.pk, removed_at=None).first()


def spec_of(server: McpServer) -> Server:
    """The server as the pure part knows it."""
    return Server(server.name, server.command, server.source, server.address)


def components_of(server: McpServer) -> list[str]:
    """The names that its tools have in mindX."""
    return [one["component"] for one in server.tools if one["component"]]


def active_of(server: McpServer) -> QuerySet[ComponentVersion]:
    """The versions of its tools that are in use."""
    names = components_of(server)
    active = ComponentVersion.objects.filter(component__kind=made_tools.KIND, status=_Status.ACTIVE)
    return active.filter(component__name__in=names).select_related("component")


def take(server: McpServer, listed: Sequence[Mapping[str, Any]], *, by: User) -> list[dict[str, str]]:
    """Make candidates of what the server lists, stop what it lists otherwise or no longer; what it now has, by tool.

    Untrusted: the names and words are the server's.
    """
    before = {version.component.name: version for version in active_of(server)}
    rows: list[dict[str, str]] = []
    for tool in listed:
        said = logs.storable(str(tool["name"]))
        row = {"name": said[:_MOST_NAME], "component": "", "fault": ""}
        try:
            if len(said) > _MOST_NAME:
                raise NotATool(f"its name has more than {_MOST_NAME} characters")
            name = writing.name_of(server.name, said)
            if any(one["component"] == name for one in rows):
                raise NotATool("its name reads like that of another tool of this server")
            _one(server, name, tool, before.pop(name, None), by)
            row["component"] = name
        except (NotATool, ToolInvalid, LibraryRefused) as refused:
            row["fault"] = logs.storable(str(refused))[:500]
        rows.append(row)
    for version in before.values():
        library.stop(version, "the server does not list it any more")
    return rows


def _one(server: McpServer, name: str, tool: Mapping[str, Any], active: ComponentVersion | None, by: User) -> None:
    """A candidate of this tool, unless there is one; the version in use is stopped where it is another tool now."""
    component = Component.objects.filter(kind=made_tools.KIND, name=name).first()
    versions = list(component.versions.order_by("-pk")) if component is not None else []
    spec, digest = spec_of(server), digest_of(tool)
    if versions and not any(writing.digest_in(one.body) and writing.speaks_to(one.body, spec) for one in versions):
        raise NotATool(f"there is a tool “{name}” already, which is not of this server")

    def is_this(version: ComponentVersion) -> bool:
        return writing.digest_in(version.body) == digest and writing.speaks_to(version.body, spec)

    stopped = active is not None and not is_this(active)
    try:
        if not any(is_this(one) for one in versions if one is versions[0] or one.status in _USABLE):
            _propose(server, component, tool, by)
    finally:
        # Whatever becomes of the new one, the old one is not used for what nobody has reviewed.
        if active is not None and stopped:
            library.stop(active, "the server describes it otherwise now")


def _propose(server: McpServer, component: Component | None, tool: Mapping[str, Any], by: User) -> None:
    text = writing.text_of(spec_of(server), tool)
    why = f"listed by the MCP server {server.name}"
    with transaction.atomic():
        saved = tool_writing.save(text, by=by, of=component, changes=why, origin=library.SERVER, prefix=made.FOR_MCP)
        tool_checks.ask(saved, by=by)
        if saved.parent is not None and cases.has_any(saved.component):
            replays.ask(saved, by=by, why=why)


def _check_rights(by: User) -> None:
    if not may_manage(by):
        raise NotYours("A developer adds, refreshes and removes MCP servers.")


def _check(name: str, command: str, source: str, address: str) -> None:
    if not _NAME.match(name):
        raise ServerRefused("A name has 2 to 20 of a-z and 0-9, and begins with a letter.", "name")
    if bool(command) == bool(address):
        raise ServerRefused("Give a command or an address, and not both.", "command")
    if address:
        if source:
            raise ServerRefused("A program belongs to a command; an address has its own.", "source")
        _check_address(address)
        return
    if len(command) > COMMAND_MOST or not command.isprintable():
        raise ServerRefused(f"A command is one line of at most {COMMAND_MOST} characters.", "command")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ServerRefused(f"This is no command line: {error}.", "command") from error
    if bool(source) != ("{source}" in words):
        raise ServerRefused("The word {source} in the command stands for the program; give both or none.", "source")
    if len(source) > SOURCE_MOST or "\0" in source:
        raise ServerRefused(f"A program has at most {SOURCE_MOST:,} characters.", "source")


def _check_address(address: str) -> None:
    """What is internal is refused here where one can see it, and by the network gate at every connection for names."""
    if len(address) > COMMAND_MOST:
        raise ServerRefused(f"An address has at most {COMMAND_MOST} characters.", "address")
    try:
        host = web_address.read(address).host
    except ValueError as error:
        raise ServerRefused(f"{error}.", "address") from error
    if not settings.MCP_INTERNAL and _is_internal(host):
        raise ServerRefused(
            "This address is internal. An operator may allow those for MCP servers (MINDX_MCP_INTERNAL=1).", "address"
        )


def _is_internal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        # 0x7f.1 and 2130706433 are addresses to some readers and names to none.
        return host == "localhost" or "." not in host or not host.rpartition(".")[2][:1].isalpha()
    return not is_on_the_internet(host)


def _journal(server: McpServer, by: User, what: str) -> None:
    journal.record(Event.COMPONENT, by=by, subject=f"mcp_server:{server.pk}", data={"what": f"{what} “{server.name}”"})
