"""One verdict on several similar plans: a decision for each, by the same service as for one.

Whatever prevents a person from deciding one plan does so here too (rights, four eyes, a second person, an earlier
decision, a policy), for that plan alone; the others are decided, and the refused ones named. A plan whose dry run
failed or is missing is never in a batch, whatever the page showed when it was opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.crypto import get_random_string

from agents.models import IntentPlan
from agents.plans import shadowing
from agents.record.errors import AgentsError
from agents.record.selectors import plans_visible_to
from agents.states import PlanState
from people.models import User
from review import words
from review.deciding import endangers, holding, shown
from review.deciding.ruling import APPROVE, REJECT, REQUEST_CHANGES, Ruling
from review.deciding.shown import Shown
from review.errors import DecisionRefused, ReviewError, WordsRefused
from review.models import HeldDecision, QueueEntry
from review.reading import outcomes, overlaps
from review.risk.assessment import Level

AT_ONCE = 100
_VERDICTS = (APPROVE, REJECT, REQUEST_CHANGES)


@dataclass(frozen=True)
class Refused:
    """A plan that was not decided, and why; `plan` is None if it is unknown which one was meant."""

    plan: IntentPlan | None
    reason: str


@dataclass(frozen=True)
class Batch:
    """The result for each. Plans approved as the `first_of_two` still wait for a second person."""

    verdict: str
    decided: tuple[IntentPlan, ...]
    refused: tuple[Refused, ...]
    first_of_two: tuple[IntentPlan, ...] = ()


def decide(sent: Sequence[str], verdict: str, reason: str, *, by: User) -> Batch:
    """Decide the plans whose seals (`review.deciding.shown`) were sent. Raises WordsRefused when a reason is missing.

    A plan is decided only in the bytes and at the risk at which this person was shown how it differs.
    """
    if verdict not in _VERDICTS:
        raise WordsRefused("verdict", "Choose to approve, to reject or to request changes.")
    if not sent:
        raise WordsRefused("member", "Select at least one plan. Nothing was decided.")
    if len(sent) > AT_ONCE:
        raise WordsRefused("member", f"At most {AT_ONCE} plans are decided at once. Nothing was decided.")
    said = words.taken(reason, "reason", required=verdict != APPROVE)
    decided: list[IntentPlan] = []
    first: list[IntentPlan] = []
    group, together = "", get_random_string(12)
    refused: list[Refused] = []
    opened = [_opened(text, by) for text in dict.fromkeys(sent)]
    for seen, plan in _in_order(opened) if verdict == APPROVE else opened:
        if seen is None or plan is None:
            refused.append(Refused(None, "You have not opened its differences, or too long ago. Open them again."))
            continue
        try:
            entry = _checked(seen, plan)
            group = group or entry.group
            if entry.group != group:
                raise DecisionRefused("It does not belong to this group: its steps or its dry run differ.")
            if verdict == APPROVE:
                endangers.check_stands(plan)
            comment, why = (said, "") if verdict == APPROVE else ("", said)
            holding.decide(
                plan, Ruling(verdict, seen.digest, why, comment=comment, batch=together, seen=seen.danger), by=by
            )
        except (AgentsError, ReviewError) as error:
            refused.append(Refused(plan, str(error)))
        else:
            (first if verdict == APPROVE and _is_first_of_two(plan, by) else decided).append(plan)
    return Batch(verdict, tuple(decided), tuple(refused), tuple(first))


def _is_first_of_two(plan: IntentPlan, by: User) -> bool:
    """Whether the approval that was just made or is held leaves the plan waiting for another person."""
    held = HeldDecision.objects.filter(intent_plan=plan, by=by, dropped="").first()
    if held is not None:
        return held.verdict == HeldDecision.FIRST
    plan.refresh_from_db(fields=["state"])
    return plan.state == PlanState.AWAITING_REVIEW


def _opened(text: str, by: User) -> tuple[Shown | None, IntentPlan | None]:
    seen = shown.read(text, by)
    return seen, plans_visible_to(by).filter(pk=seen.plan_id).first() if seen is not None else None


def _in_order(
    opened: Sequence[tuple[Shown | None, IntentPlan | None]],
) -> list[tuple[Shown | None, IntentPlan | None]]:
    """Those that others of them would disturb first, for they run as they are decided; else as they were sent."""
    order = overlaps.in_order(overlaps.works_of([plan for _, plan in opened if plan is not None]))
    place = {plan: at for at, plan in enumerate(order)}
    return sorted(opened, key=lambda one: place.get(one[1].pk, -1) if one[1] is not None else -1)


def _checked(seen: Shown, plan: IntentPlan) -> QueueEntry:
    """Its place in the queue. Refused if there is something new since it was shown; the decision checks the bytes."""
    run = shadowing.latest(plan)
    state, reason, findings = (run.state, run.reason, run.findings) if run is not None else (None, "", [])
    if alone := outcomes.why_alone(state, reason, findings):
        raise DecisionRefused(alone)
    if run is None or run.pk != seen.run_id:
        raise DecisionRefused("Its dry run was repeated after you opened it. Open it again.")
    entry = QueueEntry.objects.get(pk=plan.pk)
    if entry.rank < seen.rank:
        before = tuple(Level)[seen.rank]
        raise DecisionRefused(f"Its risk is {entry.level} now; it was {before} when you opened it. Open it again.")
    if entry.danger < seen.danger:
        raise DecisionRefused(f"It is more dangerous than when you opened it: {plan.risk.told.sentence}.")
    return entry
