"""Opening a state, changing it, and going on from there: the old one stays, and the edit names its person.

Other limits are no other state of the work, so they need no branch: the run goes on where it is, in the same files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.modular import combinations, document, limits
from agents.bdi.modular.document import StateRefused
from agents.bdi.modular.state import ACTOR, GENERATOR, PROMPTER, STEP_TYPES, Chosen, Limits, Node, State
from agents.models import ModularNode, ModularRun, ModularStep, ModularWant, Workspace
from agents.modular import runs, states, wanting
from agents.modular.rights import check_may_change
from agents.modular.states import Written
from agents.record import causes, leased, wake_ups
from agents.record.errors import NotPossibleNow
from agents.states import ModularRunState
from agents.workspaces import workspaces
from people import journal
from people.journal import Event
from people.models import User

S = ModularRunState
_ACHIEVED = "achieved"


@dataclass(frozen=True)
class Edit:
    """What is changed of the state at a node. None: that stays as it was.

    `content` and `arguments` are of the node's message, `option` is another of its options, from 0. `next_step` names
    what comes next, with its args where given. `limits` hold for the whole run from now on. `paused`: the branch waits
    for a person before its first step.
    """

    node: int
    content: str | None = None
    arguments: Mapping[str, Any] | None = None
    option: int | None = None
    settings: Mapping[str, Chosen] | None = None
    next_step: str | None = None
    next_args: Mapping[str, Any] | None = None
    limits: Limits | None = None
    paused: bool = False


def branch(run: ModularRun, edit: Edit, *, by: User) -> ModularStep:
    """Go on from a node of this run with what was changed, in a copy of the files as they were then.

    Raises NotYours, StateRefused, CombinationRefused, and NotPossibleNow while a step is under way.
    """
    check_may_change(by, run)
    now = timezone.now().isoformat()
    with transaction.atomic():
        row = ModularRun.objects.select_for_update(no_key=True).select_related("agent").get(pk=run.pk)
        if row.state == S.RUNNING:
            raise NotPossibleNow("A step is under way. Pause the run first, then edit it.")
        state, then = _opened(row, edit.node)
        _change(state, edit, by, now)
        if edit.settings is not None:
            models = models_of(row.agent)
            state.settings = combinations.checked(edit.settings, has_model=bool(models))
            runs.check_models(state.settings, models)
        _limit(state, edit.limits or state.limits)
        document.check(state)
        files = _copied(then, by)
        left = wanting.open_calls(row)
        wanting.leave(row)
        step = states.write(row, state, Written("edit", now, then.number, by=by), files)
        causes.change(row, at_step=step.number, workspace=files)
        also: dict[str, Any] = {"outcome": "", "stop_at": None, "lost_workers": 0}
        also["modules"] = runs.modules_in_words(state.settings)
        new = S.PAUSED if edit.paused else S.READY
        if row.state == new.value:
            ModularRun.objects.filter(pk=row.pk).update(reason="", **also)
        else:
            leased.to(row, new, **also)
        wake_ups.wake_background("modular", row.pk)
        before, after = _told(state.nodes[edit.node]), _told(state.nodes[state.at] if state.at is not None else None)
        _journal(row, by, f"edited node {edit.node} of", before, after)
    wanting.cancel(left, by=by)
    run.refresh_from_db()
    return step


def set_limits(run: ModularRun, wanted: Limits, *, by: User) -> ModularStep:
    """Give the run other limits. One that a limit has ended goes on from where it was before that.

    Raises NotYours, StateRefused for limits that are reached already, and NotPossibleNow while a step is under way and
    when an answer was submitted.
    """
    check_may_change(by, run)
    now = timezone.now().isoformat()
    with transaction.atomic():
        row = ModularRun.objects.select_for_update(no_key=True).select_related("workspace").get(pk=run.pk)
        if row.state == S.RUNNING:
            raise NotPossibleNow("A step is under way. Pause the run first, then change its limits.")
        latest, state = states.readable(row, states.nodes_of(row))
        if state.outcome == _ACHIEVED:
            raise NotPossibleNow("The run has submitted its answer. To go on, edit one of its nodes.")
        if state.outcome:
            latest, state = _before_the_limit(row, latest, state)
        _limit(state, wanted)
        step = states.write(row, state, Written("edit", now, latest.number, by=by), row.workspace)
        # What the next step has asked for already is wanted by the state with the new limits as well.
        for want in ModularWant.objects.select_for_update(no_key=True).filter(run=row.pk, step=row.at_step + 1):
            causes.change(want, step=step.number + 1)
        causes.change(row, at_step=step.number)
        also: dict[str, Any] = {"outcome": "", "lost_workers": 0}
        if row.state == S.ENDED.value:
            leased.to(row, S.READY, **also)
            wake_ups.wake_background("modular", row.pk)
        else:
            ModularRun.objects.filter(pk=row.pk).update(**also)
        _journal(row, by, "changed the limits of", {}, {"limits": asdict(wanted)})
    run.refresh_from_db()
    return step


def _journal(run: ModularRun, by: User, what: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    data = {"what": what, "of": run.by.username, **journal.difference(before, after)}
    journal.record(Event.RUN, by=by, subject=f"run:{run.pk}", data=data)


def _told(node: Node | None) -> dict[str, Any]:
    """What a node says and calls."""
    if node is None:
        return {}
    call = node.message.function_call
    return {"says": node.message.content, "calls": None if call is None else {call.name: dict(call.arguments)}}


def _limit(state: State, wanted: Limits) -> None:
    state.limits = wanted
    if reached := limits.reached(state) or limits.near(state):
        raise StateRefused(f"{reached} The run would end at once: give it a higher limit.")


def _before_the_limit(run: ModularRun, ended: ModularStep, present: State) -> tuple[ModularStep, State]:
    """The state that met the limit, without what was submitted by itself; what was used since stays used."""
    before = ModularStep.objects.filter(run=run.pk, number=ended.parent).first() if ended.parent is not None else None
    if before is None:
        raise NotPossibleNow("This state came with its end. To go on, edit one of its nodes.")
    state = document.of_rows(before.head, [])
    state.nodes, state.usage, state.steps = present.nodes, present.usage, present.steps
    return before, state


def step_of(run: ModularRun, node: int) -> ModularStep:
    """The step that added a node: its state is the one at this node."""
    added = ModularNode.objects.filter(run=run.pk, number=node).values_list("step", flat=True).first()
    if added is None:
        raise StateRefused(f"There is no node {node} in this run.")
    return ModularStep.objects.select_related("workspace").get(run=run.pk, number=added)


def _opened(run: ModularRun, node: int) -> tuple[State, ModularStep]:
    """The state as it was at the node, with the whole tree, and with what the run has used until now."""
    then = step_of(run, node)
    present = states.tree_of(run)
    nodes = present.nodes
    opened = document.of_rows(then.head, [])
    opened.nodes = nodes
    # Limits hold over all branches: what was used is used.
    opened.usage, opened.steps = present.usage, present.steps
    opened.limits = present.limits
    opened.at, opened.outcome, opened.reason = node, "", ""
    return opened, then


def _change(state: State, edit: Edit, by: User, now: str) -> None:
    node = state.nodes[edit.node]
    changed = _changed(node, edit)
    if changed is not None:
        state.add(
            changed.message,
            source=f"person:{by.username}",
            at=now,
            parent=node.parent,
            options=changed.options,
            chosen=changed.chosen,
            copy_of=node.id,
        )
        if node.parent is None:
            # A root has no parent to stand below: the copy is a root of its own.
            state.nodes[state.at] = replace(state.nodes[state.at], parent=None)  # type: ignore[index]
            state.task = changed.message.content
    kind = edit.next_step or _after(state)
    if kind not in STEP_TYPES:
        raise StateRefused(f"What comes next is one of {', '.join(STEP_TYPES)}.")
    state.go_on(kind, **dict(edit.next_args or {}))
    if kind in (GENERATOR,) and not edit.next_args:
        state.go_on(kind, messages=[one.id for one in state.path()])


def _changed(node: Node, edit: Edit) -> Node | None:
    if edit.option is not None:
        if not 0 <= edit.option < len(node.options):
            raise StateRefused(f"Node {node.id} has no option {edit.option + 1}.")
        return replace(node, message=node.options[edit.option].message, chosen=edit.option)
    message = node.message
    if edit.content is not None and edit.content != message.content:
        message = replace(message, content=edit.content)
    if edit.arguments is not None:
        if message.function_call is None:
            raise StateRefused(f"Node {node.id} calls nothing.")
        message = replace(message, function_call=replace(message.function_call, arguments=dict(edit.arguments)))
    return None if message == node.message else replace(node, message=message)


def _after(state: State) -> str:
    """What usually follows the present node: an answer of the agent is acted on, all else is answered."""
    assert state.at is not None  # noqa: S101  # a branch begins at a node
    return ACTOR if state.nodes[state.at].message.role == "assistant" else PROMPTER


def _copied(then: ModularStep, by: User) -> Workspace:
    """A new workspace of the run's files as they were when the node was there."""
    copy = workspaces.create_numbered(by=by, owner=then.run.by, name=f"{then.workspace.name[:60]}-branch")
    Workspace.objects.filter(pk=copy.pk).update(head=then.snapshot)
    copy.head = then.snapshot
    return copy
