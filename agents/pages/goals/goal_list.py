"""The list of goals as the page shows it: filtered, newest first, a page at a time, without counting."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Min, Q, QuerySet

from agents.bdi.outcome.outcome import Outcome
from agents.models import Goal, IntentPlan
from agents.record.selectors import approved, begun, page_of_goals, paused
from agents.states import GOAL_ENDED, GoalState, PlanState

PAGE = 40
# Words are looked for in this many goals at a time: no question of a reader may cost a scan of the whole table.
SEARCH_WINDOW = 5_000
OPEN = "open"
# Its plan is approved and has not begun: no state of its own, and for people another one than awaiting review.
APPROVED = "approved"
SEARCH_MAX = 200


@dataclass(frozen=True)
class GoalFilter:
    """What the reader asked for. `state` is a goal's state or outcome, "open", "approved" or nothing; `text` is
    words or a goal's number.
    """

    state: str = ""
    text: str = ""
    after: int | None = None

    @property
    def is_set(self) -> bool:
        """Whether anything narrows the list."""
        return bool(self.state or self.text)


@dataclass(frozen=True)
class GoalList:
    """One page. `older` is the id to ask after; `searched_all` is False when older goals were not looked at yet."""

    goals: list[Goal]
    older: int | None
    searched_all: bool = True


def find(visible: QuerySet[Goal], wanted: GoalFilter) -> GoalList:
    """One page of the goals in `visible` that fit, newest first."""
    goals = visible.annotate(begun=begun(), approved=approved(), paused=paused())
    if wanted.state == OPEN:
        goals = goals.exclude(state__in=[state.value for state in GOAL_ENDED])
    elif wanted.state == APPROVED:
        # By the plans, of which few stand so at a time.
        may_run = IntentPlan.objects.filter(state=PlanState.APPROVED.value)
        goals = goals.filter(state=GoalState.AWAITING_REVIEW.value, pk__in=may_run.values("goal"))
    elif wanted.state == GoalState.AWAITING_REVIEW:
        goals = goals.filter(state=GoalState.AWAITING_REVIEW.value, approved=False)
    elif wanted.state in set(Outcome):
        # As `shown_state` says it: goals from before there were checks have no outcome, and nothing checked them.
        came = [wanted.state, ""] if wanted.state == Outcome.NOT_CHECKED else [wanted.state]
        goals = goals.filter(state=GoalState.ACHIEVED.value, outcome__in=came)
    elif wanted.state:
        goals = goals.filter(state=GoalState(wanted.state).value)
    if wanted.text:
        return _search(goals, wanted)
    rows, older = page_of_goals(goals, wanted.after, PAGE)
    return GoalList(rows, older)


def _search(goals: QuerySet[Goal], wanted: GoalFilter) -> GoalList:
    """Look for the words in the next window of goals, and say where it ended when the table goes on."""
    earlier = goals if wanted.after is None else goals.filter(pk__lt=wanted.after)
    window = earlier.order_by("-pk").values("pk")[:SEARCH_WINDOW].aggregate(count=Count("pk"), oldest=Min("pk"))
    if not window["count"]:
        return GoalList([], None)
    # Bounds on the key, not a subquery: the planner then walks the window and nothing else.
    rows, older = page_of_goals(goals.filter(_fits(wanted.text), pk__gte=window["oldest"]), wanted.after, PAGE)
    if older is not None:
        return GoalList(rows, older, searched_all=False)
    if window["count"] < SEARCH_WINDOW:
        return GoalList(rows, None)
    return GoalList(rows, window["oldest"], searched_all=False)


def _fits(text: str) -> Q:
    fits = Q(text__icontains=text) | Q(workspace__name__icontains=text)
    number = text.removeprefix("#")
    # Sixteen digits fit the column whatever they are.
    if number.isascii() and number.isdigit() and len(number) <= 16:
        fits |= Q(pk=int(number))
    return fits
