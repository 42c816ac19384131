"""The places of plans in the queue: written when a plan is proposed, moved when more is known of it."""

from __future__ import annotations

from django.db import transaction

from agents.bdi.plans import document as documents
from agents.models import IntentPlan
from agents.plans import shadowing
from agents.record import prepared, wake_ups
from agents.toolkit.registry import tools_in_use
from review.models import PlanNews, QueueEntry
from review.reading import shapes
from review.reading.danger import Danger
from review.reading.outcomes import UNTRIED, Trial
from review.risk.targets import target_of

_WRITTEN = tuple(field for field in QueueEntry._meta.concrete_fields if not field.generated)
# In one statement, because each plan is proposed while its goal's row is locked.
_ENTER = f"""
    WITH entry AS (
        INSERT INTO {QueueEntry._meta.db_table} ({", ".join(each.attname for each in _WRITTEN)})
        VALUES ({", ".join(f"%({each.attname})s" for each in _WRITTEN)})
        RETURNING intent_plan_id
    )
    INSERT INTO {PlanNews._meta.db_table} (intent_plan_id) SELECT intent_plan_id FROM entry RETURNING id
"""  # noqa: S608  # names of our own tables and columns


def enter(plan: IntentPlan) -> QueueEntry:
    """Give a plan its place, in the transaction that proposes it. A revision stays assigned to the same person."""
    entry = entry_of(plan)
    if plan.revision > 1:
        earlier = QueueEntry.objects.filter(intent_plan__goal_id=plan.goal_id).exclude(assigned_to=None)
        entry.assigned_to_id = earlier.order_by("-pk").values_list("assigned_to", flat=True).first()
    prepared.row(_ENTER, {each.attname: each.get_prep_value(getattr(entry, each.attname)) for each in _WRITTEN})
    entry._state.adding, entry._state.db = False, "default"
    return entry


def entry_of(plan: IntentPlan) -> QueueEntry:
    """The place of a plan for which only the document is known; it is not stored."""
    goal = plan.goal
    entry = QueueEntry(
        intent_plan=plan,
        waits=True,
        priority=goal.priority,
        queued_at=plan.queued_at,
        agent_id=goal.agent_id,
        workspace_id=plan.workspace_id,
        submitted_by_id=goal.submitted_by_id,
    )
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        return entry
    entry.danger = shapes.danger_at_first(document, tools_in_use(), plan.replaces)
    entry.shape = shapes.shape_of(document)
    entry.stood_at = document.base
    entry.does = shapes.does(document)
    entry.targets = [target_of(spec.tool, spec.command, spec.params) for spec in document.all_intents]
    return entry


def move(plan: IntentPlan, rank: int, danger: Danger, trial: Trial) -> None:
    """Move a plan to the place for its risk and dry run, and tell open queues if it moved."""
    place = {"rank": rank, "danger": danger.value, "outcome": trial.outcome.value, "trial": trial.key}
    if QueueEntry.objects.filter(pk=plan.pk).exclude(**place).update(**place):
        wake_ups.queue_changed()


def try_again(plan: IntentPlan) -> bool:
    """Have the plan tried in a copy again; until then it is in no batch. False if a run is already under way.

    The race it closes: in one transaction, so that the outcome of the new run cannot be forgotten with the old one.
    """
    with transaction.atomic():
        if shadowing.ask(plan) is None:
            return False
        QueueEntry.objects.filter(pk=plan.pk).update(outcome=UNTRIED.outcome.value, trial=UNTRIED.key)
    return True
