"""When planning finds no plan: the failure is classed, stored and recovered from like a failed step.

What is looked at and tried (parts of the goal, other readings, the agent as a whole) comes before the transaction that
stores what was decided. A question to a person is no failure.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.planning import means_ends
from agents.bdi.plans.validation import Problem
from agents.bdi.recovery import agint, recovery, simpler_goal
from agents.bdi.recovery.agint import Assessment, Decision
from agents.bdi.recovery.delays import delay
from agents.bdi.recovery.failures import PLANNING, Facts, Failure, classified
from agents.bdi.recovery.recovery import Choice, Envelope, Situation
from agents.bdi.recovery.recovery_settings import RecoverySettings
from agents.bdi.recovery.strategies import (
    ABORT,
    AGINT,
    ALTERNATIVE,
    COOLED,
    MANUAL,
    REEXTRACTED,
    RETRY,
    SIMPLER,
    Strategy,
    Way,
    way_named,
)
from agents.bdi.understanding import drafting
from agents.beliefs import entailment_model, set_items
from agents.models import FailureRecord, Goal
from agents.plans import proposals
from agents.record import decision_lines, logs
from agents.record.logs import NewLine, storable
from agents.record.moves import move_goal
from agents.recovery import after_failure, failure_log, recovery_learning, whole_agent
from agents.rules.selection import KnownRule
from agents.states import GoalState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from agents.understanding import parameters
from agents.workspaces import base_files

Fit = Callable[[PlanDraft], PlanDraft | NoPlan]
_NO_STEP = "no step has failed: what may be done in the place of one is declared with it"
_SAME_AGAIN = "the rules give the same plan again, and no language model is set up"
# What a person has said no to is not got round by leaving a part out or by reading it differently.
_REFUSED = frozenset({proposals.FORBIDDEN, "refused_step_again", "same_plan_again"})


@dataclass(frozen=True)
class Recovery:
    """A failure of planning with what is done about it; `draft` is the plan that is proposed in its place."""

    facts: Facts
    failure: Failure
    choice: Choice
    earlier: tuple[FailureRecord, ...]
    assessment: Assessment | None = None
    draft: PlanDraft | None = None
    repaired: tuple[str, ...] = ()

    @property
    def asks_a_person(self) -> bool:
        return self.choice.way == MANUAL


def decide(
    goal: Goal,
    found: NoPlan | PlanDraft,
    problems: Sequence[Problem],
    reason: str,
    words: str,
    *,
    known: Sequence[KnownRule],
    beliefs: Sequence[Belief],
    fit: Fit,
) -> Recovery:
    """What is done about planning that gave no plan for `reason` (`words`: as a sentence).

    `fit` puts into a draft what people wish. Reads and plans; stores nothing but what AGInt mends of mindX itself.
    """
    said = "; ".join([words, *(problem.message for problem in problems[:5])])
    facts = Facts(stage=PLANNING, no_plan=reason.partition(":")[0][:64], said=said)
    failure = failure_log.classed(facts, classified(facts))
    settings = recovery_learning.current_settings()
    before = list(FailureRecord.objects.filter(goal=goal, stage=PLANNING).order_by("pk"))
    earlier = _since_the_last_plan(goal, before)
    again = sum(one.strategy == Strategy.RETRY_WITH_DELAY.value for one in before)
    replans, escalations = after_failure.counted(goal)
    exhausted = replans >= settings.most_replans
    limit = f"this goal was planned again {replans} times already"
    simpler = other = None
    if facts.no_plan not in _REFUSED and not exhausted:
        simpler = _simpler(goal, found, problems, known, beliefs, fit)
        other = _read_again(goal, found, fit)
    situation = Situation(
        tries=again + 1,
        envelope=Envelope(tries=int(settings.most_replans) + 1),
        chosen=[way for one in earlier if (way := way_named(one.cell_strategy)) is not None],
        simpler=limit if exhausted else "" if simpler is not None else "no part of it can be planned on its own",
        reextracted=limit if exhausted else "" if other is not None else "its words give no other plan",
        escalated=escalations >= settings.most_escalations,
        shut=_shut(goal, failure, again, settings),
    )
    rng = Random(f"{goal.pk}:{len(before)}")  # noqa: S311  # no secret: a decision that can be made again
    choice, assessment = _chosen(goal, failure, situation, settings, rng, may_replan=not exhausted)
    draft = simpler if choice.way == SIMPLER else other if choice.way == REEXTRACTED else None
    mends = assessment is not None and choice.way == AGINT and assessment.decision is Decision.SELF_REPAIR
    return Recovery(facts, failure, choice, earlier, assessment, draft, tuple(whole_agent.mend()) if mends else ())


def _since_the_last_plan(goal: Goal, failures: Sequence[FailureRecord]) -> tuple[FailureRecord, ...]:
    newest = goal.intent_plans.order_by("-revision").values_list("created_at", flat=True).first()
    return tuple(one for one in failures if newest is None or one.at > newest)


def _shut(goal: Goal, failure: Failure, again: int, settings: RecoverySettings) -> dict[Way, str]:
    """The ways that are closed, each with the reason; `again` is how often planning was retried."""
    shut = {ALTERNATIVE: _NO_STEP}
    pinned = recovery_learning.policy_of(failure.failure_class, "").pinned
    if not models_of(goal.agent) and pinned not in (RETRY, COOLED):
        # A person is needed, and a retry would only delay that. New beliefs have the goal planned again anyway.
        shut |= dict.fromkeys((RETRY, COOLED), _SAME_AGAIN)
    if again >= settings.most_replans:
        shut |= dict.fromkeys((RETRY, COOLED), f"it was planned again {again} times already")
    return shut


def carry_out(goal: Goal, made: Recovery, reason: str) -> None:
    """Keep the failure and move the goal; a draft is proposed by the caller, who holds the goal's row."""
    choice = made.choice
    kept = after_failure.keep(
        goal, made.failure, choice, made.facts, attempt_id=None, assessment=made.assessment, earlier=made.earlier
    )
    if made.assessment is not None:
        whole_agent.revise(goal, made.assessment)
    decided = decision_lines.recovery_lines(made.failure, choice, made.assessment, "recover", {"intent": 0})
    repaired = (NewLine("bdi_agent", "recover", one, "warning") for one in made.repaired)
    logs.write(goal.pk, [*decided, *repaired])
    match choice.strategy:
        case Strategy.MANUAL_FALLBACK:
            after_failure.open_item(goal, None, kept)
            move_goal(goal, GoalState.MANUAL, by="bdi_agent", reason=reason)
        case Strategy.SIMPLIFIED_APPROACH:
            pass
        case Strategy.GRACEFUL_ABORT:
            said = f"{made.failure.failure_class}: {made.failure.reason}"
            move_goal(goal, GoalState.FAILED, by="bdi_agent", reason=storable(said))
        case _:
            _plan_again(goal, made)


def _plan_again(goal: Goal, made: Recovery) -> None:
    """After a while, or at once when AGInt has it looked at anew; planning is told what was wrong."""
    choice = made.choice
    after_failure.hold_true(goal, [f"Planning failed before: {made.failure.reason[:400]}"])
    at_once = choice.way == AGINT and not choice.delay_s
    said = f"{after_failure.PLANNED_ANEW if at_once else after_failure.PLANNED_LATER}: {choice.why}"
    until = None if at_once else timezone.now() + timedelta(seconds=choice.delay_s)
    move_goal(goal, GoalState.PENDING, by="bdi_agent", reason=storable(said), wake_at=until)


def _chosen(
    goal: Goal, failure: Failure, situation: Situation, settings: RecoverySettings, rng: Random, *, may_replan: bool
) -> tuple[Choice, Assessment | None]:
    def choose(now: Situation) -> Choice:
        known = recovery_learning.known_of(failure.failure_class, "", settings)
        choice = recovery.choose(
            failure, now, settings=settings, policy=(policy := recovery_learning.policy_of(failure.failure_class, "")),
            cell=known.cell, known=known.outcomes, rng=rng,
        )  # fmt: skip
        if choice.way == ABORT and policy.pinned != ABORT and MANUAL not in policy.banned:
            # A goal that nobody could plan costs nothing while it waits for its person.
            return replace(choice, way=MANUAL, why=f"only a person is left; {choice.why}")
        return choice

    choice = choose(situation)
    if choice.way != AGINT:
        return choice, None
    may_try = RETRY not in recovery.closed(situation)
    has_model = bool(models_of(goal.agent))
    whole = whole_agent.look(
        goal, None, failure, settings,
        asks_model=has_model, may_try=may_try, may_replan=may_replan and has_model,
    )  # fmt: skip
    assessment = agint.assess(whole, settings)
    if assessment.decision is Decision.NOTHING:
        onwards = choose(replace(situation, escalated=True))
        return replace(onwards, why=f"AGInt found nothing to do; {onwards.why}"), assessment
    if not may_try or assessment.decision is Decision.RESEARCH:
        return replace(choice, delay_s=0.0, why=assessment.why), assessment
    wait = delay(situation.tries, settings, rng, cooling=assessment.decision is Decision.COOL_DOWN)
    return replace(choice, delay_s=wait.seconds, why=f"{assessment.why}; it is planned again {wait.words}"), assessment


def _simpler(
    goal: Goal,
    found: NoPlan | PlanDraft,
    problems: Sequence[Problem],
    known: Sequence[KnownRule],
    beliefs: Sequence[Belief],
    fit: Fit,
) -> PlanDraft | None:
    """Fewer steps: what is sound of a plan with problems; or what can be planned of a goal with several wishes."""
    if isinstance(found, PlanDraft):
        less = simpler_goal.sound(found, {problem.position for problem in problems}, tools_in_use())
        if less is None:
            return None
        draft, gone = less
        left = [f"step {at} ({found.steps[at - 1].tool}.{found.steps[at - 1].command})" for at in gone]
        return _of_a_part(goal, simpler_goal.told(draft, left, "the whole plan has problems"), fit)
    parts = simpler_goal.parts(goal.text)
    if len(parts) < 2:
        return None
    own = {part: planned for part in parts if (planned := _part(goal, part, known, beliefs)) is not None}
    if all(part in own for part in parts):
        return None  # nothing would be left out, and yet the whole has no plan
    kept = {part: planned for part, planned in own.items() if proposals.only_adds(goal, planned)}
    left = [f"“{part[:200]}”" for part in parts if part not in kept]
    whole = simpler_goal.joined([kept[part] for part in parts if part in kept], tools_in_use()) if kept else None
    return (
        _of_a_part(goal, simpler_goal.told(whole, left, "no plan was found for it, or not without the rest"), fit)
        if whole is not None
        else None
    )


def _part(goal: Goal, text: str, known: Sequence[KnownRule], beliefs: Sequence[Belief]) -> PlanDraft | None:
    """A plan of a part of the goal: by rules, else as it is understood, unless a model would be asked for values."""
    look, read = set_items.look_in(goal.workspace), base_files.beginnings_in(goal.workspace.head)
    with entailment_model.asked_about([belief.sentence for belief in beliefs]) as judges:
        found = means_ends.plan(text, known, beliefs, tools_in_use(), judge_by=judges, look=look, read=read)
    if isinstance(found, NoPlan) and not models_of(goal.agent):
        alone = copy.copy(goal)
        alone.text = text
        found = parameters.understood(alone, found)
    return parameters.corrected(goal, found) if isinstance(found, PlanDraft) else None


def _read_again(goal: Goal, found: NoPlan | PlanDraft, fit: Fit) -> PlanDraft | None:
    """The goal as its own words are understood, where a rule's or a model's plan of it has problems."""
    if not isinstance(found, PlanDraft) or found.source == drafting.SOURCE:
        return None  # its words were read already
    if models_of(goal.agent):
        return None  # and a model has read them
    other = parameters.understood(goal, NoPlan("invalid_plan", found.evidence))
    return _valid(goal, other, fit) if isinstance(other, PlanDraft) else None


def _of_a_part(goal: Goal, draft: PlanDraft, fit: Fit) -> PlanDraft | None:
    """A draft that leaves something out, where it may: it may stand between a goal and what cannot be taken back."""
    fitted = _valid(goal, draft, fit)
    return fitted if fitted is not None and proposals.only_adds(goal, fitted) else None


def _valid(goal: Goal, draft: PlanDraft, fit: Fit) -> PlanDraft | None:
    fitted = fit(draft)
    return fitted if isinstance(fitted, PlanDraft) and not proposals.problems_of(goal, fitted) else None
