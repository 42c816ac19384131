"""Keeps the registry in step with mindX: its agents, its tools, and the parts that answer within a worker.

Postgres says what there is. One statement tells whether anything has changed since this process looked, so it is asked
before every search and with each sweep.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import suppress

from agents.bus import members, providers
from agents.bus.members import Kind, NameTaken, Offer, Registration
from agents.components import made_tools
from agents.models import DEFAULT_AGENT, Agent, BusCapability, BusMember
from agents.record import prepared
from agents.toolkit.command import Command, Tool
from agents.toolkit.registry import tools_in_use

logger = logging.getLogger(__name__)

# What every agent of mindX does: it plans what is asked in English, has it reviewed, and runs it.
ACHIEVE = "achieve_goal"
_TAKES_TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 10_000, "description": "the goal"}},
    "required": ["text"],
    "additionalProperties": False,
}
# What they say of themselves before there is a record: planning may fail, a command does what its schema says.
_AGENT_CLAIMS, _TOOL_CLAIMS = 0.8, 0.95
_STAMP = f"""
    SELECT coalesce((SELECT md5(string_agg(concat_ws(' ', id, name, firmware_domain, tools, retired_at), ';'
        ORDER BY id)) FROM {Agent._meta.db_table}), '')
    || (SELECT count(*) || ' ' || coalesce(max(changed_at)::text, '') FROM {BusMember._meta.db_table}
        WHERE kind <> 'foreign')
"""  # noqa: S608  # names of our own tables
_seen: tuple[str, object, object] | None = None


def refresh() -> None:
    """Register what is new, change what says something else, retire what is gone."""
    global _seen
    tools, stamp = prepared.together([(made_tools.STAMP, {}), (_STAMP, {})])
    made_tools.follow(str((tools or ("",))[0]))
    now = _seen_now(stamp)
    if now == _seen:
        return
    wanted = list(_wanted())
    known = {(row.kind, _key(row)): row for row in BusMember.objects.exclude(kind=Kind.FOREIGN).select_related("agent")}
    for who in wanted:
        row = known.pop((who.kind, _key_of(who)), None)
        _register(who) if row is None else _follow(row, who)
    for row in known.values():
        members.retire(row, why="it is no longer there")
    _seen = _look()


def forget() -> None:
    """Look at everything again. For tests."""
    global _seen
    _seen = None


def _look() -> tuple[str, object, object]:
    return _seen_now(prepared.row(_STAMP, {}))


def _seen_now(row: prepared.Row) -> tuple[str, object, object]:
    (stamp,) = row or ("",)
    return str(stamp), tools_in_use(), tuple(providers.connected().values())


def _wanted() -> Iterator[Registration]:
    # The first goal would make it otherwise, and until then nobody could be asked.
    Agent.objects.get_or_create(name=DEFAULT_AGENT)
    for agent in Agent.objects.filter(retired_at=None).order_by("pk"):
        yield of_agent(agent)
    for tool in tools_in_use().tools:
        yield of_tool(tool)
    for one in providers.connected().values():
        yield Registration(one.name, Kind.SYSTEM, one.description, tuple(one.offers))


def of_agent(agent: Agent) -> Registration:
    """An agent of mindX: it takes goals in English."""
    allowed = [tool for tool in tools_in_use().tools if not agent.tools or tool.name in agent.tools]
    does = "; ".join(tool.summary.rstrip(".") for tool in allowed)
    domain = f" It works on {agent.firmware_domain}." if agent.firmware_domain else ""
    description = f"The agent {agent.name} plans and achieves goals in plain English.{domain} Its tools: {does}."
    achieve = Offer(
        ACHIEVE,
        "Plan a goal in plain English, have the plan reviewed, and run it",
        takes=_TAKES_TEXT,
        confidence=_AGENT_CLAIMS,
        effect="workspace",
    )
    return Registration(agent.name, Kind.AGENT, description[:4_000], (achieve,), agent)


def of_tool(tool: Tool) -> Registration:
    """A tool: each of its commands is a capability, called as a goal of one step."""
    offers = tuple(_of_command(command) for command in tool.commands)[: members.MOST_CAPABILITIES]
    return Registration(tool.name, Kind.TOOL, tool.summary, offers)


def _of_command(command: Command) -> Offer:
    gives = {"type": "object", "properties": {key: {} for key in command.result_keys}}
    name = f"{command.tool}.{command.name}"
    return Offer(name, command.summary, command.schema, gives, _TOOL_CLAIMS, command.effect)


def _told(one: Offer | BusCapability) -> tuple[object, ...]:
    """Everything that a capability says of itself, as JSON holds it."""
    return one.description, json.dumps([one.takes, one.gives], sort_keys=True), one.confidence, one.effect


def _key(row: BusMember) -> str:
    return str(row.agent_id) if row.kind == Kind.AGENT else str(row.metadata.get("tool") or row.name)


def _key_of(who: Registration) -> str:
    return str(who.agent.pk) if who.agent is not None else who.name


def _register(who: Registration) -> None:
    """Register it, under a longer name where another kind of member has its own."""
    for name in (who.name, f"{who.name} ({who.kind})".replace("(", "").replace(")", "")):
        # The race: another process registers it at this moment. It is there then, and found with the next look.
        with suppress(NameTaken):
            members.register(Registration(name, who.kind, who.description, who.offers, who.agent, _metadata(who)))
            return
    logger.warning("The %s %s is not on the bus: its name is taken", who.kind, who.name)


def _metadata(who: Registration) -> dict[str, object]:
    return {"tool": who.name} if who.kind != Kind.AGENT else {}


def _follow(row: BusMember, who: Registration) -> None:
    said = {one.name: _told(one) for one in row.capabilities.filter(is_gone=False)}
    now = {one.name: _told(one) for one in who.offers}
    if row.status == members.RETIRED or row.description != who.description or said != now:
        members.change(row, Registration(row.name, who.kind, who.description, who.offers, who.agent, _metadata(who)))
