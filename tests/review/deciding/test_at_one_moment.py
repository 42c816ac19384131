"""Two of all who can end a plan's waiting, at one moment: exactly one decision each time, and the other one is told."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from itertools import combinations_with_replacement, product

import pytest
from django.db import connections
from django.utils import timezone

from agents.goals import goals
from agents.models import Goal, IntentPlan, ShadowRun, Transition
from agents.record.errors import AgentsError
from agents.states import PlanState
from people import sealing
from people.models import User
from review.audit import decision_chain
from review.deciding import auto_approval, decisions, editing, holding
from review.deciding.ruling import Ruling
from review.errors import ReviewError
from review.models import Decision, HeldDecision, ReviewClock
from review.policy.verdict import Action
from review.queue import deadlines
from tests.deep import DEEP
from tests.review.plans import goal_of, proposed, step
from tests.review.some_policies import in_force

pytestmark = pytest.mark.django_db(transaction=True)
Act = Callable[[IntentPlan, User], object]
STEPS = [step("mkdir", path="a"), step("mkdir", path="b")]
_NOBODY = "nothing was left to do"


def _approve(plan: IntentPlan, by: User) -> None:
    decisions.approve(plan, by=by, digest=plan.digest)


def _approve_part(plan: IntentPlan, by: User) -> None:
    editing.approve_part(plan, by=by, digest=plan.digest, intents=[1], reason="only this")


def _reject(plan: IntentPlan, by: User) -> None:
    decisions.reject(plan, by=by, digest=plan.digest, reason="no")


def _send_back(plan: IntentPlan, by: User) -> None:
    decisions.request_changes(plan, by=by, digest=plan.digest, comment="otherwise")


def _edit(plan: IntentPlan, by: User) -> None:
    editing.edit(plan, by=by, digest=plan.digest, position=1, params={"path": "c"})


def _cancel(plan: IntentPlan, by: User) -> None:
    goals.cancel(Goal.objects.get(pk=plan.goal_id), by=by)


def _policy(plan: IntentPlan, by: User) -> str:
    auto_approval.look(plan.pk)
    made = Decision.objects.filter(intent_plan=plan, policy__isnull=False)
    return "" if made.exists() else _NOBODY


def _expire(plan: IntentPlan, by: User) -> str:
    return "" if deadlines.expire(ReviewClock.objects.get(intent_plan=plan)) else _NOBODY


def _settle(plan: IntentPlan, by: User) -> str:
    holding.settle_due()
    # What took effect is no longer held; what came too late stays, with the reason, until its person has read it.
    made = Decision.objects.filter(intent_plan=plan, by__username="jo", verdict="approve").exists()
    return "" if made and not HeldDecision.objects.filter(intent_plan=plan).exists() else _NOBODY


def _undo(plan: IntentPlan, by: User) -> str:
    jo = User.objects.get(username="jo")
    held = HeldDecision.objects.filter(intent_plan=plan).first()
    return "" if held is not None and holding.undo(held.pk, plan, by=jo) else _NOBODY


ACTS: tuple[Act, ...] = (
    _approve, _approve_part, _reject, _send_back, _edit, _cancel, _policy, _expire, _settle, _undo
)  # fmt: skip
BY_PEOPLE = {_approve, _approve_part, _reject, _send_back, _edit}
ENDED_BY = {PlanState.CANCELLED, PlanState.EXPIRED}


@contextmanager
def _two_threads() -> Iterator[Callable[..., list[str]]]:
    """`at_once((act, plan, user), …)`: what each came to, "" for done, else what it was told."""
    start = threading.Barrier(2)

    def one(act: Act, plan: IntentPlan, by: User) -> str:
        start.wait(timeout=60)
        try:
            return str(act(plan, by) or "")
        except (AgentsError, ReviewError) as error:
            return str(error)

    def close() -> None:
        start.wait(timeout=60)  # so that it is called once in each of the two
        connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        try:
            yield lambda *rounds: [each.result() for each in [pool.submit(one, *args) for args in rounds]]
        finally:
            for closed in [pool.submit(close) for _ in range(2)]:
                closed.result()


def _waiting(owner: User, jo: User, acts: tuple[Act, Act]) -> IntentPlan:
    """A plan that all of them could end now: tried without a trace, at the end of its time, with a decision that is due
    where one of them is about that.
    """
    plan = proposed(goal_of(owner), STEPS)
    found: list[dict[str, object]] = [{"position": position, "proof": "done", "answer": {}} for position in (1, 2)]
    now = timezone.now()
    head = plan.workspace.head
    run = ShadowRun.objects.create(intent_plan=plan, number=1, state="done", base=head, after=head, findings=found)
    sealing.seal(run)
    ReviewClock.objects.create(intent_plan=plan, due_at=now, escalate_at=now, minutes=1)
    if {_settle, _undo} & set(acts):
        ruling = Ruling("approve", plan.digest)
        due = now - timedelta(seconds=1)
        held = HeldDecision.objects.create(
            intent_plan=plan, by=jo, digest=plan.digest, verdict="approve", ruling=ruling.as_json(), due_at=due
        )
        sealing.seal(held)
    return plan


def _rounds() -> list[tuple[Act, Act]]:
    """Each two of them once, in the usual run: both begin at one moment, so that their order means nothing."""
    return [*product(ACTS, ACTS), *product(ACTS, ACTS)] if DEEP else [*combinations_with_replacement(ACTS, 2)]


@pytest.mark.long
def test_any_two_at_one_moment_are_one_decision(
    submitter: User, judge: User, second_judge: User, keeper: User, cases: None
) -> None:
    in_force(Action.AUTO_APPROVE, keeper, commands=["mkdir"], budget=1_000)
    won: Counter[str] = Counter()
    with _two_threads() as at_once:
        for acts in _rounds():
            plan = _waiting(submitter, judge, acts)
            told = at_once((acts[0], plan, judge), (acts[1], plan, second_judge))
            won.update(act.__name__ for act, words in zip(acts, told, strict=True) if not words)
            _one_outcome(plan, acts, told)
    assert decision_chain.walk().broken is None
    assert set(won) == {act.__name__ for act in ACTS}, "each was first at some time"


def _one_outcome(plan: IntentPlan, acts: tuple[Act, Act], told: list[str]) -> None:
    about = f"{[act.__name__ for act in acts]}: {told}"
    made = list(Decision.objects.filter(intent_plan__goal=plan.goal_id).select_related("by"))
    ends = list(Transition.objects.filter(intent_plan=plan, old=PlanState.AWAITING_REVIEW.value))
    assert len(ends) == 1 or (_undo in acts and not ends), about
    by_decision = [end for end in ends if end.new not in ENDED_BY]
    assert len(made) == len(by_decision), about
    # Cancelling a goal whose plan was decided just before is not a second decision.
    done = {act for act, words in zip(acts, told, strict=True) if not words}
    assert len(done) <= (2 if {_cancel, _undo} & set(acts) else 1), about
    first = {made[0].by.display_name, made[0].by.username} if made else {end.by for end in ends}
    for act, words in zip(acts, told, strict=True):
        if act in BY_PEOPLE and words and ends:
            held = "was first" in words  # by a decision that was still held
            assert held or any(name in words for name in first), about
