"""The last goals planned again by the rules in use: which rule each would get with the thresholds that count now, and
which with proposed ones.

What was believed is kept with each planning. No language model is asked, so its threshold
cannot be tried. Nor are those of environments: no planning of a goal uses them.
"""

from __future__ import annotations

from django.conf import settings
from django.db.models import QuerySet

from agents.bdi.planning import means_ends
from agents.beliefs import entailment_model
from agents.beliefs.entailment_model import Thresholds
from agents.components import rules
from agents.insights import past_goals
from agents.insights.past_goals import PastGoal
from agents.models import Goal
from agents.rules.selection import KnownRule
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import PlanDraft
from agents.tuning import of_entailment
from agents.tuning.kinds import Kind, Values
from agents.tuning.trials import CASES, Case, Clock, Tally, Trial, nothing_written
from library.language.entailment import model

SERVED, UNSERVED = "a rule", "no rule"
_NO_LANGUAGE = "No language model is asked in a trial: what it would say with another threshold is not shown."
_NO_ENVIRONMENT = "Goals in workspaces are tried: what the thresholds in environments would change is not shown."
_OFF = "Rules do not ask the entailment model here (MINDX_ENTAILMENT). The trial shows what they would do if they did."


def try_out(kind: Kind, values: Values, readable: QuerySet[Goal], clock: Clock) -> Trial:
    """Which rules the last goals would get with these values."""
    # Loaded outside of the transaction: it takes a second, and on a busy machine all the time that a trial has.
    with clock.stopped():
        why_not = model.why_unavailable()
    with nothing_written():
        known = rules.known_rules()
        goals = past_goals.newest(Goal.objects.all(), CASES)
        tally = Tally(len(goals), clock)
        now, then = entailment_model.thresholds(), of_entailment.thresholds_of(values)
        for goal in goals:
            if clock.is_over:
                break
            before, after = _rule(goal, known, now), _rule(goal, known, then)
            case = Case(
                goal.goal, goal.goal, "", f"planned by {goal.source}, {goal.state.replace('_', ' ')}", before, after
            )
            tally.add(case, {_sort(before): 1.0}, {_sort(after): 1.0})
        notes = [_NO_LANGUAGE, _NO_ENVIRONMENT, *([_OFF] if settings.ENTAILMENT == "structured" else [])]
        return tally.done(readable, (*notes, *([f"The entailment model cannot be used: {why_not}"] if why_not else [])))


def _rule(goal: PastGoal, known: list[KnownRule], sure: Thresholds) -> str:
    said = [belief.sentence for belief in goal.beliefs]
    with entailment_model.asked_about(said, keeps=False, sure=sure) as judges:
        found = means_ends.plan(goal.text, known, goal.beliefs, tools_in_use(), judge_by=judges)
    if not isinstance(found, PlanDraft):
        return f"{UNSERVED}: {found.reason.replace('_', ' ')}"
    return f"{SERVED}: {found.evidence['rule']['name']}"


def _sort(end: str) -> str:
    return end.partition(":")[0]
