"""What a model is asked for a workflow, and how its answer is read. Pure.

The instructions come in as a text. The wish, the names of workflows, the present text and the cases go along as
material; what there is to use is said by the registry. How far a version may go from its parent is a strategy.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.bdi.language_models.candidate_writing import Case, text_or_reason
from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.reading import Workflow
from agents.bdi.workflows.reading import read as read_workflow
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.schemas import NEVER_REFERENCED

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"workflow": {"type": "string"}, "cannot": {"type": "string"}},
    "additionalProperties": False,
}

_MORE_STEPS = 3


def messages(
    instructions: str,
    wish: str,
    most_chars: int,
    registry: Registry,
    known: Mapping[str, Known],
    *,
    workflow: str = "",
    cases: Sequence[Case] = (),
) -> tuple[tuple[str, str], ...]:
    """Role and text of what is asked, of at most about `most_chars` characters: workflows are left out first, from the
    end, then cases, then commands. `workflow` is the text that is improved, `cases` the goals of its plans.
    """
    commands, workflows = [_command(one) for one in registry.commands], [_workflow(one) for one in known.values()]
    kept = [case.shortened for case in cases]
    while True:
        material: dict[str, Any] = {"wish": wish, "commands": commands, "workflows": workflows}
        if workflow:
            failed = [asdict(case) for case in kept if case.error]
            material |= {"workflow": workflow, "failed": failed, "worked": [one.goal for one in kept if not one.error]}
        text = json.dumps(material, ensure_ascii=False)
        shortened: list[Any] = workflows or kept or commands
        if len(instructions) + len(text) <= most_chars or not shortened:
            return ("system", f"{instructions}\n"), ("user", text)
        shortened.pop()


def read(answer: str) -> tuple[str, str]:
    """The text of the workflow, or why there is none; ValueError with what is wrong with the answer."""
    return text_or_reason(answer, "workflow")


def _command(command: Command) -> str:
    marked = (
        name + ("*" if name in command.required else "") + ("+" if _may_refer(name, described) else "")
        for name, described in command.properties.items()
    )
    given = f" -> {', '.join(command.result_keys)}" if command.result_keys else ""
    return f"{command.tool}.{command.name}({', '.join(marked)}){given}: {command.summary}"


def _may_refer(name: str, described: Mapping[str, Any]) -> bool:
    return described.get("x-reference") is True and name not in NEVER_REFERENCED


def _workflow(known: Known) -> str:
    workflow = read_workflow(known.body).workflow
    if workflow is None:
        return known.name
    params = ", ".join(name + ("*" if default is None else "") for name, default in workflow.params.items())
    return f"{known.name}({params}): {workflow.description}"


@dataclass(frozen=True)
class Strategy:
    """How far a version may go from its parent: what the model is told, and what is checked."""

    told: str
    problems: Callable[[Workflow, Workflow], Iterator[str]]


def _standard(parent: Workflow, new: Workflow) -> Iterator[str]:
    """Whoever processes or calls the workflow must go on to be able to."""
    if lost := set(parent.params) - set(new.params):
        yield f"This strategy keeps every parameter, and “{min(lost)}” is gone."
    if more := _required(new) - _required(parent):
        yield f"This strategy asks for no more, and “{min(more)}” must be given now."
    if len(_actions(new)) > len(_actions(parent)) + _MORE_STEPS:
        yield f"This strategy adds at most {_MORE_STEPS} steps."


def _conservative(parent: Workflow, new: Workflow) -> Iterator[str]:
    if dict(parent.params) != dict(new.params):
        yield "This strategy keeps the parameters and their defaults."
    if _actions(parent) != _actions(new):
        yield "This strategy keeps the steps: it changes inputs, conditions and retries only."


def _aggressive(parent: Workflow, new: Workflow) -> Iterator[str]:
    yield from ()


def _required(workflow: Workflow) -> set[str]:
    return {name for name, default in workflow.params.items() if default is None}


def _actions(workflow: Workflow) -> list[tuple[str, str, str]]:
    """What its steps are, in order, without what they are given."""
    return [(one.kind, one.item_type, one.name) for step in workflow.steps for one in step.within()]


STRATEGIES: Mapping[str, Strategy] = {
    "standard": Strategy(
        f"Keep all parameters; you may add optional ones, and at most {_MORE_STEPS} steps.", _standard
    ),
    "conservative": Strategy("Change only inputs, conditions and retries of the steps that there are.", _conservative),
    "aggressive": Strategy("Change whatever helps; keep the scenario_name.", _aggressive),
    "domain_adaptation": Strategy(
        f"Adapt it to the domain that the wish names. Keep all parameters, and add at most {_MORE_STEPS} steps.",
        _standard,
    ),
}
