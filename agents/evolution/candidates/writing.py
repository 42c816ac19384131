"""Candidates that a language model writes: of a rule, a tool, a workflow or a prompt, from the probe half of its cases
only; and new tools and workflows.

They are checked, tried and replayed like a person's. Nothing here activates anything. Nothing here is called inside a
transaction, for a model is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db import transaction

from agents.actors import prompt_versions
from agents.bdi.language_models import candidate_writing, tool_drafting
from agents.bdi.language_models.candidate_writing import STRATEGIES, Case
from agents.bdi.workflows import drafting
from agents.components import made_tools, rule_writing, tool_writing, workflow_library
from agents.components.rules import KIND as RULE
from agents.evolution.activation import tool_checks
from agents.evolution.candidates import asking, prompt_candidates
from agents.evolution.candidates.asking import Wanted, Writer
from agents.evolution.replays import answer_cases, cases, gate, replays
from agents.evolution.replays.cases import Found
from agents.models import Attempt
from agents.record.errors import NotPossibleNow
from agents.record.selectors import may_see
from agents.rules import grammar
from agents.toolkit.registry import tools_in_use
from library.components import services as library
from library.errors import LibraryRefused
from library.language.asking import Answer
from library.models import Component, ComponentVersion
from library.prompts import in_use
from people.models import User
from people.roles import Role

MOST_WISH = 2_000
_MOST_CHANGES = 1_000


def write(component: Component, *, by: User, why: str, strategy: str) -> ComponentVersion:
    """Have a model write a candidate of a component, and have that replayed beside its parent.

    Raises LibraryRefused for people who may not write, and NotPossibleNow with the reason when there is no model or its
    answers cannot be used.
    """
    parent = improvable(component, by=by)
    writer = asking.writer()
    wanted = Wanted(parent, why, strategy)
    text, model = better(writer, wanted, parent.body, shown_to(by, parent))
    return save(text, wanted, by=by, changes=f"written by {model}, {strategy.replace('_', ' ')}: {why}")


def better(writer: Writer, wanted: Wanted, text: str, shown: Sequence[Any]) -> tuple[str, str]:
    """What a model makes of a text in the light of these cases, and the model that wrote it. Raises NotPossibleNow.

    The cases are those of `shown_to`, which differ from kind to kind.
    """
    return _BETTER[wanted.parent.component.kind](writer, wanted, text, list(shown))


def save(text: str, wanted: Wanted, *, by: User, changes: str) -> ComponentVersion:
    """Store what a model wrote as a candidate, and have it replayed beside its parent.

    A replay that asks models begins no program: an operator does, after reading what it may cost.
    """
    component = wanted.parent.component
    with transaction.atomic():
        saved = _SAVE[component.kind](text, by=by, of=component, changes=changes, origin=library.MODEL)
        if component.kind == made_tools.KIND:
            tool_checks.ask(saved, by=by)
        if not replays.asks_models(saved):
            replays.ask(saved, by=by, why=wanted.why, strategy=wanted.strategy)
    return saved


def improvable(component: Component, *, by: User) -> ComponentVersion:
    """The version in use, which a model may improve on for this person. Raises LibraryRefused, NotPossibleNow."""
    check_may_write(by)
    parent = component.versions.filter(status=ComponentVersion.Status.ACTIVE).first()
    if parent is None or not (replays.can_be(parent) or _is_prompt(parent)):
        said = "A model writes candidates of rules, workflows, prompts and tools that people made, which are in use."
        raise NotPossibleNow(said)
    return parent


def check_may_search(parent: ComponentVersion, by: User) -> None:
    """Raises LibraryRefused for who may not have many texts tried: those of a prompt are tried by asking models."""
    if _is_prompt(parent) and not by.has_role(Role.OPERATOR):
        said = "Only an operator can search for a better prompt: models are asked again, which counts against budgets."
        raise LibraryRefused(said)


def _is_prompt(version: ComponentVersion) -> bool:
    """Whether it is of a prompt that this mindX sends. Firmware is for people to write: it restrains the writer."""
    return version.component.kind == in_use.KIND and answer_cases.can_be(version)


def new(kind: str, wish: str, *, by: User) -> ComponentVersion:
    """Have a model write a tool or a workflow from a sentence. Raises as `write` does."""
    check_may_write(by)
    text, model = new_text(asking.writer(), kind, wish)
    return save_new(kind, text, by=by, changes=f"written by {model}: {wish}")


def new_text(writer: Writer, kind: str, wish: str, snippet: str = "") -> tuple[str, str]:
    """What a model writes from a sentence, and from code to start from if there is some; and the model.

    Raises NotPossibleNow.
    """
    return _new_tool(writer, wish, snippet) if kind == made_tools.KIND else _new_workflow(writer, wish)


def save_new(kind: str, text: str, *, by: User, changes: str) -> ComponentVersion:
    """Store what a model wrote as a candidate; the trials of a tool follow."""
    if kind == workflow_library.KIND:
        return workflow_library.save(text, by=by, changes=changes[:_MOST_CHANGES], origin=library.MODEL)
    with transaction.atomic():
        saved = tool_writing.save(text, by=by, changes=changes[:_MOST_CHANGES], origin=library.MODEL)
        tool_checks.ask(saved, by=by)
    return saved


def _new_tool(writer: Writer, wish: str, snippet: str) -> tuple[str, str]:
    prompt = in_use.filled("tool", strategy="")
    asked = tool_drafting.messages(prompt.text, wish[:MOST_WISH], writer.chars, snippet=snippet)

    def judged(answer: Answer) -> tuple[str, list[str]]:
        text, wrong = asking.text_of(answer, tool_drafting.read, within=[wish, snippet])
        return text, wrong or list(tool_writing.check(text).problems)

    return asking.written(writer, prompt, asked, tool_drafting.SCHEMA, judged)


def _new_workflow(writer: Writer, wish: str) -> tuple[str, str]:
    made_tools.refresh()
    known = workflow_library.known_workflows()
    prompt = in_use.filled("workflow", strategy="")
    asked = drafting.messages(prompt.text, wish[:MOST_WISH], writer.chars, tools_in_use(), known)

    def judged(answer: Answer) -> tuple[str, list[str]]:
        text, wrong = asking.text_of(answer, drafting.read, within=[wish])
        if wrong:
            return text, wrong
        name = workflow_library.name_of(text)
        taken = [f"There is a workflow “{name}” already; choose another scenario_name."] if name in known else []
        return text, taken or [str(fault) for fault in workflow_library.check(text).errors]

    return asking.written(writer, prompt, asked, drafting.SCHEMA, judged)


def shown_to(by: User, parent: ComponentVersion) -> list[Any]:
    """The cases that this person's writer may see, as `better` takes them."""
    return prompt_candidates.probe(parent, by).cases if _is_prompt(parent) else probe_cases(parent.component, by)


def probe_cases(component: Component, by: User) -> list[Case]:
    """The cases that a writer may see: of the probe half, and of goals that this person may see.

    A goal in the same words as a sealed one is left out, for it would show that one.
    """
    shown = probe_half(component, by)
    return [Case(one.goal.text, "" if one.succeeded else _error_of(one)) for one in shown]


def probe_half(component: Component, by: User) -> list[Found]:
    """The cases that `probe_cases` tells of."""
    found = cases.of(component)
    sealed = {one.goal.text for one in found if gate.is_sealed(component.name, one.goal.pk)}
    return [one for one in found if one.goal.text not in sealed and may_see(by, one.goal.submitted_by_id)]


def check_may_write(by: User) -> None:
    """Raises LibraryRefused for people whose roles do not let them write candidates."""
    if not library.may_write(by):
        raise LibraryRefused("Your roles do not let you write this. A reviewer, operator or developer can.")


def _error_of(found: Found) -> str:
    failed = Attempt.objects.filter(intent__intent_plan__plan=found.plan, outcome="failed").order_by("-pk")
    attempt = failed.select_related("intent").first()
    if attempt is None:
        return "the plan ended without reaching the goal"
    result = attempt.result or {}
    reason = str(result.get("reason") or attempt.reason)
    output = str(result.get("stderr") or "")[-200:]
    return f"{attempt.intent.tool}.{attempt.intent.command}: {attempt.failure_class}: {reason} {output}".strip()


def _rule(writer: Writer, wanted: Wanted, text: str, shown: list[Case]) -> tuple[str, str]:
    phrases = [command.phrases[0] for tool in tools_in_use().tools for command in tool.commands if command.phrases]
    prompt = in_use.filled("candidate", strategy=STRATEGIES[wanted.strategy].told)
    asked = candidate_writing.messages(prompt.text, text, wanted.why, shown, phrases, writer.chars)
    return asking.written(writer, prompt, asked, candidate_writing.SCHEMA, lambda answer: _judged_rule(answer, wanted))


def _judged_rule(answer: Answer, wanted: Wanted) -> tuple[str, list[str]]:
    parent = wanted.parent
    text, wrong = asking.text_of(answer, candidate_writing.read, within=[parent.body])
    if wrong:
        return text, wrong
    checked = rule_writing.check(text, instead_of=parent.component.name)
    problems = [problem.message for problem in checked.errors]
    if checked.rule is None or problems:
        return text, problems or ["This is no rule."]
    problems = _not_a_version(text, checked.rule.name, parent)
    (before,) = grammar.parse(parent.body)
    if checked.rule.priority != before.priority:
        # Which rule comes before all others is for people to say.
        problems.append(f"Keep the priority {before.priority}.")
    return text, [*problems, *STRATEGIES[wanted.strategy].problems(before, checked.rule)]


def _tool(writer: Writer, wanted: Wanted, text: str, shown: list[Case]) -> tuple[str, str]:
    prompt = in_use.filled("tool", strategy=tool_drafting.STRATEGIES[wanted.strategy].told)
    asked = tool_drafting.messages(prompt.text, wanted.why, writer.chars, tool=text, cases=shown)
    return asking.written(writer, prompt, asked, tool_drafting.SCHEMA, lambda answer: _judged_tool(answer, wanted))


def _judged_tool(answer: Answer, wanted: Wanted) -> tuple[str, list[str]]:
    parent = wanted.parent
    text, wrong = asking.text_of(answer, tool_drafting.read, within=[parent.body])
    if wrong:
        return text, wrong
    checked = tool_writing.check(text, instead_of=parent.component.name)
    if checked.made is None or checked.problems:
        return text, list(checked.problems)
    problems = _not_a_version(text, checked.made.tool.name, parent)
    strategies = tool_drafting.STRATEGIES[wanted.strategy]
    return text, [*problems, *strategies.problems(made_tools.read(parent), checked.made.tool)]


def _workflow(writer: Writer, wanted: Wanted, text: str, shown: list[Case]) -> tuple[str, str]:
    made_tools.refresh()
    known = workflow_library.known_workflows()
    known.pop(wanted.parent.component.name, None)
    prompt = in_use.filled("workflow", strategy=drafting.STRATEGIES[wanted.strategy].told)
    asked = drafting.messages(prompt.text, wanted.why, writer.chars, tools_in_use(), known, workflow=text, cases=shown)
    return asking.written(writer, prompt, asked, drafting.SCHEMA, lambda answer: _judged_workflow(answer, wanted))


def _judged_workflow(answer: Answer, wanted: Wanted) -> tuple[str, list[str]]:
    parent = wanted.parent
    text, wrong = asking.text_of(answer, drafting.read, within=[parent.body])
    if wrong:
        return text, wrong
    checked = workflow_library.check(text, instead_of=parent.component.name)
    if checked.workflow is None or checked.errors:
        return text, [str(fault) for fault in checked.errors]
    problems = _not_a_version(text, checked.workflow.name, parent)
    before = workflow_library.check(parent.body, instead_of=parent.component.name).workflow
    strategy = drafting.STRATEGIES[wanted.strategy]
    return text, [*problems, *(strategy.problems(before, checked.workflow) if before is not None else ())]


def _not_a_version(text: str, name: str, parent: ComponentVersion) -> list[str]:
    """Why a text is no further version of its parent, as sentences."""
    problems = []
    if name != parent.component.name:
        problems.append(f"Keep the name “{parent.component.name}”.")
    if text.replace("\r\n", "\n").strip() == parent.body.strip():
        problems.append("Nothing differs from the version in use.")
    return problems


def _save_prompt(text: str, *, by: User, of: Component, changes: str, origin: str) -> ComponentVersion:
    return prompt_versions.save(of, text, by=by, changes=changes, origin=origin)


_BETTER: Mapping[str, Callable[[Writer, Wanted, str, list[Any]], tuple[str, str]]] = {
    RULE: _rule,
    made_tools.KIND: _tool,
    workflow_library.KIND: _workflow,
    in_use.KIND: prompt_candidates.better,
}
_SAVE: Mapping[str, Callable[..., ComponentVersion]] = {
    RULE: rule_writing.save,
    made_tools.KIND: tool_writing.save,
    workflow_library.KIND: workflow_library.save,
    in_use.KIND: _save_prompt,
}
