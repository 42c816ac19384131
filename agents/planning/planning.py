"""Planning a goal under its lease: perceive, revise beliefs, select a rule, propose; or ask a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from django.db import transaction
from django.utils import timezone

from agents.actors.models_in_use import models_of
from agents.bdi.intentions.cycle import Decision
from agents.bdi.planning import means_ends
from agents.bdi.plans.validation import Problem
from agents.bdi.understanding import drafting
from agents.beliefs import belief_rows, entailment_model, perceiving, set_items
from agents.components import rules
from agents.execution.companion import Companion
from agents.mastermind import goal_texts
from agents.models import Goal, Plan, Planning
from agents.planning import by_design, model_planning, offers, planning_recovery, refusals
from agents.planning.model_planning import Later
from agents.planning.planning_recovery import Recovery
from agents.plans import adoption, designs, earlier_plans, kept_edits, proposals, rule_choice
from agents.plans.earlier_plans import Earlier
from agents.plans.planning_time import Took
from agents.record import decision_lines, logs, numbering, telemetry, wake_ups
from agents.record.errors import NotPossibleNow
from agents.record.lease import Lease, LeaseLost, hold, renew
from agents.record.logs import NewLine
from agents.record.moves import move_goal
from agents.recovery import after_failure, contradictions, internal_errors, told_beliefs
from agents.rules.selection import KnownRule
from agents.states import GoalState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief as Believed
from agents.toolkit.types import NoPlan, PlanDraft
from agents.understanding import command_goals, parameters
from agents.workspaces import base_files
from library.language.asking import Stopped
from people.models import User

MANUAL_HINT = "a person must supply a plan"
# How the reasons begin that a model gave.
OF_A_MODEL = "model_"
# How the reasons begin of planning that did not fail: something is asked, or offered.
_NO_FAILURES = (drafting.QUESTION, command_goals.COMMAND)
# How the reasons begin for which planning may come to another end: when rules, beliefs, files or policies have changed.
_MAY_BE_PLANNED = (
    *(OF_A_MODEL, "no_", "invalid_plan", "unusable_value", means_ends.OVER_LIMIT),
    *("framework_missing", adoption.OVERDUE, drafting.QUESTION, proposals.FORBIDDEN, command_goals.COMMAND),
)


@dataclass(frozen=True)
class Adopted:
    """A goal that became an intention, what there is of it from before, and the stopwatch over its planning."""

    goal: Goal
    before: Earlier
    took: Took


@dataclass(frozen=True)
class _Thought:
    """What thinking came to: a plan with its problems, or none; and the rules that it looked through."""

    found: PlanDraft | NoPlan
    problems: Sequence[Problem]
    known: Sequence[KnownRule]

    @property
    def reason(self) -> str:
        """Why there is no valid plan."""
        return self.found.reason if isinstance(self.found, NoPlan) else _why_invalid(self.problems)

    @property
    def told(self) -> str:
        """The reason of the goal: the word for it, and what is said to people where there is more to say."""
        said = refusals.told(self.found.evidence)
        return f"{self.reason}: {said}" if said else self.reason

    @property
    def source(self) -> str:
        """Who looked for the plan that there is not."""
        if "model" in self.found.evidence:
            return Plan.Source.MODEL
        if isinstance(self.found, PlanDraft) and self.found.source == drafting.SOURCE:
            return Plan.Source.UNDERSTANDING
        return Plan.Source.RULE


def plan_goal(lease: Lease, adopted: Adopted | None = None) -> bool:
    """Take the goal from pending to a plan that awaits review, or to `manual` with the reason.

    `adopted`: the goal, where it was adopted already. Reading files and thinking happen outside any transaction; the
    result is stored only if the lease still holds. True: the lease was given back with it.
    """
    adopted = adopted or adopt(lease)
    goal, took = adopted.goal, adopted.took
    if goal.state != GoalState.PLANNING:  # it waits for its design, or is not begun
        return False
    told = told_beliefs.mark(goal.pk)
    with telemetry.span("perceive", goal.pk), took.stage("perceive"):
        beliefs = perceiving.perceive(goal)
    try:
        thought = _think(lease, adopted, beliefs)
    except Stopped:  # whoever cancelled the goal has said so
        return False
    if isinstance(thought, Later):
        _put_off(lease, thought)
        return False
    took.came_to(thought.found)
    recovery = _recovery(goal, thought, beliefs, adopted.before)
    is_open = recovery is not None and recovery.asks_a_person and not goal_texts.is_own(goal.text)
    if is_open and isinstance(thought.found, NoPlan):
        thought = replace(thought, found=refusals.answered(offers.with_offers(goal, thought.found)))
    with transaction.atomic():
        goal = hold(lease)
        if adopted.before.hands:
            after_failure.close_items(goal)
        belief_rows.perceived(goal, beliefs)
        said = [_taken_in(beliefs)]
        if told_beliefs.mark(goal.pk) != told:
            again = "somebody told the agent something while it planned: it plans again with that"
            logs.write(goal.pk, [*said, logs.decided(Decision.PLAN_LATER, "plan", again, why="told_meanwhile")])
            move_goal(goal, GoalState.PENDING, by="bdi_agent", reason="a belief changed")
        elif isinstance(thought.found, PlanDraft) and not thought.problems:
            return _propose(goal, thought.found, took, said)
        else:
            logs.write(goal.pk, said)
            _without_plan(goal, thought, recovery, took)
    return False


def _put_off(lease: Lease, later: Later) -> None:
    """The goal waits by itself until then: no worker has it meanwhile, and a person can cancel or plan it."""
    with transaction.atomic():
        goal = hold(lease)
        move_goal(goal, GoalState.PENDING, by="bdi_agent", reason=later.reason)
        Goal.objects.filter(pk=goal.pk).update(wake_at=later.until)
        when = f"{later.until:%Y-%m-%d %H:%M:%S} UTC"
        said = f"it is planned again after {when}: {later.reason}"
        until = later.until.isoformat()
        logs.say_decided(goal.pk, Decision.PLAN_LATER, "plan", said, "warning", why=later.reason, until=until)


def plan_again(goal: Goal, *, by: User) -> Goal:
    """Have a goal planned now that waits for a model, or because no plan was found; one whose turns failed inside mindX
    goes on where it stood. Raises NotPossibleNow.
    """
    with transaction.atomic():
        goal = Goal.objects.select_for_update(no_key=True).get(pk=goal.pk)
        if not may_plan_again(goal):
            raise NotPossibleNow(f"Goal {goal.pk} is not waiting for a plan: it is {goal.state}.")
        Goal.objects.filter(pk=goal.pk).update(wake_at=None)
        said = f"{by.username} asked for another plan"
        if internal_errors.is_of(goal):
            internal_errors.try_again(goal, by=by)
            said = f"{by.username} asked for another try"
        elif goal.state == GoalState.MANUAL:
            # Whoever lets an overdue goal go on has said that its deadline no longer counts.
            also = {"deadline": None} if goal.reason.startswith(adoption.OVERDUE) else {}
            move_goal(goal, GoalState.PENDING, by=by.username, reason="", **also)
        logs.say(goal.pk, "review", "plan", said)
        wake_ups.wake(goal.pk)
    goal.refresh_from_db()
    return goal


def may_plan_again(goal: Goal) -> bool:
    """Whether the goal waits only because there is no plan, and planning may come to another end now."""
    return (
        goal.is_put_off
        or internal_errors.is_of(goal)
        or (goal.state == GoalState.MANUAL and goal.reason.startswith(_MAY_BE_PLANNED))
    )


def give_up(lease: Lease, reason: str) -> None:
    """Planning it has cost workers: a person must supply the plan, and no further worker tries."""
    with transaction.atomic():
        goal = hold(lease)
        logs.say(goal.pk, "worker", "plan", f"{_in_words(reason)}; {MANUAL_HINT}", level="error")
        if goal.state == GoalState.PENDING:
            move_goal(goal, GoalState.PLANNING, by=lease.owner)
        move_goal(goal, GoalState.MANUAL, by=lease.owner, reason=reason)


def adopt(lease: Lease) -> Adopted:
    """The goal becomes an intention: the most urgent one that nothing blocks, which is why it was claimed.

    In a transaction of its own, or as a part of the caller's, all of which is then to be undone by what it raises.
    """
    took = Took(timezone.now())
    with transaction.atomic(savepoint=False):
        goal = hold(lease)
        adopted = Adopted(goal, earlier_plans.of(goal), took)
        since = goal.changed_at
        if goal.state == GoalState.PENDING:
            if not adoption.adopt(goal, lease):
                return adopted
            took.adopted(since)
        if adopted.before.documents and (design := designs.in_the_way(goal)) is not None:
            designs.wait_for_it(goal, design)
        return adopted


def _think(lease: Lease, adopted: Adopted, beliefs: list[Believed]) -> _Thought | Later:
    """Look for a plan: by rules, by understanding what the goal says, by a model. Raises Stopped."""
    goal, before, took = adopted.goal, adopted.before, adopted.took
    known, found = _by_rules(lease, adopted, beliefs)
    if isinstance(found, NoPlan) and (command := command_goals.offered(goal.text, goal.workspace, found)):
        return _Thought(command, [], known)
    if isinstance(found, NoPlan) and found.reason in parameters.RULES_MAKE_NONE:
        found = _by_understanding(lease, adopted, found)
    validated: PlanDraft | NoPlan | None = None
    if isinstance(found, NoPlan) and models_of(goal.agent):
        with took.stage("model"):
            planned = model_planning.plan(lease, goal, beliefs, found)
        if isinstance(planned, Later):
            return planned
        found = kept_edits.taken_in(goal, planned) if isinstance(planned, PlanDraft) and goal.wishes else planned
        # It was validated when it was read, and is once more where it is stored.
        validated = planned
    if isinstance(found, PlanDraft) and before.plans and (again := after_failure.same_step_again(goal, found)):
        found = NoPlan("failed_step_again", {**found.evidence, "again": again})
    with took.stage("validate"):
        problems = proposals.problems_of(goal, found) if isinstance(found, PlanDraft) and found != validated else []
    return _Thought(found, problems, known)


def _by_understanding(lease: Lease, adopted: Adopted, found: NoPlan) -> PlanDraft | NoPlan:
    """The plan by what the goal's words mean as commands, with what people wished; `found`: why rules gave none."""
    goal = adopted.goal
    with telemetry.span("understand", goal.pk), adopted.took.stage("understand"):
        understood = _understood(lease, goal, found)
    return kept_edits.fitted(goal, understood, adopted.before) if isinstance(understood, PlanDraft) else understood


def _by_rules(
    lease: Lease, adopted: Adopted, beliefs: Sequence[Believed]
) -> tuple[Sequence[KnownRule], PlanDraft | NoPlan]:
    """The rules that there are, and the plan by them, with corrected parameters and what people wished.

    A language model may be asked about conditions; then the lease is kept meanwhile. Raises Stopped.
    """
    goal, before, took = adopted.goal, adopted.before, adopted.took
    with telemetry.span("plan", goal.pk), took.stage("rules"):
        known = rules.known_rules(for_goal=goal.pk)
        if entailment_model.asks_language_model(goal):
            with _kept(lease, goal) as is_wanted:
                found = _find(goal, known, beliefs, before, is_wanted)
        else:
            found = _find(goal, known, beliefs, before)
    if before.plans:
        found = replace(found, evidence={**found.evidence, **contradictions.since_last_plan(goal)})
    if isinstance(found, PlanDraft):
        with took.stage("understand"):
            found = kept_edits.fitted(goal, parameters.corrected(goal, found), before)
    return known, found


def _find(
    goal: Goal,
    known: Sequence[KnownRule],
    beliefs: Sequence[Believed],
    before: Earlier,
    is_wanted: Callable[[], bool] = lambda: True,
) -> PlanDraft | NoPlan:
    """The plan by the rules that a reviewer confirmed; where these no longer make one, by whichever apply now."""
    if before.documents and (drawn := by_design.plan(goal)) is not None:
        return drawn
    choice = rule_choice.confirmed(goal) if before.documents else None
    look, read = set_items.look_in(goal.workspace), base_files.beginnings_in(goal.workspace.head)
    said = [belief.sentence for belief in beliefs]
    with entailment_model.asked_about(said, goal=goal, is_wanted=is_wanted) as judges:
        if choice is not None:
            found = means_ends.plan(
                goal.text, known, beliefs, tools_in_use(),
                chosen=choice.chosen, judge_by=judges, look=look, read=read,
            )  # fmt: skip
            if isinstance(found, PlanDraft):
                return rule_choice.with_confirmation(found, choice)
            again = "the rules that were confirmed no longer make a plan; the choice is made again"
            logs.say(goal.pk, "bdi_agent", "plan", again, level="warning")
        return means_ends.plan(goal.text, known, beliefs, tools_in_use(), judge_by=judges, look=look, read=read)


def _understood(lease: Lease, goal: Goal, without: NoPlan) -> PlanDraft | NoPlan:
    """The goal as commands. A model may be asked for a value, so the lease is kept meanwhile. Raises Stopped.

    Of a sentence that mindX wrote itself nothing is asked: what it lacks is a plan.
    """
    found = _asked_or_understood(lease, goal, without)
    return without if isinstance(found, NoPlan) and goal_texts.is_own(goal.text) else found


def _asked_or_understood(lease: Lease, goal: Goal, without: NoPlan) -> PlanDraft | NoPlan:
    if not models_of(goal.agent):
        return parameters.understood(goal, without)
    with _kept(lease, goal) as is_wanted:
        return parameters.understood(goal, without, is_wanted=is_wanted)


@contextmanager
def _kept(lease: Lease, goal: Goal) -> Iterator[Callable[[], bool]]:
    """Keep the lease while a model is asked; what is given tells whether its answer is still wanted.

    Raises LeaseLost when the goal was taken over meanwhile, Stopped when it was cancelled.
    """
    cancelled = Goal.objects.filter(pk=goal.pk).exclude(state=goal.state)
    with Companion(lease.goal_id, renew=lambda: renew(lease), is_cancelled=cancelled.exists) as companion:
        try:
            yield lambda: not companion.stop_work.is_set()
        except Stopped:
            if companion.lost:
                raise LeaseLost(f"goal {goal.pk} was taken over while a model was asked") from None
            raise


def _taken_in(beliefs: Sequence[Believed]) -> NewLine:
    said = f"holds {len(beliefs)} beliefs about workspace, tools and machine"
    sources = dict(Counter(belief.source for belief in beliefs))
    return logs.decided(Decision.TAKE_IN, "perceive", said, beliefs=len(beliefs), sources=sources)


def _propose(goal: Goal, draft: PlanDraft, took: Took | None, said: Sequence[NewLine] = ()) -> bool:
    """Propose it, or have the choice of its rules reviewed first; whether the lease was given back with it."""
    if rule_choice.must_ask(goal, draft):
        logs.write(goal.pk, said)
        rule_choice.ask(goal, draft)
        return False
    proposals.propose(goal, draft, took=took, said=[*said, *decision_lines.lines_of(draft)], gives_back=True)
    return True


def _recovery(goal: Goal, thought: _Thought, beliefs: Sequence[Believed], before: Earlier) -> Recovery | None:
    """What is done about planning that has failed; None when it has not, or only asks something."""
    found, problems = thought.found, thought.problems
    if isinstance(found, PlanDraft) and not problems:
        return None
    reason = thought.reason
    if reason.startswith(_NO_FAILURES):
        return None
    return planning_recovery.decide(
        goal, found, problems, reason, _in_words(reason),
        known=thought.known, beliefs=beliefs, fit=lambda draft: kept_edits.fitted(goal, draft, before),
    )  # fmt: skip


def _without_plan(goal: Goal, thought: _Thought, recovery: Recovery | None, took: Took) -> None:
    """No valid plan: keep the evidence, and do what was decided about it; a question waits for its answer."""
    reason = thought.reason
    plan = Plan.objects.create(
        goal=goal,
        number=numbering.last_of(goal).plan + 1,
        source=thought.source,
        steps=[],
        evidence=dict(thought.found.evidence),
        problems=[problem.message for problem in thought.problems] or [reason],
    )
    Planning.objects.create(
        plan=plan, goal=goal, agent_id=goal.agent_id, source=plan.source, is_valid=False, at=plan.created_at,
        **took.as_row(),
    )  # fmt: skip
    if recovery is None or recovery.asks_a_person:
        hint = _hint(reason) if recovery is None else MANUAL_HINT
        # Ready plans may be offered where nothing was understood: then the reason is their question.
        is_offered = recovery is not None and reason.startswith(drafting.QUESTION)
        why = recovery.facts.no_plan if recovery is not None and is_offered else thought.told
        said = f"{_in_words(why)}; {hint}"
        data = {"reason": thought.told, "problems": plan.problems[:5], "source": plan.source}
        logs.say_decided(goal.pk, Decision.FIND_NO_PLAN, "plan", said, "warning", **data)
    if recovery is None:
        move_goal(goal, GoalState.MANUAL, by="bdi_agent", reason=reason)
        return
    planning_recovery.carry_out(goal, recovery, thought.told)
    if recovery.draft is not None:
        _propose(goal, recovery.draft, None)  # the planning that took the time came to nothing


def _why_invalid(problems: Sequence[Problem]) -> str:
    """A policy that forbids the plan is named in the goal's reason: nobody can mend the plan without knowing it."""
    forbidden = next((each for each in problems if each.code == proposals.FORBIDDEN), None)
    return f"{proposals.FORBIDDEN}: {forbidden.message}" if forbidden else "invalid_plan"


def _hint(reason: str) -> str:
    return "it can be opened there" if reason.startswith(command_goals.COMMAND) else "a person must answer"


def _in_words(reason: str) -> str:
    if reason.startswith(command_goals.COMMAND):
        return reason.partition(": ")[2]
    if reason.startswith(drafting.QUESTION):
        return f"it is understood but for a question, “{reason.partition(': ')[2]}”"
    code, _, said = reason.partition(": ")
    if said and code in refusals.CODES:
        return said.rstrip(".")
    return {
        "no_relevant_rule": "no rule knows this goal",
        "no_applicable_rule": "a rule knows this goal, but its conditions do not hold",
        "no_rule_compiled": "rules know this goal, but none of their steps can be planned",
        "unusable_value": "a value in this goal cannot be used",
        means_ends.OVER_LIMIT: "a rule knows this goal, but it is more than one plan may do",
        "refused_step_again": "the rules plan a step again that was not approved",
        "failed_step_again": "the step that failed is planned again as it was",
        "same_plan_again": "the rules give the same plan that was sent back",
        "invalid_plan": "the plan has problems",
        "model_plan_invalid": "the model's plans had problems, as often as it was asked",
        "model_finds_no_plan": "no rule knows this goal, and the model finds no plan for it",
    }.get(reason, reason.replace("_", " "))
