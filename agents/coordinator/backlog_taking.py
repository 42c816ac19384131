"""Taking up approved items as goals, looking at what came of them, and the rules that stop both."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection, transaction
from django.utils import timezone

from agents.bdi.outcome.outcome import Outcome
from agents.coordinator import backlog, backlog_overview
from agents.goals import component_goals
from agents.goals.component_goals import Terms
from agents.mastermind import outcomes, stops
from agents.mastermind.components import Component
from agents.mastermind.outcomes import Measured
from agents.mastermind.stops import Rules
from agents.models import Attempt, BacklogItem, BacklogLift, BacklogRules, BacklogTry, Goal, Intent, IntentPlan
from agents.record.bounded_text import checked
from agents.record.causes import Forged
from agents.record.errors import AgentsError, NotPossibleNow, NotYours
from agents.record.moves import move_backlog_item
from agents.states import GOAL_ENDED, BacklogState, GoalState, MoveRefused
from agents.workspaces.stores import store
from people import journal
from people.journal import Event
from people.models import User
from people.roles import Role
from sandbox.store.snapshots import DamagedStore

logger = logging.getLogger(__name__)

# Without a number so many are taken up at once.
USUAL_NUMBER = 3
_SETTLED_AT_ONCE = 50
# Items that cannot be taken up do not hide those behind them.
_PASSED_OVER = 20
# "mxbl", for the one lock that taking up takes.
_ONE_AT_A_TIME = 0x6D78626C
_AUDITS = (("audit_and_improve", "audit"), ("system_analyzer", "analyze"))


@dataclass(frozen=True)
class Taken:
    """What was taken up, each with its goal, what could not be, with the reason, and why no more."""

    begun: tuple[tuple[BacklogItem, Goal], ...]
    refused: tuple[tuple[BacklogItem, str], ...]
    stopped: str


def may_process(user: User) -> bool:
    """Whether the person has approved items taken up: the goals are then theirs."""
    return user.has_role(Role.OPERATOR)


def stop_rules() -> Rules:
    """The rules in force."""
    row = backlog.rules()
    return Rules(row.failures_of_one, row.without_success, row.per_day)


def why_stopped(by: User) -> str:
    """Why nothing is taken up at the moment; empty when something may be."""
    return backlog_overview.overview(by, days=0).stopped


def process(*, by: User, most: int = USUAL_NUMBER) -> Taken:
    """Take up the most urgent approved items, each as a goal of this person. Raises NotYours."""
    if not may_process(by):
        raise NotYours("Only operators can start approved items.")
    settle()
    begun: list[tuple[BacklogItem, Goal]] = []
    refused: list[tuple[BacklogItem, str]] = []
    stopped = ""
    approved = BacklogItem.objects.filter(state=BacklogState.APPROVED.value).select_related("source_goal__workspace")
    for item in approved.defer("embedding").order_by("priority", "pk")[: max(0, most) + _PASSED_OVER]:
        if len(begun) >= most:
            break
        try:
            begun.append((item, _take_up(item, by)))
        except _RuleSaysNo as no:
            stopped = str(no)
            break
        except MoveRefused:
            continue
        except AgentsError as error:
            refused.append((item, str(error)))
    return Taken(tuple(begun), tuple(refused), stopped)


class _RuleSaysNo(Exception):
    """A stop rule holds."""


def _take_up(item: BacklogItem, by: User) -> Goal:
    """Make the item's goal. Two races: somebody else takes it up or rejects it, and the move lets one through; two
    process at once and would share the last place of the day, so one of them waits and counts again.
    """
    key = f"backlog:{item.pk}:{item.tries + 1}"
    component = Component(item.target_kind, item.target_name)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ONE_AT_A_TIME])
        if stopped := why_stopped(by):
            raise _RuleSaysNo(stopped)
        move_backlog_item(item, BacklogState.IN_PROGRESS, reason="", tries=item.tries + 1)
        workspace = item.source_goal.workspace if component.kind == "path" and item.source_goal else None
        terms = Terms(by, workspace, priority=item.priority, key=key)
        # What an analysis found has its safe fixes, and audits tell what became of it; a wish is words.
        wish = "" if item.source == BacklogItem.Source.ANALYSIS else item.suggestion
        goal = component_goals.improve(component, wish, terms)
        BacklogTry.objects.create(item=item, goal=goal)
        told = {"what": "took up", "target": item.target, "after": {"goal": goal.pk}}
        journal.record(Event.BACKLOG, by=by, subject=f"item:{item.pk}", data=told)
    return goal


def settle() -> int:
    """Look at what came of the tries whose goals have ended; returns how many. May run at any time and twice."""
    ended = [state.value for state in GOAL_ENDED]
    open_tries = BacklogTry.objects.filter(ended_at=None, goal__state__in=ended).select_related("item", "goal")
    settled = 0
    for one in open_tries.order_by("pk")[:_SETTLED_AT_ONCE]:
        settled += _settle(one, measure(one.goal))
    return settled


def _settle(one: BacklogTry, measured: Measured) -> bool:
    outcome, words = outcomes.judged(measured)
    with transaction.atomic():
        # The race: two sweeps look at the same try; the condition lets one of them count it.
        mine = BacklogTry.objects.filter(pk=one.pk, ended_at=None)
        if not mine.update(ended_at=timezone.now(), outcome=outcome, words=words):
            return False
        item = BacklogItem.objects.select_for_update(no_key=True).get(pk=one.item_id)
        is_done = outcome in (stops.IMPROVED, stops.UNMEASURED)
        failures = 0 if is_done else item.failures + 1
        why = stops.why_item_stopped(stop_rules(), failures)
        new = BacklogState.DONE if is_done else BacklogState.STOPPED if why else BacklogState.APPROVED
        reason = f"{why}. {words}" if why else words
        try:
            move_backlog_item(item, new, reason=reason, outcome=outcome, outcome_words=words, failures=failures)
        except Forged:
            # The goal has ended either way, so the try has, too; the item stays as it is.
            logger.exception("An item of the backlog is left")
    return True


def measure(goal: Goal) -> Measured:
    """What can be said of an ended goal by figures: audits before and after, and which files differ."""
    # Of a wish that was missed, or handed to people again, nothing is better.
    if goal.state != GoalState.ACHIEVED or goal.has_missed or goal.outcome == Outcome.HANDED_OVER:
        return Measured(failed=goal.shown_state, reason=goal.reason)
    plans = list(goal.intent_plans.order_by("revision"))
    found = Intent.objects.filter(intent_plan__in=plans, phase=Intent.Phase.MAIN, tool__in=dict(_AUDITS))
    results = found.order_by("intent_plan__revision", "position").values_list("tool", "command", "result")
    findings = [
        number
        for tool, command, result in results
        if (tool, command) in _AUDITS and (number := findings_in(result)) is not None
    ]
    return Measured(findings, _changed(plans))


def findings_in(result: object) -> int | None:
    """How many findings an audit's result tells; None where it tells none."""
    report = result.get("report") if isinstance(result, dict) else None
    totals = report.get("totals") if isinstance(report, dict) else None
    if not isinstance(totals, dict):
        return None
    numbers = [totals.get(name) for name in ("findings", "security", "unused")]
    return sum(number for number in numbers if isinstance(number, int))


def _changed(plans: Iterable[IntentPlan]) -> int | None:
    """How many files differ between what the first step found and what the last one left."""
    ran = Attempt.objects.filter(intent__intent_plan__in=list(plans))
    first = ran.order_by("started", "pk").first()
    last = ran.exclude(snapshot_after="").order_by("-started", "-pk").first()
    if first is None or last is None:
        return None
    try:
        return len(store().diff(first.snapshot_before, last.snapshot_after))
    except (KeyError, DamagedStore):
        return None


def lift(*, by: User, reason: str) -> BacklogLift:
    """Let the backlog go on although a rule stopped it. Raises NotPossibleNow where none did."""
    if not may_process(by):
        raise NotYours("Only operators can resume the backlog.")
    reason = checked(reason, field="reason", most=backlog.REASON_MAX, empty="Give a reason for resuming.")
    stopped = why_stopped(by)
    if not stopped:
        raise NotPossibleNow("The backlog is not stopped by a rule.")
    with transaction.atomic():
        row = BacklogLift.objects.create(by=by, reason=reason, stopped_by=stopped)
        told = {"what": "resumed", "before": {"stopped": stopped}, "why": reason}
        journal.record(Event.BACKLOG, by=by, subject="mindx:items", data=told)
    return row


_BOUND_WORDS = {
    "failures_of_one": "One item may fail {} times in a row.",
    "without_success": "{} may end without an improvement.",
    "per_day": "{} may be started in a day.",
}


def save_rules(rules: Rules, near_enough: float, *, by: User, note: str = "") -> BacklogRules:
    """Save other stop rules as the next version; they hold at the next decision."""
    if not may_process(by):
        raise NotYours("Only operators can change the backlog rules.")
    row = BacklogRules(
        failures_of_one=rules.failures_of_one,
        without_success=rules.without_success,
        per_day=rules.per_day,
        near_enough=near_enough,
        by=by,
        note=note.strip()[: backlog.REASON_MAX],
    )
    before = backlog.rules()
    named = (*stops.BOUNDS, "near_enough")
    for name, (least, most) in stops.BOUNDS.items():
        if not least <= getattr(row, name) <= most:
            raise NotPossibleNow(_BOUND_WORDS[name].format(f"{least} to {most:,}"))
    if not 0.5 <= near_enough <= 1.0:
        raise NotPossibleNow("Similarity is from 0.5 to 1.")
    with transaction.atomic():
        row.save()
        told = {
            "what": "set the rules of",
            "before": {name: getattr(before, name) for name in named},
            "after": {name: getattr(row, name) for name in named},
            "why": row.note,
        }
        journal.record(Event.BACKLOG, by=by, subject="mindx:items", data=told)
    return row
