"""The components that a command can be about, found when they are asked for, and what files they are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.text import slugify

from agents.actors import commitments, lifecycle
from agents.components import made_tools
from agents.mastermind import configs
from agents.mastermind.components import Component
from agents.models import Agent
from agents.toolkit.registry import tools_in_use
from library.components import selectors
from library.models import Component as LibraryComponent
from library.models import ComponentVersion

RULE, FIRMWARE = LibraryComponent.Kind.RULE.value, LibraryComponent.Kind.FIRMWARE.value
# Names beyond these are found by their own pages; a line is read in a moment.
MOST_OF_A_KIND = 2_000
_TOOLKIT = Path("agents/toolkit")


def known() -> list[Component]:
    """Tools, agents that are not retired, and what of the library is in use."""
    found = [Component("tool", tool.name, tool.label) for tool in tools_in_use().tools]
    agents = Agent.objects.filter(retired_at=None).order_by("name").values_list("name", flat=True)
    found += [Component("agent", name) for name in agents[:MOST_OF_A_KIND]]
    active = ComponentVersion.objects.filter(
        component__kind__in=(RULE, FIRMWARE), status=ComponentVersion.Status.ACTIVE
    ).order_by("component__kind", "component__name")
    named = active.values_list("component__kind", "component__name")[: 2 * MOST_OF_A_KIND]
    return found + [Component(kind, name) for kind, name in named]


def files_of(component: Component) -> Mapping[str, bytes]:
    """What a component is made of, by the path at which a copy of it is worked on; empty for a path or what is gone."""
    match component.kind:
        case "tool" if made_tools.is_shipped(component.name):
            return _code_of(component.name)
        case "tool":
            text = selectors.active_texts(component.kind, [component.name]).get(component.name)
            return {f"{component.name}/{component.name}.tool": text[1].encode()} if text else {}
        case "rule" | "firmware":
            ending = "rule" if component.kind == "rule" else "md"
            body = selectors.active_texts(component.kind, [component.name]).get(component.name)
            name = slugify(component.name) or component.kind
            return {f"{component.kind}s/{name}.{ending}": body[1].encode()} if body else {}
        case "agent":
            agent = Agent.objects.filter(name=component.name).first()
            return {f"agents/{slugify(component.name)}.json": _config_of(agent)} if agent else {}
    return {}


def _code_of(name: str) -> dict[str, bytes]:
    """The tool's own file, and the package beside it where it has one, in a folder that has the tool's name."""
    root = Path(settings.BASE_DIR) / _TOOLKIT
    places = [root / "tools" / f"{name}.py"]
    package = root / name
    if package.is_dir():
        places += sorted(package.rglob("*.py"))
    found = [place for place in places if place.is_file()]
    return {f"{name}/{place.relative_to(root).as_posix()}": place.read_bytes() for place in found}


def main_file(component: Component, files: Mapping[str, bytes]) -> str:
    """The file that stands for the component where one must be named."""
    own = f"{component.name}/tools/{component.name}.py"
    return own if own in files else min(files, default="")


def folder_of(component: Component, files: Mapping[str, bytes]) -> str:
    """What holds all of its files: a tool's folder, or the one file there is."""
    return component.name if component.kind == "tool" else min(files, default="")


def config_words(agent: Agent) -> dict[str, Any]:
    """What an agent is set to, as `agent_create` takes it."""
    return {
        "framework": agent.framework,
        "tools": agent.tools,
        "model": agent.model,
        "uses_model": agent.uses_model,
        "firmware_domain": agent.firmware_domain,
        "max_repair_attempts": agent.max_repair_attempts,
        "tokens_per_day": agent.tokens_per_day,
        "cost_per_day": configs.plain_number(agent.cost_per_day) if agent.cost_per_day is not None else None,
        "people_only": agent.people_only,
        "review_design": agent.review_design,
        "review_selection": agent.review_selection,
        "commitment": commitments.of(agent.pk).value,
        "limits": lifecycle.known_ceilings(agent),
    }


def _config_of(agent: Agent) -> bytes:
    return (json.dumps(config_words(agent), indent=2, sort_keys=True) + "\n").encode()
