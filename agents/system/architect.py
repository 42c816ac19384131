"""ArchitectZero: requirements in words become a design of several components, reviewed before planning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from agents.bdi.designing import blueprint, choosing, drafting, needs, workflow_values
from agents.bdi.designing.blueprint import Blueprint
from agents.bdi.designing.choosing import Decided, Match, Thresholds
from agents.bdi.designing.needs import Need
from agents.bdi.designing.workflow_values import Chosen
from agents.components import workflow_library
from agents.evolution.candidates import asking
from agents.goals import goals
from agents.goals.component_goals import Terms
from agents.models import Goal
from agents.plans import designs
from agents.record.bounded_text import checked
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.toolkit.registry import tools_in_use
from library.components import search as library
from library.components.search import Filters
from library.language.asking import Answer
from library.models import Component
from library.prompts import in_use

REQUIREMENTS_MAX = 8_000
PROMPT = "design"
# Prompts and firmware are no parts of a solution.
_KINDS = (Component.Kind.RULE, Component.Kind.TOOL, Component.Kind.WORKFLOW, Component.Kind.AGENT)
_NEAREST = 20
USUAL = Thresholds()


@dataclass(frozen=True)
class Design:
    """A design that nobody has seen yet. `by`: the model that took the requirements apart, empty for the templates;
    `why_no_model`: why none did.
    """

    title: str
    text: str
    decided: tuple[tuple[Need, Decided], ...]
    thresholds: Thresholds
    by: str = ""
    why_no_model: str = ""

    @cached_property
    def blueprint(self) -> Blueprint:
        """As it will be read when it is carried out."""
        found = blueprint.read(self.text)
        if found is None:  # the text was written by `blueprint.write`
            raise ValueError("a design that was just written cannot be read")
        return found


def design(requirements: str, thresholds: Thresholds = USUAL, *, with_model: bool = True) -> Design:
    """Design a solution; nothing is stored. Never call this inside a transaction: a model may be asked.

    Without a model, or where its answers cannot be used, templates split the requirements. Raises GoalRefused.
    """
    requirements = _checked(requirements)
    if fault := thresholds.fault():
        raise GoalRefused("reuse_from", fault)
    found, by, why = _needs(requirements, with_model=with_model)
    if not found:
        raise GoalRefused("requirements", "Say what the solution should do, one thing in each line or sentence.")
    decided = tuple((need, _decide(need, thresholds)) for need in found)
    title = needs.title(requirements)
    text = blueprint.write(title, decided, thresholds, has_model=not asking.budget().why_not)
    return Design(title, text, decided, thresholds, by, why)


def shown(text: str) -> Design:
    """A design as somebody submits it, who may have changed its text. Raises GoalRefused with what is wrong with it."""
    try:
        found = blueprint.read(text)
    except ValueError as wrong:
        raise GoalRefused("design", f"The design cannot be carried out: {wrong}.") from wrong
    if found is None:
        raise GoalRefused("design", "A design begins with “Design of 2 components for: …”, and names each component.")
    return Design(found.title, text, (), Thresholds())


def submit(drawn: Design, terms: Terms, *, parent: Goal | None = None) -> Goal:
    """A goal with the design, which a reviewer decides on before anything is planned, whatever its agent is set to.

    Raises as `goals.submit`.
    """
    return goals.submit(
        by=terms.by,
        text=f"Build the solution: {drawn.title}",
        priority=terms.priority,
        workspace=terms.workspace,
        agent=terms.agent,
        submission_key=terms.key,
        design=designs.checked_design(drawn.text),
        parent=parent,
        design_first=True,
    )


def _checked(requirements: str) -> str:
    text = requirements.replace("\r\n", "\n")
    return checked(text, field="requirements", most=REQUIREMENTS_MAX, empty="Say what the solution should do.")


def _needs(requirements: str, *, with_model: bool) -> tuple[tuple[Need, ...], str, str]:
    """The needs, the model that found them, and why no model did."""
    if not asking.budget().models:
        return needs.of(requirements), "", asking.NO_MODEL
    if not with_model:
        return needs.of(requirements), "", "no model was wanted"
    try:
        writer = asking.writer()
        prompt = in_use.filled(PROMPT)

        def judged(answer: Answer) -> tuple[str, list[str]]:
            return asking.text_of(answer, drafting.read, within=[requirements])

        asked = drafting.messages(prompt.text, requirements, writer.chars)
        text, model = asking.written(writer, prompt, asked, drafting.SCHEMA, judged)
        return drafting.of_json(text), model, ""
    except NotPossibleNow as refused:
        return needs.of(requirements), "", str(refused)


def _decide(need: Need, thresholds: Thresholds) -> Decided:
    found = library.search(need.does, need.does, Filters(), limit=_NEAREST)
    matches = [
        Match(
            one.version.component.kind,
            one.version.component.name,
            one.version.version,
            one.scores.task,
            one.scores.content,
            one.scores.total,
        )
        for one in found.items
        if one.version.component.kind in _KINDS
    ]
    decided = choosing.decide(matches, thresholds, not_compared=found.by_words)
    if decided.choice == choosing.REUSE and decided.match is not None and decided.match.kind == workflow_library.KIND:
        return replace(decided, values=_values(need, decided.match))
    return decided


def _values(need: Need, match: Match) -> tuple[Chosen, ...]:
    """The values of the workflow's parameters, as the need says them."""
    component = Component.objects.filter(kind=workflow_library.KIND, name=match.name).first()
    version = workflow_library.version_of(component, match.version) if component is not None else None
    workflow = workflow_library.check(version.body, instead_of=match.name).workflow if version is not None else None
    if workflow is None:  # it was changed or retired meanwhile
        return ()
    return workflow_values.fill(need.does, workflow, tools_in_use(), workflow_library.known_workflows())
