"""What becomes of a failure beside a further try: it is kept, carried on by a revision, planned anew, or a person's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.utils import timezone

from agents.bdi.intentions.cycle import Decision
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.recovery.agint import Assessment
from agents.bdi.recovery.failures import Facts, Failure
from agents.bdi.recovery.recovery import Choice
from agents.bdi.recovery.strategies import AGINT, Strategy
from agents.models import Belief, FailureRecord, Goal, HandItem, IntentPlan
from agents.record import logs
from agents.record.lease import Lease, hold
from agents.record.logs import storable
from agents.record.moves import move_goal, move_intents, move_plan
from agents.recovery import whole_agent
from agents.states import GoalState, IntentState, PlanState
from agents.toolkit.types import PlanDraft

# How the reasons begin for which a goal asks a person to mend what failed.
NEEDS_A_HAND = "needs_a_hand"
PLANNED_ANEW = "planned_anew"
# How the reasons begin of goals that are planned once more after a while.
PLANNED_LATER = "planned_later"
_ABOUT = "recovery"


def keep(
    goal: Goal,
    failure: Failure,
    choice: Choice,
    facts: Facts,
    *,
    attempt_id: int | None,
    position: int = 0,
    assessment: Assessment | None = None,
    earlier: Sequence[FailureRecord] = (),
) -> FailureRecord:
    """Keep a failure with its facts and what was chosen; what was chosen before for the same step did not help."""
    weighed: dict[str, Any] = dict(choice.weighed)
    if assessment is not None:
        weighed["agint"] = {"decision": assessment.decision.value, "why": assessment.why}
    unended = [one.pk for one in earlier if not one.overtaken_by]
    FailureRecord.objects.filter(pk__in=unended, overtaken_by="").update(overtaken_by=str(choice.way))
    return FailureRecord.objects.create(
        goal=goal,
        agent_id=goal.agent_id,
        attempt_id=attempt_id,
        stage=facts.stage,
        position=position,
        tool=facts.tool,
        command=facts.command,
        facts=_storable(facts.to_json()),
        classified_as=failure.failure_class.value,
        failure_class=failure.failure_class.value,
        reason=storable(failure.reason),
        rule_id=failure.rule or None,
        strategy=choice.strategy.value,
        variant=choice.way.variant,
        why=storable(choice.why),
        weighed=weighed,
    )


def _storable(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: storable(value) if isinstance(value, str) else value for name, value in facts.items()}


def earlier_at(goal: Goal, plan: IntentPlan, position: int) -> list[FailureRecord]:
    """What failed before at this step, oldest first: here, and at the step in whose place it stands."""
    here = Q(attempt__intent__intent_plan=plan, position=position)
    before = Q(carried_by=plan, carried_first__lte=position, carried_last__gte=position)
    return list(FailureRecord.objects.filter(here | before, goal=goal).order_by("pk"))


def counted(goal: Goal) -> tuple[int, int]:
    """How often this goal was planned anew or simplified, and how often AGInt has looked at it."""
    strategies = list(goal.failures.values_list("strategy", flat=True))
    return strategies.count(Strategy.SIMPLIFIED_APPROACH.value) + _replans(goal), strategies.count(AGINT.strategy.value)


def _replans(goal: Goal) -> int:
    """How often AGInt had it planned anew."""
    return goal.failures.filter(weighed__agint__decision="research").count()


def carried(
    kept: FailureRecord, revision: IntentPlan, plan: IntentPlan, document: Document, instead: Sequence[IntentSpec]
) -> None:
    """Note which steps of the revision stand in the failed step's place: their end is the recovery's."""
    after = documents.read(bytes(revision.document))
    # In branches later steps may have ended before this one was recovered.
    ended = plan.intents.filter(position__gt=plan.position, state=IntentState.SUCCEEDED.value)
    done = set(ended.values_list("position", flat=True))
    behind = len([spec for spec in document.intents if spec.position > plan.position and spec.position not in done])
    last = len(after.intents) - behind if instead else len(after.intents)
    first = max(1, last - len(instead) + 1) if instead else 1
    FailureRecord.objects.filter(pk=kept.pk).update(
        carried_by=revision, carried_first=first, carried_last=max(first, last)
    )


def plan_anew(plan: IntentPlan, lease: Lease, step: IntentSpec, failure: Failure, why: str, *, simpler: bool) -> None:
    """Give the goal back to planning, which is told what failed; what finished steps changed stays."""
    goal = hold(lease)
    move_plan(plan, PlanState.SUPERSEDED, by=lease.owner, reason=f"{PLANNED_ANEW}: {why}")
    for state in (IntentState.RUNNING, IntentState.PENDING):
        move_intents(plan.intents.filter(state=state.value), IntentState.SKIPPED, reason="planned anew")
    told = [f"The step {step.tool}.{step.command} failed before: {failure.reason[:400]}"]
    if simpler:
        told.append("The plan must have fewer or smaller steps than the one that failed.")
    hold_true(goal, told)
    said = f"the rest is planned again: {why}"
    data = {"failure_class": failure.failure_class.value, "intent": step.position}
    logs.say(goal.pk, "bdi_agent", "recover", said, "warning", **data)
    move_goal(goal, GoalState.PENDING, by="bdi_agent", reason=f"{PLANNED_ANEW}: {why}", wake_at=None)


def hold_true(goal: Goal, sentences: Sequence[str]) -> None:
    """What planning is told of the failure, in place of what it was told before."""
    now = timezone.now()
    goal.beliefs.filter(source=whole_agent.SOURCE, about=_ABOUT, retracted_by="").update(retracted_by="it failed again")
    Belief.objects.bulk_create(
        Belief(goal=goal, sentence=storable(one), source=whole_agent.SOURCE, confidence=1.0, about=_ABOUT, at=now)
        for one in sentences
    )


def _planned_anew_after(goal: Goal) -> tuple[IntentPlan, FailureRecord] | None:
    """The plan in whose place the goal is planned now, and the failure that ended it; None where it is for no such."""
    newest = goal.intent_plans.order_by("-revision").first()
    if newest is None or newest.state != PlanState.SUPERSEDED or not newest.reason.startswith(PLANNED_ANEW):
        return None
    failed = goal.failures.filter(attempt__intent__intent_plan=newest).order_by("-pk").first()
    return None if failed is None else (newest, failed)


def wrote(goal: Goal) -> dict[str, str]:
    """The end of what the step wrote whose failure the goal is planned anew after, by stream; nothing for no such."""
    found = _planned_anew_after(goal)
    if found is None:
        return {}
    facts = Facts.from_json(found[1].facts)
    return {name: text for name, text in (("stdout", facts.printed), ("stderr", facts.text)) if text.strip()}


def same_step_again(goal: Goal, draft: PlanDraft) -> str:
    """The step of a new plan that has failed in exactly these words already, as words; "" when there is none."""
    found = _planned_anew_after(goal)
    if found is None:
        return ""
    newest, failed = found
    spec = documents.read(bytes(newest.document)).at(failed.position)
    again = any(
        (step.tool, step.command) == (spec.tool, spec.command) and step.values() == dict(spec.params)
        for step in draft.steps
    )
    return spec.sentence if again else ""


def open_item(goal: Goal, plan: IntentPlan | None, kept: FailureRecord) -> HandItem:
    """Put it into the queue of hands. One that was left open when the goal went on otherwise is closed."""
    close_items(goal)
    return HandItem.objects.create(goal=goal, intent_plan=plan, failure=kept, position=kept.position)


def close_items(goal: Goal) -> None:
    """The goal continues: no person is needed any more."""
    HandItem.objects.filter(goal=goal, answered_at=None).update(answered_at=timezone.now())


def ask_a_person(plan: IntentPlan, lease: Lease, kept: FailureRecord, failure: Failure, question: str = "") -> None:
    """The plan stops where it is and its goal asks for a hand; nothing of it runs until a person has answered.

    `question`: what would settle it, where that is known.
    """
    goal = hold(lease)
    open_item(goal, plan, kept)
    said = f"step {kept.position}: a person is asked to fix it"
    data = {"intent": kept.position, "failure": kept.pk}
    logs.say_decided(goal.pk, Decision.ASK_FOR_HAND, "recover", said, "warning", **data)
    said = f"{NEEDS_A_HAND}: {question or f'step {kept.position} failed, {failure.reason}'}"
    move_goal(goal, GoalState.MANUAL, by=lease.owner, reason=storable(said), wake_at=None)
