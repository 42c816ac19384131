"""What agents are set to, as versions of the library: what is in force, what is proposed, and every one before.

The agent's row is what its goals go by. The library says who wished which change, what it came from, and what there is
to go back to; a version becomes the agent's only by a step of an approved plan (agents.components.agent_steps).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from agents.components import known_components
from agents.mastermind import configs
from agents.mastermind.configs import Config
from agents.models import Agent
from agents.record.errors import GoalRefused, NotYours
from agents.toolkit.frameworks import OWN
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User

KIND = Component.Kind.AGENT.value
_Status = ComponentVersion.Status


def body_of(values: Mapping[str, Any]) -> str:
    """What an agent is set to as the text of a version: the same values are the same text."""
    return json.dumps(values, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def values_of(version: ComponentVersion) -> dict[str, Any]:
    """What a version sets its agent to. Those from before there were frameworks name none: mindX is meant.

    Raises GoalRefused for one that cannot be read.
    """
    try:
        found = json.loads(version.body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise GoalRefused("version", f"Version {version.version} of {version.component.name} cannot be read.")
    return {"framework": OWN, **found}


def says(version: ComponentVersion, body: str) -> bool:
    """Whether the version sets its agent to exactly this text; one that cannot be read does not."""
    try:
        return body_of(values_of(version)) == body
    except GoalRefused:
        return False


def set_now(agent: Agent) -> dict[str, Any]:
    """What the agent is set to."""
    return known_components.config_words(agent)


def find(agent: Agent, version: str) -> ComponentVersion:
    """A version of the agent. Raises GoalRefused naming those there are."""
    found = of(agent).get(version)
    if found is None:
        known = ", ".join(of(agent)) or "none"
        raise GoalRefused("version", f"{agent.name} has no version {version[:40]}. There are: {known}.")
    return found


def of(agent: Agent) -> dict[str, ComponentVersion]:
    """All versions of the agent by their number, the newest first."""
    rows = ComponentVersion.objects.filter(component__kind=KIND, component__name=agent.name)
    rows = rows.select_related("component", "parent", "created_by")
    return {row.version: row for row in rows.defer("content_embedding", "applicability_embedding").order_by("-pk")}


def in_force(agent: Agent, *, by: User) -> ComponentVersion:
    """The version that says what the agent is set to now.

    One is written where none says so: agents are older than their versions, and the administration sets them too.
    """
    now = body_of(set_now(agent))
    active = next((row for row in of(agent).values() if row.status == _Status.ACTIVE), None)
    if active is not None and says(active, now):
        return active
    said = "as it was set" if active is None else f"as it was set elsewhere after {active.version}"
    return _publish(agent, now, by, said, _Status.ACTIVE)


def first(agent: Agent, *, by: User, changes: str) -> ComponentVersion:
    """The version of an agent that was just made."""
    return _publish(agent, body_of(set_now(agent)), by, changes, _Status.ACTIVE)


def candidate(
    agent: Agent, config: Config, *, by: User, changes: str, whole_limits: bool = False
) -> tuple[ComponentVersion, ComponentVersion]:
    """The version that this config makes of what the agent is set to now, and the one in force.

    The same settings are the same version: one that was there before is proposed again. Raises GoalRefused where
    nothing would change, NotYours.
    """
    base = in_force(agent, by=by)
    body = body_of(configs.applied(values_of(base), config, whole_limits=whole_limits))
    if says(base, body):
        raise GoalRefused("config", f"Nothing would change: {agent.name} is set like this already.")
    known = next((row for row in of(agent).values() if says(row, body)), None)
    return known or _publish(agent, body, by, changes, _Status.CANDIDATE), base


def activate(version: ComponentVersion, *, by: User) -> None:
    """The version is what the agent is set to from now on; the one before is retired and stays to go back to."""
    try:
        library.activate(version, by)
    except LibraryRefused as refused:
        raise NotYours(str(refused)) from refused


def _publish(agent: Agent, body: str, by: User, changes: str, status: str) -> ComponentVersion:
    try:
        return library.publish(KIND, agent.name, body, by=by, changes=changes, status=status)
    except LibraryRefused as refused:
        raise NotYours(str(refused)) from refused
