"""Opening any state, changing it and going on as a branch. The run it came from stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.modular import combinations, document
from agents.bdi.modular.document import StateRefused
from agents.bdi.modular.state import Chosen, Message, State
from agents.models import ModularRun, ModularStep, Workspace
from agents.modular import runs, states
from agents.record import wake_ups
from agents.record.errors import AgentsError
from agents.states import ModularState
from agents.workspaces import workspaces
from people.models import User


class EditRefused(AgentsError):
    """The state cannot be changed like this; nothing was changed."""


@dataclass(frozen=True)
class Edit:
    """What becomes different. `message`: of which node, and its new words. `option`: the number, from 0, of another
    option of a node that is taken in place of the chosen one. `next_step`: {module_type, args}. `settings`: by the
    type of module, {name, settings}.
    """

    message: tuple[int, str] | None = None
    option: tuple[int, int] | None = None
    next_step: Mapping[str, Any] | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def said(self) -> str:
        """It as a sentence."""
        parts = []
        if self.message:
            parts.append(f"the message of node {self.message[0]}")
        if self.option:
            parts.append(f"option {self.option[1] + 1} of node {self.option[0]}")
        if self.next_step is not None:
            parts.append("the next step")
        parts += [f"the {kind}" for kind in self.settings]
        return f"Changed: {', '.join(parts)}." if parts else "Continued as it was."


def branch(step: ModularStep, edit: Edit, *, by: User, pauses: bool = False) -> ModularRun:
    """A new run from the state after a step, on a copy of the files of then. Raises NotYours, EditRefused."""
    runs.check_may_change(by, step.run)
    state = states.after(step)
    known = len(state.nodes)
    now = timezone.now().isoformat()
    try:
        _edited(state, edit, by, now, has_model=bool(models_of(step.run.agent)))
    except (ValueError, KeyError) as wrong:
        raise EditRefused(str(wrong)) from wrong
    with transaction.atomic():
        place = workspaces.create_numbered(by=by, name=f"{step.run.workspace.name[:60]}-branch")
        # The files are those of the step: a snapshot is shared, and never changes.
        Workspace.objects.filter(pk=place.pk).update(head=step.snapshot)
        first = ModularState.PAUSED if pauses else ModularState.READY
        number = step.number + 1
        run = ModularRun.objects.create(
            task=step.run.task,
            by=by,
            agent=step.run.agent,
            workspace=place,
            root_id=step.run.family,
            base=step,
            edit=edit.said(),
            state=first.value,
            head=number,
        )
        kept = {"known": known, "module_type": "", "module": "edit", "now": now, "snapshot": step.snapshot, "by": by}
        states.store(run, number, state, **kept)  # type: ignore[arg-type]
        wake_ups.wake_modular(run.pk)
    return run


def _edited(state: State, edit: Edit, by: User, now: str, *, has_model: bool) -> None:
    # What has ended goes on with the next prompt.
    state.outcome, state.reason = "", ""
    if not state.next_step.module_type:
        state.go_on("prompter")
        state.submissions = state.submissions[: max(0, state.limits.submissions - 1)]
    if edit.message is not None:
        number, content = edit.message
        node = _node(state, number)
        _replace(state, number, replace(node.message, content=content), by, now)
    if edit.option is not None:
        number, chosen = edit.option
        options = _node(state, number).options
        if not 0 <= chosen < len(options):
            raise EditRefused(f"Node {number} has no option {chosen + 1}.")
        # What followed the other option does not follow this one.
        state.at = number
        _replace(state, number, options[chosen].message, by, now, chosen=chosen)
        state.go_on("actor")
    if edit.settings:
        given = {kind: Chosen(str(one["name"]), dict(one.get("settings", {}))) for kind, one in edit.settings.items()}
        state.settings = combinations.checked({**state.settings, **given}, has_model=has_model)
    whole = document.write(state)
    if edit.next_step is not None:
        whole["state"]["next_step"] = dict(edit.next_step)
    try:
        state.next_step = document.read(whole).next_step
    except StateRefused as refused:
        raise EditRefused(str(refused)) from refused


def _node(state: State, number: int) -> Any:
    if number not in {node.id for node in state.path()}:
        raise EditRefused(f"Node {number} is not on the present path.")
    return state.nodes[number]


def _replace(state: State, number: int, message: Message, by: User, now: str, chosen: int | None = None) -> None:
    """Put a changed copy of a node beside it, and copies of what follows it on the present path below that."""
    path = state.path()
    place = next(at for at, node in enumerate(path) if node.id == number)
    copies: dict[int, int] = {}
    state.at = path[place].parent
    for node in path[place:]:
        is_changed = node.id == number
        made = state.add(
            message if is_changed else node.message,
            source=f"person:{by.username}" if is_changed else node.source,
            at=now if is_changed else node.at,
            options=node.options,
            chosen=chosen if is_changed and chosen is not None else node.chosen,
            copy_of=node.id,
            metadata=node.metadata,
        )
        copies[node.id] = made.id
    args = state.next_step.args
    for name in ("messages", "node_ids"):
        if name in args:
            args[name] = [copies.get(one, one) if isinstance(one, int) else one for one in args[name]]  # type: ignore[literal-required]
