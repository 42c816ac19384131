"""What came of a plan that has run to its end: its document's checks, held against files and results.

This is done before the statement that ends the plan, which stores what it found: at no moment is a goal achieved whose
check failed. A plan without checks costs nothing here, and files are read only where a check asks for them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from agents.bdi.forecast import further_checks
from agents.bdi.outcome import file_syntax, outcome
from agents.bdi.outcome.outcome import Check, CheckKind, Facts, Outcome, OutcomeVerdict
from agents.bdi.plans.branches import has_branches
from agents.bdi.plans.document import Document
from agents.models import Attempt, IntentPlan
from agents.plans import report_filing, shadowing
from agents.states import IntentState
from agents.workspaces import base_files
from agents.workspaces.stores import store
from people import sealing
from sandbox.contract import SandboxError
from sandbox.jail.inside.survey import CACHES

logger = logging.getLogger(__name__)

NOT_CHECKED = OutcomeVerdict(Outcome.NOT_CHECKED)
_CACHES = frozenset(CACHES)
_ASK_FOR_CHANGES = frozenset({CheckKind.CHANGED, CheckKind.FILE_CHANGED, CheckKind.REPORTED})


def checks_of(plan: IntentPlan, document: Document) -> tuple[Check, ...]:
    """What is looked at when the plan has run: its document's checks, and what its dry run adds to them.

    A dry run that is not sealed adds nothing: a forged one would have the plan checked for what is there anyway.
    """
    return further_checks.with_made(document, lambda: _made(plan))


def _made(plan: IntentPlan) -> dict[str, list[str]] | None:
    run = shadowing.latest(plan)
    if run is None or not sealing.is_genuine(run):
        return None
    return shadowing.changed_paths(run)


class Observed:
    """What one claim sees of a plan's steps: where they began, and the results that checks ask for."""

    def __init__(self, plan: IntentPlan, document: Document) -> None:
        self._plan, self._checks = plan, checks_of(plan, document)
        self._asked = {step for check in self._checks for step in check.steps}
        self._results: dict[int, Mapping[str, Any]] = {}
        # In branches a plan goes back to earlier steps: any of the others may have run in an earlier claim.
        self._first = len(document.intents) + 1 if has_branches(document.intents) else plan.position
        self._began = ""

    def begun(self, position: int, head: str) -> None:
        """A main step begins on these files."""
        if position == 1:
            self._began = head

    def ended(self, position: int, result: Mapping[str, Any] | None) -> None:
        """A main step succeeded with this result; None: it was skipped."""
        if position in self._asked and result is not None:
            self._results[position] = result

    def verdict(self, head: str) -> OutcomeVerdict:
        """What came of the plan, whose files are now those of the snapshot `head`."""
        if not self._checks:
            return NOT_CHECKED
        try:
            return outcome.evaluate(self._checks, self._facts(head))
        except Exception:  # the steps have run: what cannot be checked must not keep the plan from its end
            logger.exception("A plan could not be checked", extra={"intent_plan": self._plan.pk})
            return NOT_CHECKED

    def _facts(self, head: str) -> Facts:
        began = self._where_it_began() if any(one.kind in _ASK_FOR_CHANGES for one in self._checks) else ""
        return facts_between(began, head, self._all_results())

    def _where_it_began(self) -> str:
        if self._began:
            return self._began
        first = Attempt.objects.filter(intent__intent_plan=self._plan, intent__position=1).order_by("number")
        return first.values_list("snapshot_before", flat=True).first() or ""

    def _all_results(self) -> Mapping[int, Mapping[str, Any]]:
        """With those of steps that an earlier claim ran, or a person did."""
        earlier = {step for step in self._asked if step < self._first and step not in self._results}
        if earlier:
            report_filing.file(self._plan.pk, self._plan.goal_id)
            done = self._plan.intents.filter(position__in=earlier, state=IntentState.SUCCEEDED.value)
            self._results |= {at: result or {} for at, result in done.values_list("position", "result")}
        return self._results


def facts_between(began: str, head: str, results: Mapping[int, Mapping[str, Any]]) -> Facts:
    """What checks are held against, when steps with these results led from one snapshot to the other.

    `began` is empty where nobody knows or asks.
    """
    before, after = cache(lambda: _files(began) if began else None), cache(lambda: _files(head))
    return Facts(
        changed=began != head and _differ(before(), after()) if began else None,
        before=before,
        after=after,
        results=results,
        content=lambda path: base_files.content_of(head, path, file_syntax.MOST_BYTES),
    )


def _differ(before: Mapping[str, str] | None, after: Mapping[str, str] | None) -> bool | None:
    return None if before is None or after is None else before != after


def _files(snapshot: str) -> Mapping[str, str] | None:
    """What lies at each path, in a word that is another one for other content; None where it cannot be read.

    The caches that programs leave behind are left out: no goal asks for them.
    """
    try:
        entries: Sequence[Any] = store().entries(snapshot)
    except (KeyError, SandboxError, OSError):
        return None
    return {
        entry.path.decode("utf-8", "surrogateescape"): f"{entry.kind} {entry.mode} {entry.sha256} {entry.target!r}"
        for entry in entries
        if _CACHES.isdisjoint(entry.path.split(b"/"))
    }
