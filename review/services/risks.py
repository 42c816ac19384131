"""The risk of plans as rows: worked out from real cases, stored when a plan is proposed and after its shadow run."""

from __future__ import annotations

from dataclasses import asdict, replace

from django.db import transaction
from django.db.models import Count, Max, Q

from agents.bdi import document as documents
from agents.bdi.document import Document
from agents.bdi.touched import touched
from agents.models import Intent, IntentPlan, ShadowRun
from agents.services import base_files, shadowing
from agents.services.base_files import BaseUnreadable
from agents.states import IntentState, ShadowState
from agents.toolkit.registry import REGISTRY
from library.models import ComponentVersion
from review import risk
from review.models import PlanRisk
from review.reading import shapes
from review.risk import Counts, Tried
from review.services import queueing

# Older cases say little of today's tools, and counting all of them would take ever longer.
NEWEST_STEPS = 20_000
_OVER = (ShadowState.DONE.value, ShadowState.IMPOSSIBLE.value)


def counts() -> Counts:
    """How many of the newest steps failed and how many ended, by tool and command. Cancelled ones say nothing."""
    newest = Intent.objects.aggregate(last=Max("pk"))["last"] or 0
    failed = Count("pk", filter=Q(state=IntentState.FAILED.value))
    rows = (
        Intent.objects.filter(
            pk__gt=newest - NEWEST_STEPS, state__in=[IntentState.SUCCEEDED.value, IntentState.FAILED.value]
        )
        .exclude(reason="cancelled")
        .values_list("tool", "command")
        .annotate(failed=failed, ended=Count("pk"))
        .order_by()
    )
    return {(tool, command): (bad, ended) for tool, command, bad, ended in rows}


def assessed(
    document: Document, run: ShadowRun | None, rule: tuple[int, int] | None = None, found: Counts | None = None
) -> risk.PlanRisk:
    """The risk of a document, with what this shadow run proved. `found`: counts that were read already."""
    return _assessed(document, _tried(run), rule, found)


def _assessed(
    document: Document, tried: Tried | None, rule: tuple[int, int] | None, found: Counts | None = None
) -> risk.PlanRisk:
    known = counts() if found is None else found
    there = _there(document)
    main = risk.assess(document, touched(document, REGISTRY), known, tried, rule, there)
    others = [
        (position, number, _of_alternative(variant, position, known, tried, there))
        for position, number, variant in document.variants()
    ]
    return risk.widened(main, others)


def _of_alternative(
    variant: Document, position: int, found: Counts, tried: Tried | None, there: frozenset[str] | None
) -> risk.StepRisk:
    """The risk of an alternative in its step's place. The shadow run tried the step, so it proves nothing of this."""
    if tried is not None:
        tried = replace(tried, proofs={at: proof for at, proof in tried.proofs.items() if at != position})
    return risk.assess(variant, touched(variant, REGISTRY), found, tried, there=there).steps[position - 1]


def _there(document: Document) -> frozenset[str] | None:
    """The paths before the plan; None when they cannot be read. Only clean-up depends on them."""
    if not document.cleanup:
        return frozenset()
    try:
        return frozenset(entry.path for entry in base_files.entries_of(document.base))
    except BaseUnreadable:
        return None


def _tried(run: ShadowRun | None) -> Tried | None:
    if run is None or run.state != ShadowState.DONE:
        return None
    differs = shadowing.differing(run)
    if differs is None:
        return None
    gone, count = differs
    return Tried({each["position"]: each["proof"] for each in run.findings}, gone, count)


def store(plan: IntentPlan, run: ShadowRun | None) -> PlanRisk | None:
    """Work out and store the risk, and where in the queue it puts the plan; None when the stored bytes are no plan."""
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        return None
    tried = _tried(run)
    found = _assessed(document, tried, _rule_counts(plan))
    harm = shapes.harm_of(document, REGISTRY, plan.replaces, tried.deleted if tried else ())
    with transaction.atomic():
        row, _ = PlanRisk.objects.update_or_create(
            intent_plan=plan,
            defaults={
                "level": found.level.value,
                "rank": found.level.rank,
                "reasons": list(found.reasons),
                "steps": [asdict(step) for step in found.steps],
                "rule": asdict(found.rule) if found.rule is not None else None,
                "shadow_run": run if run is not None and run.state in _OVER else None,
            },
        )
        queueing.move(plan, found.level.rank, harm)
    return row


def _rule_counts(plan: IntentPlan) -> tuple[int, int] | None:
    evidence = plan.plan.evidence if isinstance(plan.plan.evidence, dict) else {}
    version = (evidence.get("rule") or {}).get("component_version_id")
    if not version:
        return None
    row = ComponentVersion.objects.filter(pk=version).values_list("failures", "successes").first()
    return (row[0], row[0] + row[1]) if row else None
