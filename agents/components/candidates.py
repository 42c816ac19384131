"""What became of the copy of a component that a goal worked on: a candidate of the library, or why there is none.

Nothing is used by it. People read the difference, and whoever may activates the candidate: a rule and firmware on their
pages, an agent's settings by a plan. The code of a tool that ships is never activated: a developer applies its
difference.

Where whoever submitted the goal may write no version, the text is kept, and somebody who may takes it in or does not.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents.actors import firmware, lifecycle
from agents.components import agent_versions, known_components, made_tools, rule_writing, tool_writing
from agents.mastermind import configs
from agents.mastermind.components import Component
from agents.mastermind.configs import ConfigRefused
from agents.models import EvolvedCopy, Goal
from agents.record import causes, logs
from agents.record.causes import Forged
from agents.record.errors import AgentsError, NotPossibleNow, NotYours
from agents.states import GoalState
from agents.toolkit.registry import tools_in_use
from agents.workspaces import base_files
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component as LibraryComponent
from library.models import ComponentVersion
from people import sealing
from people.models import User

_MOST_BYTES = 1 << 20
_MOST_WISH = 300
_REFUSED = (AgentsError, ConfigRefused, LibraryRefused)
# The files of a copy that differ from what is in use, with both texts.
Changed = Mapping[str, tuple[str, str]]


def begun(goal: Goal, component: Component, wish: str) -> None:
    """Remember whose copy the goal works on."""
    if component.kind in _WRITE:
        which = {"target_kind": component.kind, "target_name": component.name, "wish": wish}
        with transaction.atomic():
            copy, is_new = EvolvedCopy.objects.get_or_create(goal=goal, defaults=which)
            if is_new:
                sealing.seal(copy)


def offer(goal: Goal) -> None:
    """Once, after the goal has ended: make its copy a candidate where it differs and fits, or keep it for somebody who
    may. The log says which.
    """
    with transaction.atomic():
        # Whoever goes on after a worker that died here waits, and finds it settled.
        unsettled = EvolvedCopy.objects.select_for_update(of=("self",), no_key=True)
        copy = unsettled.filter(goal=goal, settled_at=None).first()
        if copy is None:
            return
        copy.settled_at = timezone.now()
        try:
            causes.check(goal, copy)
        except Forged as forged:
            copy.said = str(forged)
            copy.save(update_fields=["said", "settled_at"])
        else:
            # A refusal quotes what it refuses, whatever that holds.
            copy.said = logs.storable(_came_of(copy, goal))
            copy.save(update_fields=["version", "proposed", "said", "settled_at"])
            sealing.seal(copy)
        _say(copy)


def _say(copy: EvolvedCopy) -> None:
    version = str(copy.version) if copy.version is not None else None
    logs.say(copy.goal_id, "bdi_agent", "learn", copy.said, version=version)


def _came_of(copy: EvolvedCopy, goal: Goal) -> str:
    """Make it a candidate, or keep the text that it would be; what came of it, in words."""
    if goal.state != GoalState.ACHIEVED:
        return f"the copy of {copy.what} is not a candidate: the goal is {goal.state.replace('_', ' ')}"
    try:
        changed = _changed(copy, goal)
        if not changed:
            return f"the copy of {copy.what} is not a candidate: no file of it differs from what is in use"
        text = _text_of(copy.target_kind, copy.target_name, changed)
        _check(copy.target_kind, copy.target_name, text)
        if not library.may_write(goal.submitted_by):
            copy.proposed = text
            return (
                f"the copy of {copy.what} waits for a reviewer, an operator or a developer to take it into the library"
            )
        _written(copy, text, goal.submitted_by)
    except (*_REFUSED, UnicodeDecodeError) as refused:
        return f"the copy of {copy.what} is not a candidate: {refused}"
    return _is_candidate(copy)


def visible_to(user: User) -> QuerySet[EvolvedCopy]:
    """The copies that were kept for somebody who may write: to those who may, and to whoever submitted the goal."""
    kept = EvolvedCopy.objects.exclude(proposed="").select_related("goal__submitted_by", "version", "decided_by")
    return kept if library.may_write(user) else kept.filter(goal__submitted_by=user)


def waiting_for(user: User) -> QuerySet[EvolvedCopy]:
    """Those of them that nobody has decided yet, oldest first."""
    return visible_to(user).filter(decided_at=None).order_by("pk")


def take_in(copy: EvolvedCopy, *, by: User) -> EvolvedCopy:
    """Make the kept text a candidate of the library, written by this person: as with one of their own, nothing uses it.

    Raises NotYours, NotPossibleNow: somebody decided first, or it no longer fits what is in use.
    """
    with _deciding(copy, by) as held:
        try:
            # A savepoint: what is refused half-way leaves nothing, and the copy waits on.
            with transaction.atomic():
                _check(held.target_kind, held.target_name, held.proposed)
                _written(held, held.proposed, by)
        except _REFUSED as refused:
            raise NotPossibleNow(f"It is not taken in: {refused}") from refused
        held.said = f"{by.username} took it in: {_is_candidate(held)}"
    return held


def decline(copy: EvolvedCopy, *, by: User, why: str) -> EvolvedCopy:
    """Leave the kept text out of the library; it stays to be read. Raises NotYours, NotPossibleNow."""
    why = why.strip()[:_MOST_WISH]
    with _deciding(copy, by) as held:
        if not why:
            raise NotPossibleNow("Say why you decline it. Whoever asked for it can read this.")
        held.said = f"{by.username} does not take the copy of {held.what} into the library: {why}"
    return held


@contextmanager
def _deciding(copy: EvolvedCopy, by: User) -> Iterator[EvolvedCopy]:
    """The copy locked, and what was decided about it stored. The race it closes: two people who decide at once."""
    if not library.may_write(by):
        raise NotYours("A reviewer, an operator or a developer takes copies into the library.")
    with transaction.atomic():
        locked = EvolvedCopy.objects.select_for_update(of=("self",), no_key=True).select_related("goal__submitted_by")
        held = locked.get(pk=copy.pk)
        if not held.waits:
            raise NotPossibleNow("It was decided already.")
        causes.check(held)
        yield held
        held.decided_by, held.decided_at = by, timezone.now()
        held.save(update_fields=["version", "said", "decided_by", "decided_at"])
        sealing.seal(held)
        _say(held)


def _is_candidate(copy: EvolvedCopy) -> str:
    if copy.version is None:
        raise ValueError("no version was written")
    return f"the copy of {copy.what} is candidate {copy.version.version} of the library; nothing uses it yet"


def _changed(copy: EvolvedCopy, goal: Goal) -> Changed:
    """What differs between the component as it is in use now and the copy as the goal left it."""
    original = known_components.files_of(Component(copy.target_kind, copy.target_name))
    found = {}
    for path, before in original.items():
        after = base_files.content_of(goal.workspace.head, path, _MOST_BYTES)
        if after is not None and after != before:
            found[path] = (before.decode(), after.decode())
    return found


def _text_of(kind: str, name: str, changed: Changed) -> str:
    """The text that a version of it would have: a difference for a tool that ships, else the one file as it is now."""
    if kind == "tool" and made_tools.is_shipped(name):
        return "".join(_diff(path, *texts) for path, texts in sorted(changed.items()))
    ((_, text),) = changed.values()
    return text


def _check(kind: str, name: str, text: str) -> None:
    """Raise what `_REFUSED` holds for a text that could be no version, whoever writes it."""
    library.check_text(name, text)
    if kind == "tool" and not made_tools.is_shipped(name):
        if problems := tool_writing.check(text, instead_of=name).problems:
            raise tool_writing.ToolInvalid(problems)
    elif kind == "tool" and (forbidden := firmware.problems_of_text(_added(text))):
        raise NotPossibleNow(forbidden[0].says)
    if kind == "agent":
        configs.parse(text, tools=[tool.name for tool in tools_in_use().tools])
    elif kind == "rule" and (errors := rule_writing.check(text, instead_of=name).errors):
        raise rule_writing.RuleInvalid(errors)


def _added(diff: str) -> str:
    """The lines that a difference adds."""
    lines = diff.splitlines()
    return "\n".join(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++ "))


def _written(copy: EvolvedCopy, text: str, by: User) -> None:
    # A savepoint: what is refused half-way leaves nothing.
    with transaction.atomic():
        copy.version = _WRITE[copy.target_kind](copy, text, by)


def _why(copy: EvolvedCopy) -> str:
    of = f" of {copy.goal.submitted_by.username}" if copy.proposed else ""
    return f"goal {copy.goal_id}{of}: {copy.wish[:_MOST_WISH] or 'safe fixes'}"


def _agent(copy: EvolvedCopy, text: str, by: User) -> ComponentVersion:
    config = replace(configs.parse(text, tools=[tool.name for tool in tools_in_use().tools]), has_limits=True)
    agent = lifecycle.find(copy.target_name)
    return agent_versions.candidate(agent, config, by=by, changes=_why(copy), whole_limits=True)[0]


def _rule(copy: EvolvedCopy, text: str, by: User) -> ComponentVersion:
    of = LibraryComponent.objects.get(kind=LibraryComponent.Kind.RULE, name=copy.target_name)
    return rule_writing.save(text, by=by, of=of, changes=_why(copy))


def _firmware(copy: EvolvedCopy, text: str, by: User) -> ComponentVersion:
    return firmware.save(copy.target_name, text, by=by, changes=_why(copy))


def _tool(copy: EvolvedCopy, text: str, by: User) -> ComponentVersion:
    if not made_tools.is_shipped(copy.target_name):
        of = LibraryComponent.objects.get(kind=LibraryComponent.Kind.TOOL, name=copy.target_name)
        return tool_writing.save(text, by=by, of=of, changes=_why(copy))
    return library.publish(LibraryComponent.Kind.TOOL.value, copy.target_name, text, by=by, changes=_why(copy))


def _diff(path: str, before: str, after: str) -> str:
    """The difference as `git apply` takes it."""
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


_WRITE: Mapping[str, Callable[[EvolvedCopy, str, User], ComponentVersion]] = {
    "agent": _agent,
    "rule": _rule,
    "firmware": _firmware,
    "tool": _tool,
}
