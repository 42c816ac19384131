"""What code can check of a model's answer: that it can be read, that it is valid, and that firmware allows it.

An answer is checked as its asker checks it, as far as the recorded request says what that takes. Whether a text reads
well is no question for code: of prompts that ask for prose only little is checked, and their pages say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from agents.actors import prompt_versions
from agents.bdi.language_models import (
    candidate_writing,
    firmware_checks,
    model_answer,
    prompt_writing,
    tool_drafting,
)
from agents.bdi.language_models.firmware_checks import Check
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.document import Document
from agents.bdi.workflows import drafting
from agents.components import rule_writing, tool_writing, workflow_library
from agents.models import Goal
from agents.plans import proposals
from agents.rules import grammar, judging
from agents.rules.grammar import RuleSyntaxError
from agents.rules.judging import NoVerdicts
from agents.toolkit.registry import tools_in_use
from agents.toolkit.schemas import JsonError, loads_strict
from agents.toolkit.types import PlanDraft
from agents.understanding import parameters
from library.memory import model_summaries, questions
from library.models import ModelCall

PLAN = "plan"


@dataclass(frozen=True)
class Checked:
    """What an answer is worth. `wrong`: why it is of no use, as a clause; empty when it is.

    `means` is what two answers are compared by, whatever words and spaces stand around it. `document`: of a plan.
    """

    wrong: str
    means: Any
    document: Document | None = None


@dataclass(frozen=True)
class Asked:
    """A recorded request, the goal that it was made for, and the files that a plan of it is made on."""

    call: ModelCall
    goal: Goal | None
    base: str = ""

    @property
    def prompt(self) -> str:
        """The name of the prompt behind its instructions."""
        return str(self.call.asked_with["prompts"][0]["name"])


def can_check(asked: Asked) -> bool:
    """Whether an answer to it is of a form that code can check."""
    return asked.prompt in _READERS or bool(asked.call.asked_with.get("schema"))


def check(asked: Asked, text: str, forbidden: tuple[Check, ...] = ()) -> Checked:
    """Read an answer as its asker would; `forbidden` are the checks of the firmware that it was asked under."""
    found = _READERS.get(asked.prompt, _by_schema)(asked, text)
    if not found.wrong and (against := firmware_checks.in_text(forbidden, text)):
        return Checked(against[0].says, found.means, found.document)
    return found


def _plan(asked: Asked, text: str) -> Checked:
    goal = asked.goal
    if goal is None:
        return Checked("its goal was removed", text.strip())
    read = model_answer.read(text, tools_in_use(), goal=goal.text)
    if read.cannot:
        return Checked(f"no plan: {read.cannot}", "no plan")
    if read.problems:
        return Checked(f"its plan is not valid: {read.problems[0].message}", text.strip())
    steps, cleanup = (link(one, tools_in_use()) for one in (read.steps, read.cleanup))
    draft = parameters.corrected(goal, PlanDraft(steps, cleanup, "model", {}))
    means = [[one.tool, one.command, one.values(), dict(one.condition or {})] for one in (*steps, *cleanup)]
    if goal.agent.tools and (others := {one.tool for one in (*steps, *cleanup)} - set(goal.agent.tools)):
        return Checked(f"its plan is not valid: this agent may not use {min(others)}", means)
    document, problems = proposals.document_on(goal, asked.base, draft)
    if document is None or problems:
        return Checked(f"its plan is not valid: {problems[0].message}", means)
    return Checked("", means, document)


def _entailment(asked: Asked, text: str) -> Checked:
    premises = len(_material(asked.call).get("premises", ()))
    try:
        return Checked("", [str(one) for one in judging.read(text, premises)])
    except NoVerdicts as wrong:
        return Checked(str(wrong), text.strip())


def _rule(asked: Asked, text: str) -> Checked:
    written, wrong = _written(candidate_writing.read, text)
    if wrong:
        return Checked(wrong, written)
    try:
        rules = grammar.parse(written)
    except RuleSyntaxError as error:
        return Checked(str(error), written)
    # It may replace the rule of its name: that is what it was asked for.
    errors = rule_writing.check(written, instead_of=rules[0].name if rules else "").errors
    return Checked(errors[0].message if errors else "", written)


def _tool(asked: Asked, text: str) -> Checked:
    written, wrong = _written(tool_drafting.read, text)
    if wrong:
        return Checked(wrong, written)
    found = tool_writing.check(written)
    if found.made is not None:
        found = tool_writing.check(written, instead_of=found.made.tool.name)
    return Checked(found.problems[0] if found.problems else "", written)


def _workflow(asked: Asked, text: str) -> Checked:
    written, wrong = _written(drafting.read, text)
    if wrong:
        return Checked(wrong, written)
    name = workflow_library.name_of(written) or ""
    errors = workflow_library.check(written, instead_of=name).errors
    return Checked(str(errors[0]) if errors else "", written)


def _prompt(asked: Asked, text: str) -> Checked:
    written, wrong = _written(prompt_writing.read, text)
    if wrong:
        return Checked(wrong, written)
    problems = prompt_versions.problems(str(_material(asked.call).get("name", "")), written)
    return Checked(problems[0] if problems else "", written)


def _written(read: Callable[[str], tuple[str, str]], text: str) -> tuple[str, str]:
    """The text in an answer, and why there is none."""
    try:
        written, cannot = read(text)
    except ValueError as wrong:
        return text.strip(), str(wrong)
    return written.strip(), f"it writes none: {cannot}" if cannot else ""


def _memory(asked: Asked, text: str) -> Checked:
    is_cited = questions.is_cited(text, len(_material(asked.call).get("sources", ())))
    return Checked("" if is_cited else "it does not name its sources", " ".join(text.split()))


def _prose(asked: Asked, text: str) -> Checked:
    return Checked("" if text.strip() else "the answer is empty", " ".join(text.split()))


def _memory_summary(asked: Asked, text: str) -> Checked:
    wrong = model_summaries.why_not(text, str(_material(asked.call).get("result", "")))
    return Checked(wrong, " ".join(text.split()))


def _by_schema(asked: Asked, text: str) -> Checked:
    """An object that fits the schema which went along with the request."""
    schema = asked.call.asked_with.get("schema")
    if not schema:
        return _prose(asked, text)
    try:
        found = loads_strict(model_answer.object_in(text, frozenset(schema.get("properties", {}))))
    except JsonError as wrong:
        return Checked(f"it cannot be read: {wrong}", text.strip())
    fault = next(iter(Draft202012Validator(schema).iter_errors(found)), None)
    return Checked("" if fault is None else f"it does not fit its schema: {fault.message[:200]}", found)


def _material(call: ModelCall) -> Mapping[str, Any]:
    """What the request was about: the JSON of its last message; nothing where that is none."""
    try:
        found = json.loads(str(call.messages[-1]["content"]))
    except (ValueError, LookupError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


_READERS: Mapping[str, Callable[[Asked, str], Checked]] = {
    PLAN: _plan,
    "entailment": _entailment,
    "candidate": _rule,
    "tool": _tool,
    "workflow": _workflow,
    "prompt": _prompt,
    "memory": _memory,
    "summary": _prose,
    "memory-summary": _memory_summary,
}
