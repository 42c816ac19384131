"""The two sides of a replay: what a version of a component makes of an earlier goal, one class for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, Protocol

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.reading import read
from agents.components import made_tools
from agents.components.rules import KIND as RULE
from agents.components.workflow_library import KIND as WORKFLOW
from agents.evolution.replays import copies, replanning, reprocessing
from agents.models import Attempt, IntentPlan, ReplayCase
from agents.rules.grammar import RuleSyntaxError
from agents.toolkit import registry
from agents.toolkit.made import MadeToolFault
from library.models import ComponentVersion

# Measured anew with each run; two that differ in nothing else did the same.
_MEASURED = ("peak_memory_bytes", "peak_processes", "duration_s")


class Unusable(ValueError):
    """A version whose text cannot be read any more; the message says why."""


class Contender(Protocol):
    """One version of a component."""

    version_id: int

    def document(self, case: ReplayCase) -> Document | str:
        """What it would have run for the case's goal; or why there is nothing to run, as a clause."""

    def in_use(self) -> AbstractContextManager[Any]:
        """A block in which the version is in use."""

    def traces(self, document: Document, results: Mapping[int, Any]) -> tuple[Any, ...]:
        """What two versions are compared by: equal where the change has changed nothing."""


def of(version: ComponentVersion) -> Contender:
    """The side that a version takes; it need not be stored. Raises Unusable."""
    try:
        return _BY_KIND[version.component.kind](version)
    except (RuleSyntaxError, MadeToolFault) as fault:
        raise Unusable(f"a version cannot be read: {fault}") from fault


class _OfRule:
    """A rule plans the goal anew, by what was believed then. Its steps are what differs."""

    def __init__(self, version: ComponentVersion) -> None:
        self.version_id = version.pk or 0
        self._rule = replanning.rule_of(version)

    def document(self, case: ReplayCase) -> Document | str:
        """What the rules in use plan with this one in its version's place."""
        if case.goal is None or case.plan is None:
            return "there is no plan any more"
        return replanning.planned_by(self._rule, case.goal, case.plan, case.base)

    def in_use(self) -> AbstractContextManager[Any]:
        """Nothing to do: the plan is made."""
        return nullcontext()

    def traces(self, document: Document, results: Mapping[int, Any]) -> tuple[Any, ...]:
        """What the steps do, not which rule's version wrote them."""
        return copies.steps_of(document)


class _OfTool:
    """A tool does the same steps as then, by its own code. What its steps answer is what differs."""

    def __init__(self, version: ComponentVersion) -> None:
        self.version_id = version.pk or 0
        self._tool = made_tools.read(version)

    def document(self, case: ReplayCase) -> Document | str:
        """The plan that ran then. Its steps name no version of the tool, so that either may do them."""
        plans = list(IntentPlan.objects.filter(plan=case.plan_id).order_by("-revision"))
        ran = [plan for plan in plans if Attempt.objects.filter(intent__intent_plan=plan).exists()]
        if not plans:
            return "there is no plan any more"
        return replace(documents.read(bytes((ran or plans)[0].document)), components=())

    def in_use(self) -> AbstractContextManager[Any]:
        """The version in place of the active one, for this thread."""
        return registry.with_tool(self._tool)

    def traces(self, document: Document, results: Mapping[int, Any]) -> tuple[Any, ...]:
        """The answers of its steps; of one that failed there is none, which the verdict tells."""
        ours = [spec.position for spec in document.intents if spec.tool == self._tool.name]
        return tuple(_kept(results.get(position)) for position in ours)


class _OfWorkflow:
    """A workflow is processed anew, with the parameters of then. Its steps are what differs."""

    def __init__(self, version: ComponentVersion) -> None:
        self.version_id = version.pk or 0
        self._tried = Known(version.component.name, version.version, version.body)
        if (reading := read(version.body)).workflow is None:
            raise Unusable(f"a version cannot be read: {reading.faults[0]}")

    def document(self, case: ReplayCase) -> Document | str:
        """The plan that it makes of them, with the tools and the other workflows in use."""
        if case.goal is None or case.plan is None:
            return "there is no plan any more"
        return reprocessing.processed_by(self._tried, case.goal, case.plan, case.base)

    def in_use(self) -> AbstractContextManager[Any]:
        """Nothing to do: the plan is made."""
        return nullcontext()

    def traces(self, document: Document, results: Mapping[int, Any]) -> tuple[Any, ...]:
        """What the steps do."""
        return copies.steps_of(document)


_BY_KIND: Mapping[str, Callable[[ComponentVersion], Contender]] = {
    RULE: _OfRule,
    made_tools.KIND: _OfTool,
    WORKFLOW: _OfWorkflow,
}


def _kept(answer: Any) -> Any:
    if not isinstance(answer, Mapping):
        return answer
    return {name: value for name, value in answer.items() if name not in _MEASURED}
