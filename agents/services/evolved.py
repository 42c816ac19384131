"""What became of the copy of a component that a goal worked on: a candidate of the library, or why there is none.

Nothing is used by it. People read the difference, and whoever may activates the candidate: a rule and firmware on their
pages, an agent's settings by a plan. The code of a tool is never activated: a developer applies its difference.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from agents.errors import AgentsError
from agents.mastermind import configs
from agents.mastermind.components import Component
from agents.mastermind.configs import ConfigRefused
from agents.models import EvolvedCopy, Goal
from agents.services import agent_making, agent_versions, base_files, firmware, known_components, logs, rule_writing
from agents.states import GoalState
from agents.toolkit.registry import REGISTRY
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component as LibraryComponent
from library.models import ComponentVersion

_MOST_BYTES = 1 << 20
_MOST_WISH = 300
# The files of a copy that differ from what is in use, with both texts.
Changed = Mapping[str, tuple[str, str]]


def begun(goal: Goal, component: Component, wish: str) -> None:
    """Remember whose copy the goal works on."""
    if component.kind in _WRITE:
        which = {"target_kind": component.kind, "target_name": component.name, "wish": wish}
        EvolvedCopy.objects.get_or_create(goal=goal, defaults=which)


def offer(goal: Goal) -> None:
    """Once, after the goal has ended: make its copy a candidate where it differs and fits. The log says which."""
    with transaction.atomic():
        # Whoever goes on after a worker that died here waits, and finds it settled.
        unsettled = EvolvedCopy.objects.select_for_update(of=("self",), no_key=True)
        copy = unsettled.filter(goal=goal, settled_at=None).first()
        if copy is None:
            return
        version, said = _came_of(copy, goal)
        copy.version, copy.said, copy.settled_at = version, said, timezone.now()
        copy.save(update_fields=["version", "said", "settled_at"])
        logs.say(goal.pk, "bdi_agent", "learn", said, version=str(version) if version is not None else None)


def _came_of(copy: EvolvedCopy, goal: Goal) -> tuple[ComponentVersion | None, str]:
    what = f"{copy.target_kind} {copy.target_name}"
    if goal.state != GoalState.ACHIEVED:
        return None, f"the copy of {what} is no candidate: the goal is {goal.state.replace('_', ' ')}"
    try:
        changed = _changed(copy, goal)
        if not changed:
            return None, f"the copy of {what} is no candidate: no file of it differs from what is in use"
        # A savepoint: what is refused half-way leaves nothing.
        with transaction.atomic():
            version = _WRITE[copy.target_kind](copy, goal, changed)
    except (AgentsError, ConfigRefused, LibraryRefused, UnicodeDecodeError) as refused:
        return None, f"the copy of {what} is no candidate: {refused}"
    return version, f"the copy of {what} is candidate {version.version} of the library; nothing uses it yet"


def _changed(copy: EvolvedCopy, goal: Goal) -> Changed:
    """What differs between the component as it is in use now and the copy as the goal left it."""
    original = known_components.files_of(Component(copy.target_kind, copy.target_name))
    found = {}
    for path, before in original.items():
        after = base_files.content_of(goal.workspace.head, path, _MOST_BYTES)
        if after is not None and after != before:
            found[path] = (before.decode(), after.decode())
    return found


def _why(copy: EvolvedCopy) -> str:
    return f"goal {copy.goal_id}: {copy.wish[:_MOST_WISH] or 'safe fixes'}"


def _agent(copy: EvolvedCopy, goal: Goal, changed: Changed) -> ComponentVersion:
    ((_, text),) = changed.values()
    config = replace(configs.parse(text, tools=[tool.name for tool in REGISTRY.tools]), has_limits=True)
    agent = agent_making.find(copy.target_name)
    by = goal.submitted_by
    return agent_versions.candidate(agent, config, by=by, changes=_why(copy), whole_limits=True)[0]


def _rule(copy: EvolvedCopy, goal: Goal, changed: Changed) -> ComponentVersion:
    ((_, text),) = changed.values()
    of = LibraryComponent.objects.get(kind=LibraryComponent.Kind.RULE, name=copy.target_name)
    return rule_writing.save(text, by=goal.submitted_by, of=of, changes=_why(copy))


def _firmware(copy: EvolvedCopy, goal: Goal, changed: Changed) -> ComponentVersion:
    ((_, text),) = changed.values()
    return firmware.save(copy.target_name, text, by=goal.submitted_by, changes=_why(copy))


def _tool(copy: EvolvedCopy, goal: Goal, changed: Changed) -> ComponentVersion:
    body = "".join(_diff(path, *texts) for path, texts in sorted(changed.items()))
    kind = LibraryComponent.Kind.TOOL.value
    return library.publish(kind, copy.target_name, body, by=goal.submitted_by, changes=_why(copy))


def _diff(path: str, before: str, after: str) -> str:
    """The difference as `git apply` takes it."""
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


_WRITE: Mapping[str, Callable[[EvolvedCopy, Goal, Changed], ComponentVersion]] = {
    "agent": _agent,
    "rule": _rule,
    "firmware": _firmware,
    "tool": _tool,
}
