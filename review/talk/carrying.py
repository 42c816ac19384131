"""Carries comments to the newest revision: their place there, and whether it addressed them.

A hint starts it when a plan is proposed; the sweep finds plans whose hint was lost.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from django.db.models import F

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import IntentPlan
from agents.states import GOAL_ENDED
from review.models import Comment
from review.reading import anchors
from review.reading.anchors import Fate
from review.talk.moves import move_comment

_AT_ONCE = 50
_ENDED = [state.value for state in GOAL_ENDED]
# Not an anchor of any document: what the comment is about is gone.
GONE = "gone"


def sweep() -> None:
    """Carry the comments of goals with a newer revision than that of the comments."""
    behind = Comment.objects.filter(goal__intent_plans__revision__gt=F("revision_now"))
    goals = behind.exclude(goal__state__in=_ENDED).order_by().values_list("goal_id", flat=True).distinct()
    for goal_id in goals[:_AT_ONCE]:
        carry(goal_id)


def carry_to(plan_id: int) -> None:
    """Carry the comments of the goal whose plan was just proposed."""
    goal_id = IntentPlan.objects.filter(pk=plan_id).values_list("goal_id", flat=True).first()
    if goal_id is not None:
        carry(goal_id)


def carry(goal_id: int) -> None:
    """Follow each comment of the goal through the later revisions, and store its place."""
    behind = list(
        Comment.objects.filter(goal_id=goal_id, goal__intent_plans__revision__gt=F("revision_now")).distinct()
    )
    if not behind:
        return
    first = min(comment.revision_now for comment in behind)
    plans = list(IntentPlan.objects.filter(goal_id=goal_id, revision__gte=first).order_by("revision"))
    revisions = _readable(plans)
    # Finding corresponding steps takes time, and every comment needs the same few pairs.
    pairs = {after: anchors.aligned(revisions[before], revisions[after]) for before, after in _neighbours(revisions)}
    for comment in behind:
        _carry(comment, revisions, pairs, newest=plans[-1].revision)


def _carry(
    comment: Comment, revisions: Mapping[int, Document], pairs: Mapping[int, Mapping[int, int]], *, newest: int
) -> None:
    """The race it closes: its writer resolves it meanwhile. Then nothing is updated, and the sweep tries again."""
    anchor, state, settled_in = comment.anchor_now, comment.state, comment.settled_in
    for before, after in _neighbours(revisions):
        if before < comment.revision_now:
            continue
        found = anchors.carried(anchor, revisions[before], revisions[after], pairs[after])
        anchor = GONE if found.fate is Fate.GONE else found.anchor
        new = _state(comment, state, found.fate)
        if new != state:
            state, settled_in = new, after
    only = {"state": comment.state, "revision_now": comment.revision_now}
    now = {"anchor_now": anchor, "settled_in": settled_in, "revision_now": newest}
    if state == comment.state:
        Comment.objects.filter(pk=comment.pk, **only).update(**now)
    else:
        move_comment(comment, Comment.State(state), only=only, **now)


def _state(comment: Comment, state: str, fate: Fate) -> str:
    """Only open ones change state. A changed plan addresses a note, never a question."""
    if state != Comment.State.OPEN:
        return state
    if fate is Fate.GONE:
        return Comment.State.STALE
    if fate is Fate.CHANGED and not comment.is_question:
        return Comment.State.ADDRESSED
    return state


def _neighbours(revisions: Mapping[int, Document]) -> list[tuple[int, int]]:
    order = sorted(revisions)
    return list(itertools.pairwise(order))


def _readable(plans: Iterable[IntentPlan]) -> dict[int, Document]:
    """The documents by revision; one that is no longer valid is skipped."""
    found: dict[int, Document] = {}
    for plan in plans:
        try:
            found[plan.revision] = documents.read(bytes(plan.document))
        except ValueError:
            continue
    return found
