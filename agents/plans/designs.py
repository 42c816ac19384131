"""A goal's written design: taken in with the goal, sent again after a reviewer asked for changes, believed at last."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from agents.bdi.planning import levels
from agents.bdi.plans.document import digest_of
from agents.models import Belief, Goal, LevelDocument
from agents.record import logs, wake_ups
from agents.record.bounded_text import checked
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.record.moves import move_goal, move_level
from agents.states import LEVEL_SETTLED, GoalState, LevelState
from people import sealing
from people.models import User

logger = logging.getLogger(__name__)

DESIGN_MAX = 20_000
SENT_BACK = "design_sent_back"
NOT_SEALED = "design_not_sealed"
AWAITS = "design_awaits_review"
_DESIGN = LevelDocument.Kind.DESIGN
# A goal that is planned now, or that has a plan, has its design behind it.
_TAKES_ANOTHER = (GoalState.BLOCKED, GoalState.PENDING, GoalState.AWAITING_REVIEW, GoalState.MANUAL)


def checked_design(text: str) -> str:
    """The design as it will be kept; GoalRefused when it cannot be taken. Empty for none."""
    if not text.strip():
        return ""
    text = checked(text, field="design", most=DESIGN_MAX, empty="Write the design.")
    if (count := len(levels.statements(text))) > levels.MOST_STATEMENTS:
        raise GoalRefused(
            "design", f"This has {count} lines that say something; {levels.MOST_STATEMENTS} is the most. Shorten it."
        )
    return text


def take(goal: Goal, text: str, *, by: User, is_reviewed: bool | None = None) -> LevelDocument:
    """Keep the first version with a goal that was just made. One that is not reviewed is believed at once.

    `is_reviewed` None: as the goal's agent is set.
    """
    if goal.agent.review_design if is_reviewed is None else is_reviewed:
        document = _add(goal, text, by, LevelState.AWAITING_REVIEW)
        logs.say(goal.pk, "review", "design", f"its design awaits review, digest {document.digest[:8]}")
        wake_ups.queue_changed()
        return document
    document = _add(goal, text, by, LevelState.UNREVIEWED)
    believe(goal, text, by=by)
    return document


def revise(goal: Goal, text: str, *, by: User) -> LevelDocument:
    """Put another version of the design in the place of the one that waits or was sent back.

    Raises GoalRefused for a text that cannot be taken, NotPossibleNow when no design of this goal is open any more.
    """
    text = checked_design(text)
    if not text:
        raise GoalRefused("design", "Write the design.")
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True, of=("self",)).select_related("agent").get(pk=goal.pk)
        newest = newest_of(goal)
        if newest is None or is_settled(newest) or goal.state not in _TAKES_ANOTHER:
            raise NotPossibleNow(f"Goal {goal.pk} has no design that could still be replaced. Nothing was changed.")
        if levels.read_design(bytes(newest.document)) == text:
            raise GoalRefused("design", "This is the same as the current version.")
        if newest.state == LevelState.AWAITING_REVIEW:
            move_level(newest, LevelState.SUPERSEDED, reason=f"{by.username} sent another version")
        document = _add(goal, text, by, LevelState.AWAITING_REVIEW)
        said = f"version {document.number} of its design awaits review, digest {document.digest[:8]}"
        logs.say(goal.pk, "review", "design", said)
        if goal.state == GoalState.MANUAL:
            move_goal(goal, GoalState.AWAITING_REVIEW, by=by.username, reason=AWAITS)
        wake_ups.queue_changed()
    return document


def newest_of(goal: Goal) -> LevelDocument | None:
    """The latest version of the goal's design; None when it came without one."""
    return goal.level_documents.filter(kind=_DESIGN).order_by("-number").first()


def in_the_way(goal: Goal) -> LevelDocument | None:
    """The design that keeps this goal from being planned; None when there is none, or when it was settled."""
    newest = newest_of(goal)
    return None if newest is None or is_settled(newest) else newest


def is_settled(document: LevelDocument) -> bool:
    """Whether it is decided, or needed no decision, by mindX's own word: a row alone does not say so."""
    return document.state in LEVEL_SETTLED and sealing.is_genuine(document)


def wait_for_it(goal: Goal, design: LevelDocument) -> None:
    """Let a goal that came to its planning wait for its design. The caller holds the goal's row."""
    if design.state == LevelState.AWAITING_REVIEW:
        move_goal(goal, GoalState.AWAITING_REVIEW, by="bdi_agent", reason=AWAITS)
        return
    reason = SENT_BACK
    if design.state in LEVEL_SETTLED:
        logger.error("A design whose decision mindX did not seal keeps its goal", extra={"level_document": design.pk})
        reason = NOT_SEALED
    move_goal(goal, GoalState.MANUAL, by="bdi_agent", reason=reason)


def believe(goal: Goal, text: str, *, by: User) -> None:
    """Hold every statement of the design true for whatever is planned for this goal from here on."""
    now = timezone.now()
    said: Sequence[str] = levels.statements(text)
    Belief.objects.bulk_create(
        Belief(goal=goal, sentence=sentence, source="person", by=by, at=now) for sentence in said
    )
    logs.say(goal.pk, "bdi_agent", "design", f"holds {len(said)} statements of its design as beliefs")


def _add(goal: Goal, text: str, by: User, state: LevelState) -> LevelDocument:
    last = goal.level_documents.filter(kind=_DESIGN).aggregate(last=Max("number"))["last"] or 0
    data = levels.write_design(goal.pk, text)
    made = LevelDocument.objects.create(
        goal=goal, kind=_DESIGN, number=last + 1, document=data, digest=digest_of(data), by=by, state=state.value
    )
    if state in LEVEL_SETTLED:
        sealing.seal(made)
    return made
