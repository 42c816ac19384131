"""What a plan depends on and which beliefs hold for its goal, loaded for the pure core."""

from __future__ import annotations

from collections.abc import Collection

from django.utils import timezone

from agents.bdi.beliefs.denial import Correction, corrected
from agents.bdi.forecast.preconditions import preconditions
from agents.bdi.intentions import premises
from agents.bdi.intentions.commitment import Situation
from agents.bdi.intentions.premises import Ground, Loss, Standing
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import Belief, Goal, IntentPlan
from agents.states import GOAL_ENDED, GoalState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief as Believed
from agents.workspaces import base_files
from agents.workspaces.base_files import BaseUnreadable


def standing_of(plan: IntentPlan, document: Document, done: Collection[int] = ()) -> Standing:
    """Where the plan stands after the steps at these positions have succeeded."""
    evidence = plan.plan.evidence if isinstance(plan.plan.evidence, dict) else {}
    now = premises.begun(premises.grounds_of(evidence, [spec.rule for spec in document.intents]))
    for spec in document.intents:
        if spec.position in done:
            now = now.after(spec, tools_in_use())
    return now


def held(goal: Goal) -> list[Believed]:
    """What is stored as held true for the goal now, with what people denied taken in."""
    beliefs, corrections = [], []
    for row in goal.beliefs.filter(retracted_by="").order_by("pk"):
        if row.expires_at is not None and row.expires_at <= timezone.now():
            continue
        belief = believed(row)
        if row.denies:
            corrections.append(Correction(row.denies, belief))
        beliefs.append(belief)
    return corrected(beliefs, corrections) if corrections else beliefs


def believed(row: Belief) -> Believed:
    """A row as the pure core takes it."""
    return Believed(row.sentence, row.source, row.confidence, row.at.isoformat())


def losses_before_it_began(goal: Goal, plan: IntentPlan) -> tuple[Loss, ...]:
    """What a plan of which nothing has run stood on and is gone, by what is stored."""
    try:
        document = documents.read(bytes(plan.document))
    except ValueError:
        return ()
    standing = standing_of(plan, document)
    if not standing.grounds:
        # No rule says what such a plan depends on; its steps do.
        found = preconditions(document, tools_in_use(), _kinds(document))
        standing = premises.begun(tuple(Ground(one.context, "", one.position, (one.sentence,)) for one in found))
    return premises.losses(standing.expected(1), held(goal))


def _kinds(document: Document) -> dict[str, str]:
    try:
        return {entry.path: entry.kind for entry in base_files.entries_of(document.base)}
    except BaseUnreadable:
        return {}


def situation(goal: Goal, beliefs: list[Believed], lost: tuple[Loss, ...]) -> Situation:
    """What an agent reconsiders by: the losses, what people say of the goal itself, and what makes it impossible."""
    about = tuple(belief for belief in beliefs if belief.source == "person")
    return Situation(lost, about, impossible(goal), superseded(goal))


def impossible(goal: Goal) -> str:
    """Why the goal can no longer be achieved, without anybody's word; "" for nothing."""
    if goal.deadline is not None and goal.deadline <= timezone.now():
        return f"its deadline passed at {goal.deadline:%Y-%m-%d %H:%M:%S} UTC"
    return ""


def superseded(goal: Goal) -> str:
    """Why the goal is not needed any more whatever its agent holds on to; "" for nothing."""
    if goal.parent_id is None:
        return ""
    parent = Goal.objects.filter(pk=goal.parent_id, state__in=[state.value for state in GOAL_ENDED]).first()
    return "" if parent is None else f"goal {parent.pk}, which it is a part of, is {GoalState(parent.state)}"
