"""The risk of plans as rows: worked out from real cases, stored when a plan is proposed and after its dry run."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from django.db import transaction

from agents.bdi.forecast.touched_paths import touched
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import Intent, IntentPlan, ShadowRun
from agents.plans import shadowing
from agents.record import logs, prepared
from agents.states import IntentState
from agents.toolkit.registry import tools_in_use
from agents.workspaces import base_files, environments
from agents.workspaces.base_files import BaseUnreadable
from library.models import ComponentVersion
from review.entries import dangers, places
from review.models import PlanRisk, QueueEntry
from review.reading import outcomes
from review.reading.outcomes import Changes
from review.risk import assessment
from review.risk.assessment import Counts, Tried

# Older cases say little about today's tools, and counting all of them would take longer and longer.
NEWEST_STEPS = 20_000
_COUNTED = f"""
    SELECT step.tool, step.command, entry.targets[step.position] AS target,
        COUNT(*) FILTER (WHERE step.state = %(failed)s), COUNT(*)
    FROM {Intent._meta.db_table} AS step
    JOIN {QueueEntry._meta.db_table} AS entry ON entry.intent_plan_id = step.intent_plan_id
    WHERE step.id > (SELECT COALESCE(MAX(id), 0) FROM {Intent._meta.db_table}) - %(newest)s
        AND step.state IN (%(failed)s, %(succeeded)s) AND step.reason <> %(cancelled)s AND entry.targets IS NOT NULL
    GROUP BY 1, 2, 3
"""  # noqa: S608  # names of our own tables


def counts() -> Counts:
    """How many of the newest steps failed and how many ended, by tool, command and what they acted on.

    Cancelled ones do not count.
    """
    values = {
        "failed": IntentState.FAILED.value,
        "succeeded": IntentState.SUCCEEDED.value,
        "cancelled": "cancelled",
        "newest": NEWEST_STEPS,
    }
    rows = prepared.rows(_COUNTED, values)
    return {(tool, command, target): (bad, ended) for tool, command, target, bad, ended in rows}


def assessed(
    document: Document, run: ShadowRun | None, rule: tuple[int, int] | None = None, found: Counts | None = None
) -> assessment.PlanRisk:
    """The risk of a document, with what this dry run proved. `found`: counts that were read already."""
    return _assessed(document, _tried(run, _changes(run)), rule, found)


def _assessed(
    document: Document, tried: Tried | None, rule: tuple[int, int] | None, found: Counts | None = None
) -> assessment.PlanRisk:
    known = counts() if found is None else found
    there = _there(document)
    main = assessment.assess(document, touched(document, tools_in_use()), known, tried, rule, there)
    others = [
        (position, number, _of_alternative(variant, position, known, tried, there))
        for position, number, variant in document.variants()
    ]
    return assessment.widened(main, others)


def _of_alternative(
    variant: Document, position: int, found: Counts, tried: Tried | None, there: frozenset[str] | None
) -> assessment.StepRisk:
    """The risk of an alternative. The dry run tried the step itself, so it proves nothing about this."""
    if tried is not None:
        tried = replace(tried, proofs={at: proof for at, proof in tried.proofs.items() if at != position})
    named = touched(variant, tools_in_use())
    return assessment.assess(variant, named, found, tried, there=there, after_failure=[position]).steps[position - 1]


def _there(document: Document) -> frozenset[str] | None:
    """The paths before the plan; None if they cannot be read. Only clean-up depends on them."""
    if not document.cleanup:
        return frozenset()
    try:
        return frozenset(entry.path for entry in base_files.entries_of(document.base))
    except BaseUnreadable:
        return None


def _changes(run: ShadowRun | None) -> Changes:
    return shadowing.changed_paths(run) if run is not None else None


def _tried(run: ShadowRun | None, changes: Changes) -> Tried | None:
    if run is None or changes is None:
        return None
    proofs = {each["position"]: each["proof"] for each in run.findings}
    # Nobody counts the two thousand files of pip.
    own = {kind: environments.own(environments.own(paths, run.base), run.after) for kind, paths in changes.items()}
    return Tried(proofs, own["deleted"], sum(map(len, own.values())))


def store(plan: IntentPlan, run: ShadowRun | None) -> PlanRisk | None:
    """Work out and store the risk, and where in the queue it and the run put the plan; None when the stored bytes are
    no plan.
    """
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        return None
    changes = _changes(run)
    tried = _tried(run, changes)
    trial = outcomes.trial_of(run.state, run.reason, run.findings, changes) if run is not None else outcomes.UNTRIED
    found = _assessed(document, tried, _rule_counts(plan))
    said = dangers.told(plan, document, run)
    with transaction.atomic():
        row, _ = PlanRisk.objects.update_or_create(
            intent_plan=plan,
            defaults=logs.storable_in(
                {
                    "level": found.level.value,
                    "rank": found.level.rank,
                    "reasons": list(found.reasons),
                    "steps": [asdict(step) for step in found.steps],
                    "rule": asdict(found.rule) if found.rule is not None else None,
                    "after_failure": _after_failure(found),
                    "trial": trial.to_json(),
                    "danger": dangers.as_json(said),
                }
            )
            | {"shadow_run": run if run is not None and run.state in dangers.ENDED else None},
        )
        places.move(plan, found.level.rank, said.danger, trial)
    return row


def _after_failure(found: assessment.PlanRisk) -> dict[str, Any] | None:
    if found.after_failure is None:
        return None
    return {"level": found.after_failure.value, "reasons": list(found.after_failure_reasons)}


def _rule_counts(plan: IntentPlan) -> tuple[int, int] | None:
    evidence = plan.plan.evidence if isinstance(plan.plan.evidence, dict) else {}
    version = (evidence.get("rule") or {}).get("component_version_id")
    if not version:
        return None
    row = ComponentVersion.objects.filter(pk=version).values_list("failures", "successes").first()
    return (row[0], row[0] + row[1]) if row else None
