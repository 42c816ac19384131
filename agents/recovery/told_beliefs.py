"""What people tell an agent about a goal: adding, denying and taking back beliefs; and those whose time is over.

Each change is one transaction with the agent's reaction to it. The older way to deny what a plan in review stands on is
`contradicting.py`; here nothing needs a plan.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from agents.bdi.beliefs import believing
from agents.bdi.beliefs.believing import Held
from agents.bdi.beliefs.denial import denial, says_the_same
from agents.bdi.intentions.cycle import Decision
from agents.bdi.intentions.reacting import Does
from agents.bdi.recovery.agint import ABOUT
from agents.models import Belief, Goal
from agents.record import logs, prepared
from agents.record.bounded_text import checked
from agents.record.errors import GoalRefused, NotPossibleNow
from agents.recovery import reconsideration
from agents.recovery.contradictions import check_rights
from agents.rules.entailment import entails
from agents.states import MoveRefused
from people import journal
from people.journal import Event
from people.models import User

logger = logging.getLogger(__name__)

SENTENCE_MAX = 500
# More than people say of one goal; perception takes no more from them either.
MOST_TOLD = 200
EXPIRED = "expired"
_RETRACTED_BY_MAX = 160
_SWEEP_AT_ONCE = 50
_MARK = f"""
    SELECT coalesce(max(id), 0), count(*) FILTER (WHERE retracted_by = ''),
           coalesce(sum(id) FILTER (WHERE retracted_by = ''), 0)::bigint
    FROM {Belief._meta.db_table} WHERE goal_id = %(goal)s AND source <> 'perception'
"""  # noqa: S608  # the name of our own table


def tell(
    goal: Goal, *, by: User, sentence: str, confidence: float = 1.0, expires_at: datetime | None = None
) -> tuple[Belief, Does]:
    """Have the agent hold a sentence true on the person's word, from now on or until `expires_at`.

    What it contradicts of what was perceived is denied with it; an earlier word that weighs less goes. Answers with the
    belief and what the agent does about it. Raises NotYours, NotPossibleNow, GoalRefused naming the field.
    """
    sentence = checked(sentence, field="sentence", most=SENTENCE_MAX, empty="Write one sentence that is true.")
    if not 0.0 < confidence <= 1.0:
        raise GoalRefused("confidence", "Confidence is a number above 0 and at most 1.")
    if expires_at is not None and expires_at <= timezone.now():
        raise GoalRefused("expires_at", "This time is in the past. Leave it empty for a belief without an end.")
    check_rights(by, goal)
    with transaction.atomic():
        goal = _locked(goal)
        rows = list(goal.beliefs.filter(retracted_by="").order_by("pk"))
        told = [row for row in rows if row.source != "perception"]
        if len(told) >= MOST_TOLD:
            raise NotPossibleNow(f"The agent holds {MOST_TOLD} sentences about this goal already. Retract some first.")
        new = Belief(
            goal=goal, sentence=sentence, source="person", confidence=confidence, by=by, at=timezone.now(),
            expires_at=expires_at, denies=_denied_by(sentence, rows),
        )  # fmt: skip
        revision = believing.revise([_held(row) for row in told], [_held(new, 0)], timezone.now().isoformat())
        refused = next((each for each in revision.given_up if each.id == 0), None)
        if refused is not None:
            raise NotPossibleNow(f"The agent cannot accept this: {refused.why}. Retract that first.")
        new.save()
        for each in revision.given_up:
            Belief.objects.filter(pk=each.id).update(retracted_by=f"outweighed by {by.username}"[:_RETRACTED_BY_MAX])
            said = f"retracts a belief: {each.why}"
            logs.say_decided(goal.pk, Decision.LET_GO_OF_BELIEF, "revise", said, beliefs=[each.id])
        until = f" until {expires_at:%Y-%m-%d %H:%M} UTC" if expires_at else ""
        what = f"{by.username} says: {sentence} (confidence {confidence:g}{until})"
        logs.say(goal.pk, "person", "revise", what, belief=new.pk, confidence=confidence)
        does = reconsideration.react(goal, by=by.username, what="somebody told the agent something")
        journal.record(
            Event.BELIEF, by=by, subject=f"goal:{goal.pk}", data={"what": "told", "goal": goal.pk, "sentence": sentence}
        )
    return new, does


def contradict(goal: Goal, *, by: User, belief_id: int, instead: str = "") -> tuple[Belief, Does]:
    """Deny a belief that is held: it goes, and its opposite, or `instead`, is held in its place. Raises as `tell`."""
    if instead:
        instead = checked(instead, field="instead", most=SENTENCE_MAX, empty="")
    check_rights(by, goal)
    with transaction.atomic():
        goal = _locked(goal)
        row = _held_row(goal, belief_id)
        if instead and says_the_same(instead, row.sentence):
            raise NotPossibleNow("The replacement says the same. Write what is true instead, or leave it empty.")
        opposite = instead or denial(row.sentence)
        same = goal.beliefs.filter(sentence=row.sentence, retracted_by="")
        same.update(retracted_by=f"denied by {by.username}"[:_RETRACTED_BY_MAX])
        new = Belief.objects.create(
            goal=goal, sentence=opposite, source="person", by=by, at=timezone.now(), denies=row.sentence
        )
        what = f"{by.username} says that this is wrong: {row.sentence} Instead: {opposite}"
        logs.say(goal.pk, "person", "revise", what, level="warning", belief=new.pk, denies=row.pk)
        does = reconsideration.react(goal, by=by.username, what="a belief was denied")
        data = {"what": "denied", "goal": goal.pk, "sentence": row.sentence, "instead": opposite}
        journal.record(Event.BELIEF, by=by, subject=f"goal:{goal.pk}", data=data)
    return new, does


def retract(goal: Goal, *, by: User, belief_id: int) -> Does:
    """Take back what somebody told the agent; what it denied may be perceived again. Raises as `tell`."""
    check_rights(by, goal)
    with transaction.atomic():
        goal = _locked(goal)
        row = _held_row(goal, belief_id)
        if row.source == "perception":
            raise NotPossibleNow("The agent perceived it and would perceive it again. Choose “This is wrong” instead.")
        Belief.objects.filter(pk=row.pk).update(retracted_by=f"retracted by {by.username}"[:_RETRACTED_BY_MAX])
        if row.denies:
            denied = goal.beliefs.filter(sentence=row.denies, retracted_by__startswith="denied by ")
            denied.exclude(source="perception").update(retracted_by="")
        logs.say(goal.pk, "person", "revise", f"{by.username} takes back: {row.sentence}", belief=row.pk)
        does = reconsideration.react(goal, by=by.username, what="a belief was retracted")
        data = {"what": "retracted", "goal": goal.pk, "sentence": row.sentence}
        journal.record(Event.BELIEF, by=by, subject=f"goal:{goal.pk}", data=data)
    return does


def expire() -> int:
    """Let go of beliefs whose time is over, and wake who stood on them; how many there were. For the sweeper."""
    over = Belief.objects.filter(expires_at__lte=Now(), retracted_by="")
    goal_ids = set(over.values_list("goal_id", flat=True)[:_SWEEP_AT_ONCE])
    count = 0
    for goal_id in sorted(goal_ids):
        try:
            with transaction.atomic():
                goal = Goal.objects.select_for_update(no_key=True).get(pk=goal_id)
                # The race this closes: two sweeps at once. Only the one that finds the row still held goes on.
                rows = list(over.filter(goal_id=goal_id))
                gone = [(row.pk, row.sentence) for row in rows]
                Belief.objects.filter(pk__in=[pk for pk, _ in gone], retracted_by="").update(retracted_by=EXPIRED)
                count += len(gone)
                if gone and not goal.has_ended:
                    said = f"it expired: {gone[0][1]}" + (f" and {len(gone) - 1} more" if len(gone) > 1 else "")
                    beliefs = [pk for pk, _ in gone]
                    logs.say_decided(goal_id, Decision.LET_GO_OF_BELIEF, "revise", said, beliefs=beliefs)
                    # A look at the machine and at failures is taken because planning failed: to plan again whenever it
                    # is old would fail alike, have another look taken, and never end.
                    if not (reconsideration.lacks_a_plan(goal) and all(row.about.startswith(ABOUT) for row in rows)):
                        reconsideration.react(goal, by=reconsideration.BY, what="a belief expired")
        except MoveRefused as error:
            logger.info("Goal %s moved while a belief of it expired: %s", goal_id, error)
    return count


def mark(goal_id: int) -> tuple[int, int, int]:
    """What tells whether anything was told or taken back since: the newest belief not perceived, and which stand, by
    how many there are and the sum of their numbers.
    """
    newest, standing, which = prepared.row(_MARK, {"goal": goal_id}) or (0, 0, 0)
    return newest, standing, which


def _locked(goal: Goal) -> Goal:
    goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
    if goal.has_ended:
        raise NotPossibleNow(f"Goal {goal.pk} has ended: {goal.state}. Submit it again, and tell the agent there.")
    return goal


def _held_row(goal: Goal, belief_id: int) -> Belief:
    row = goal.beliefs.filter(pk=belief_id, retracted_by="").first()
    if row is None:
        raise NotPossibleNow("The agent does not hold this belief any more.")
    return row


def _held(row: Belief, pk: int | None = None) -> Held:
    ends = row.expires_at.isoformat() if row.expires_at else ""
    return Held(row.pk if pk is None else pk, row.sentence, row.source, row.confidence, row.at.isoformat(), ends)


def _denied_by(sentence: str, rows: list[Belief]) -> str:
    """The perceived belief that the sentence contradicts: what a person says outweighs it from now on."""
    seen = (row.sentence for row in rows if row.source == "perception")
    return next((said for said in seen if entails(sentence, said).answer == "no"), "")
