"""What an approval is refused for before it is made: a danger that was not on the page, files that have changed."""

from __future__ import annotations

from agents.models import IntentPlan
from agents.plans import footings
from agents.record.errors import StaleDigest
from review.entries import dangers
from review.errors import WordsRefused
from review.models import PlanRisk

# The field of the form in which a person says to approve although the dry run has not ended.
KNOWING = "knowing"


def check_seen(plan: IntentPlan, seen: int | None) -> None:
    """Raises StaleDigest when more danger is known than what was `seen`; None: only its digest was sent."""
    if seen is None:
        return
    risk = PlanRisk.objects.filter(pk=plan.pk).first()
    told = risk.told if risk is not None and risk.danger is not None else dangers.current(plan)
    if told.danger < seen:
        raise StaleDigest(f"More is known of this plan than when you opened it: {told.sentence}. Nothing was approved.")


def check_known(plan: IntentPlan, *, knowing: bool) -> None:
    """Raises WordsRefused while the dry run may still show something, unless the person knows that."""
    told = dangers.current(plan)
    if told.is_due and not knowing:
        raise WordsRefused(KNOWING, f"{told.sentence}. Nothing was approved yet. Wait for it, or approve all the same.")


def check_stands(plan: IntentPlan) -> None:
    """Raises StaleDigest when files have changed that the plan stands on: it is planned anew before it is decided."""
    if moved := footings.moved_under(plan):
        raise StaleDigest(f"{footings.in_words(moved)}. The plan is made anew. Nothing was approved.")
