"""After a failed step: classify it, choose a way, keep both with their facts, and carry the way out.

What is looked up outside (the machine, models' answers, others' runs) is looked up before the transaction; the failed
try, its record and what follows are written in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from django.db import transaction

from agents.actors.models_in_use import models_of
from agents.bdi.forecast.touched_paths import touched
from agents.bdi.plans.document import Document, IntentSpec
from agents.bdi.recovery import agint, recovery, retrying, simplifying
from agents.bdi.recovery.agint import Assessment, Decision
from agents.bdi.recovery.delays import delay, in_seconds
from agents.bdi.recovery.failures import Facts, Failure, FailureClass, facts_of
from agents.bdi.recovery.missing_paths import in_words
from agents.bdi.recovery.recovery import Choice, Envelope, Situation
from agents.bdi.recovery.recovery_settings import RecoverySettings
from agents.bdi.recovery.retrying import Earlier, fingerprint
from agents.bdi.recovery.simplifying import Simpler
from agents.bdi.recovery.strategies import AGINT, COOLED, REEXTRACTED, RETRY, SIMPLER, Strategy, way_named
from agents.bdi.understanding.understood import Question
from agents.execution.attempts import PendingLines
from agents.execution.steps import StepOutcome
from agents.models import Attempt, FailureRecord, Goal, IntentPlan
from agents.plans import ending, renewals, reporting, tool_call_plans
from agents.plans.reporting import Running
from agents.record import decision_lines, gate
from agents.record.lease import Lease
from agents.recovery import after_failure, cooldown, failure_log, missing_paths, recovery_learning, whole_agent
from agents.states import IntentState
from agents.toolkit.registry import tools_in_use
from agents.understanding import re_extraction

_BEYOND = frozenset({"once", "keyed"})
_REPLAN_MODEL = "a model plans the rest again, with fewer or smaller steps"


@dataclass(frozen=True)
class Failed:
    """A step that failed, with all that its recovery may depend on. `spec` is what ran: the step or an alternative."""

    plan: IntentPlan
    lease: Lease
    document: Document
    granted: gate.Verdict
    running: Running
    outcome: StepOutcome
    spec: IntentSpec
    living: Sequence[str]

    @property
    def step(self) -> IntentSpec:
        """The step of the approved document."""
        return self.document.at(self.running.position)


@dataclass(frozen=True)
class _Open:
    """What was looked up for ways that need something: a simpler rest, other values, planning anew, what is asked."""

    simpler: Simpler | None
    reextracted: IntentSpec | None
    may_replan: bool
    asked: tuple[Question, ...] = ()


def recover(failed: Failed, lines: PendingLines) -> None:
    """Choose a strategy and carry it out; `lines` go into the log before what it stores."""
    if failed.outcome.failure is None:
        raise ValueError("only a failed step is recovered")
    spec, goal = failed.spec, Goal.objects.select_related("agent", "submitted_by").get(pk=failed.lease.goal_id)
    facts = facts_of(failed.outcome.answer, spec.tool, spec.command, spec.hosts)
    failure = failure_log.classed(facts, failed.outcome.failure)
    recovery_learning.settle()
    settings = recovery_learning.current_settings()
    earlier = after_failure.earlier_at(goal, failed.plan, failed.running.position)
    situation, opened = _situation(failed, goal, failure, facts, settings, earlier)
    choice = _chosen(failure, situation, settings, failed)
    assessment = None
    cool_down = cooldown.of(facts) if choice.way in (RETRY, COOLED) else None
    if cool_down is not None and (left := cooldown.left_s(cool_down)) > choice.delay_s:
        choice = replace(choice, delay_s=left, why=f"{choice.why}; but it waits {in_seconds(left)}, as {cool_down.why}")
    if choice.way == AGINT:
        choice, assessment = _escalated(failed, goal, failure, situation, settings, opened, choice)
    step = {"intent": failed.running.position, "tool": spec.tool, "command": spec.command}
    lines.pending += decision_lines.recovery_lines(failure, choice, assessment, "execute", step)
    repaired = whole_agent.mend(failed.spec.tool) if assessment and assessment.decision is Decision.SELF_REPAIR else []
    for done in repaired:
        lines.say("bdi_agent", done, level="warning")
    lines.write()
    with transaction.atomic():
        reporting.fail(failed.plan, failed.lease, failed.running, failed.outcome.answer, failure, choice)
        kept = after_failure.keep(
            goal, failure, choice, facts, attempt_id=failed.running.attempt_id, position=failed.running.position,
            assessment=assessment, earlier=earlier,
        )  # fmt: skip
        if assessment is not None:
            whole_agent.revise(goal, assessment)
        if choice.way == COOLED:
            cooldown.cool(kept, facts, choice.delay_s)
        # One with the other: if a worker died between, the next would try a step again that has had all its tries.
        if not choice.goes_on:
            _carry_out(failed, goal, failure, choice, kept, opened, assessment)


def _situation(
    failed: Failed,
    goal: Goal,
    failure: Failure,
    facts: Facts,
    settings: RecoverySettings,
    earlier: Sequence[FailureRecord],
) -> tuple[Situation, _Open]:
    step = failed.step
    replans, escalations = after_failure.counted(goal)
    exhausted = replans >= settings.most_replans
    has_model = bool(models_of(goal.agent))
    # Of an alternative nothing is asked: a person answers about the step itself.
    is_of_step = failure.failure_class is FailureClass.INVALID_PARAMETERS and not failed.running.alternative
    asked = missing_paths.questions_about(goal, failed.plan, step) if is_of_step else ()
    simpler = other = None
    if not exhausted and step.effect in recovery.REPEATABLE_EFFECTS:
        simpler = simplifying.simpler(
            # A person who can say which file is meant is asked before the step is left out.
            failed.document, failed.running.position, failure.failure_class, tools_in_use(),
            leave_out=not has_model and not asked and not _may_guard(failed),
            done=_done_behind(failed) if step.branch else (),
        )  # fmt: skip
        other = re_extraction.other_values(goal, step, failure, failed.document.intents)
    missing = "" if simpler is not None or has_model else "the plan cannot be simplified further"
    limit = f"this goal was planned again {replans} times already"
    situation = Situation(
        effect=step.effect,
        tries=_tries(failed),
        envelope=_envelope(failed),
        living=failed.living,
        is_over=facts.limit == "plan_time",
        chosen=[way for one in earlier if (way := way_named(one.cell_strategy)) is not None],
        simpler=limit if exhausted else missing,
        reextracted=limit if exhausted else "" if other is not None else "no other values were found in the goal",
        escalated=escalations >= settings.most_escalations,
        retry_after_s=facts.retry_after_s,
        shut=tool_call_plans.closed_ways(failed.plan),
        hopeless=retrying.why_not_again(failure, facts, [_before(one) for one in earlier]),
        asks_first=bool(asked) or not failed.document.cleanup,
    )
    return situation, _Open(simpler, other, has_model and not exhausted, asked)


def _may_guard(failed: Failed) -> bool:
    """Whether a later step takes something away, or reaches beyond the workspace: what failed may be what makes that
    safe, such as a copy.
    """
    steps = touched(failed.document, tools_in_use())
    later = [spec for spec in failed.document.intents if spec.position > failed.running.position]
    named = [steps[one.position] for one in later]
    return any(one.removes or one.moves or one.overwrites for one in named) or any(s.effect in _BEYOND for s in later)


def _tries(failed: Failed) -> int:
    """How often the step itself has failed by now; a try of an alternative is none."""
    kept = Attempt.objects.filter(
        intent__intent_plan=failed.plan, intent__position=failed.running.position, outcome="failed", alternative=0
    ).exclude(pk=failed.running.attempt_id)  # one whose recovery was put off is kept as failed already
    return kept.count() + (0 if failed.running.alternative else 1)


def _envelope(failed: Failed) -> Envelope:
    """How far the approval lets a recovery of this step go."""
    step, granted = failed.step, failed.granted
    return Envelope(
        granted.tries if step.tries is None else min(step.tries, granted.tries),
        len(step.alternatives),
        frozenset(number for at, number in granted.alternatives if at == failed.running.position),
        failed.running.alternative,
    )


def _done_behind(failed: Failed) -> set[int]:
    """Later steps that have succeeded, in branches beside the one that failed."""
    behind = failed.plan.intents.filter(position__gt=failed.running.position, state=IntentState.SUCCEEDED.value)
    return set(behind.values_list("position", flat=True))


def _before(row: FailureRecord) -> Earlier:
    # As it was classed then: an operator who corrected the class said nothing about what it wrote.
    return Earlier(row.classified_as, fingerprint(Facts.from_json(row.facts)))


def _chosen(failure: Failure, situation: Situation, settings: RecoverySettings, failed: Failed) -> Choice:
    known = recovery_learning.known_of(failure.failure_class, failed.spec.tool, settings)
    return recovery.choose(
        failure,
        situation,
        settings=settings,
        policy=recovery_learning.policy_of(failure.failure_class, failed.spec.tool),
        cell=known.cell,
        known=known.outcomes,
        # Seeded by the try, so that the decision can be made again from what is kept.
        rng=Random(failed.running.attempt_id),  # noqa: S311
    )


def _escalated(
    failed: Failed,
    goal: Goal,
    failure: Failure,
    situation: Situation,
    settings: RecoverySettings,
    opened: _Open,
    choice: Choice,
) -> tuple[Choice, Assessment]:
    """What AGInt decides; when it finds nothing to do, what is chosen without it."""
    may_try = not situation.hopeless and RETRY not in recovery.closed(situation)
    whole = whole_agent.look(
        goal, failed.spec, failure, settings,
        asks_model=failed.spec.asks is not None, may_try=may_try, may_replan=opened.may_replan,
    )  # fmt: skip
    assessment = agint.assess(whole, settings)
    if assessment.decision is Decision.NOTHING:
        onwards = _chosen(failure, replace(situation, escalated=True), settings, failed)
        return replace(onwards, why=f"AGInt found nothing to do; {onwards.why}"), assessment
    rng = Random(failed.running.attempt_id)  # noqa: S311
    if not may_try or assessment.decision is Decision.RESEARCH:
        return replace(choice, delay_s=0.0, why=assessment.why), assessment
    cooling_down = assessment.decision is Decision.COOL_DOWN
    wait = delay(situation.tries, settings, rng, situation.retry_after_s, cooling=cooling_down)
    why = f"{assessment.why}; the next try is {wait.words}"
    return replace(choice, delay_s=wait.seconds, why=why, tries_again=True), assessment


def _carry_out(
    failed: Failed,
    goal: Goal,
    failure: Failure,
    choice: Choice,
    kept: FailureRecord,
    opened: _Open,
    assessment: Assessment | None,
) -> None:
    """What does not simply go on: people are asked about a change, the goal is planned anew, or the plan is aborted."""
    step = failed.step
    match choice.strategy:
        case Strategy.ALTERNATIVE_TOOL:
            others = step.alternatives[choice.alternative :]
            instead = replace(step.alternatives[choice.alternative - 1], alternatives=others)
            _ask(failed, failure, choice.why, kept, (instead,))
        case Strategy.SIMPLIFIED_APPROACH if choice.way == REEXTRACTED and opened.reextracted is not None:
            _ask(failed, failure, choice.why, kept, (opened.reextracted,))
        case Strategy.SIMPLIFIED_APPROACH if opened.simpler is not None:
            simpler = opened.simpler
            _ask(failed, failure, simpler.why, kept, simpler.instead, simpler.left_out)
        case Strategy.SIMPLIFIED_APPROACH | Strategy.ESCALATE_TO_AGINT:
            why = assessment.why if assessment is not None else _REPLAN_MODEL
            after_failure.plan_anew(failed.plan, failed.lease, step, failure, why, simpler=choice.way == SIMPLER)
        case Strategy.MANUAL_FALLBACK:
            after_failure.ask_a_person(failed.plan, failed.lease, kept, failure, in_words(opened.asked))
        case _:
            ending.abort(
                failed.plan,
                failed.lease,
                f"{failure.failure_class}: step {step.position} ({step.tool}.{step.command}) failed: {failure.reason}",
                first_cleanup=len(failed.document.intents) + 1,
            )


def _ask(
    failed: Failed,
    failure: Failure,
    why: str,
    kept: FailureRecord,
    instead: Sequence[IntentSpec],
    left_out: Sequence[int] = (),
) -> None:
    """Ask people about what would be done in the step's place; nothing of it runs before they approve it."""
    step = failed.step
    said = f"step {step.position} ({step.tool}.{step.command}) failed: {failure.reason}; {why}"
    revision = ending.ask_again(
        failed.plan, failed.lease, failed.document, said,
        kind=renewals.RECOVERY, instead=instead, left_out=left_out,
    )  # fmt: skip
    if revision is not None:
        after_failure.carried(kept, revision, failed.plan, failed.document, instead)
