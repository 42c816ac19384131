"""What the pages of A/B trials say: the plan of one, its course against its boundaries, its cases and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agents.evolution.ab_trials import trial_plans, version_trials
from agents.evolution.ab_trials.trial_plans import Asked
from agents.evolution.ab_trials.version_trials import Offer, Wanted
from agents.evolution.activation import deciding
from agents.evolution.sequential import Look
from agents.models import VersionTrial, VersionTrialCase
from agents.pages.evolution import replay_page
from agents.pages.library.component_page import page_of
from agents.presentation.rates import Rate, rate
from agents.record.selectors import may_see
from agents.states import ReplayState
from library.models import Component, ComponentVersion
from people.models import User
from people.roles import Role

_WIDTH, _HEIGHT = 1000, 100
_CASES_SHOWN = 100
_LISTED = 5
_SAYS = {
    "a_better": "A ({a}) is better: it succeeded in more cases than chance explains.",
    "b_better": "B ({b}) is better: it succeeded in more cases than chance explains.",
    "no_difference": "No difference that large: neither version is better by {difference} points or more.",
    "undecided": "Undecided: there were too few cases. What was seen may be chance.",
    "stopped": "Stopped before the answer was known.",
}


@dataclass(frozen=True)
class Chart:
    """The course as paths of a drawing of 1000 by 100: how far B is ahead after each case, and how far it takes."""

    line: str
    upper: str
    lower: str
    most: int
    cases: int
    sentence: str


@dataclass(frozen=True)
class Side:
    """One version in a live trial. `waiting`: its cases of which nobody knows yet."""

    letter: str
    version: ComponentVersion
    rate: Rate
    waiting: int


@dataclass(frozen=True)
class Case:
    """A goal or an answer of a live trial; hidden from who may not see it."""

    case: VersionTrialCase
    is_hidden: bool

    @property
    def came(self) -> str:
        """The result of this case, in words."""
        if self.case.known_at is None:
            return "waiting"
        return {True: "worked", False: "failed", None: "says nothing"}[self.case.worked]


@dataclass(frozen=True)
class TrialPage:
    """One trial, for one reader."""

    trial: VersionTrial
    user: User

    @property
    def page(self) -> str:
        """Where its component is decided on."""
        return page_of(self.trial.component)

    @property
    def may_stop(self) -> bool:
        """Whether this person may end it now."""
        return self.trial.is_running and version_trials.may_begin(self.user, self.trial.component)

    @cached_property
    def looks(self) -> list[Look]:
        """What was known after each case."""
        return version_trials.looks(self.trial)

    @property
    def cases(self) -> int:
        """How many were compared."""
        return len(self.looks)

    @property
    def last(self) -> Look | None:
        """What is known now."""
        return self.looks[-1] if self.looks else None

    @property
    def unit(self) -> str:
        """What a case is, in the plural."""
        if not self.trial.is_live:
            return "cases"
        return "pairs of answers" if self.trial.component.kind == Component.Kind.PROMPT else "pairs of goals"

    @property
    def says(self) -> str:
        """The verdict, or how far it is from one, in plain English."""
        trial = self.trial
        if not trial.is_running:
            words = {"a": trial.a.version, "b": trial.b.version, "difference": trial.difference}
            return _SAYS[trial.verdict].format(**words)
        left = trial.most_cases - self.cases
        return f"Undecided so far: at most {left} {self.unit} more."

    @property
    def odds(self) -> str:
        """What would decide it next, as a sentence; empty once it has ended."""
        if not self.trial.is_running or self.last is None:
            return ""
        ahead, needed = abs(self.last.ahead), self.last.needed
        leader = "B" if self.last.ahead > 0 else "A" if self.last.ahead < 0 else "Neither"
        is_ahead = f"{leader} is ahead by {ahead}" if ahead else "Neither is ahead"
        return f"{is_ahead}; a lead of {needed} decides now."

    @property
    def chart(self) -> Chart | None:
        """None before the first case."""
        return chart_of(self.looks) if self.looks else None

    @property
    def replay(self) -> Any:
        """What a worker does for it; None: live."""
        return self.trial.replays.order_by("-pk").first()

    @property
    def replayed(self) -> int:
        """How many cases a worker has done, those that prove nothing too."""
        return 0 if self.replay is None else self.replay.cases.filter(is_done=True).count()

    @property
    def waits_for_worker(self) -> bool:
        """Whether nobody has begun its replay."""
        return self.replay is not None and self.replay.state == ReplayState.WAITING

    @cached_property
    def flips(self) -> tuple[replay_page.Row, ...]:
        """The cases of a replayed one that were done, as the page of a candidate shows them."""
        if self.replay is None:
            return ()
        return replay_page.rows_of(self.replay.cases.filter(is_done=True), self.trial.b, self.user)

    @property
    def tally(self) -> list[tuple[str, int]]:
        """The flip table in numbers."""
        words = {
            "fixed": "only B works",
            "broken": "only A works",
            "unchanged": "both end alike",
            "unproven": "unproven",
        }
        ends = [row.flip for row in self.flips]
        return [(said, ends.count(flip)) for flip, said in words.items()]

    @property
    def sides(self) -> list[Side]:
        """Both versions of a live one, with the share of their cases that worked and its interval."""
        found = []
        for letter, version, is_b in (("A", self.trial.a, False), ("B", self.trial.b, True)):
            cases = self.trial.cases.filter(is_b=is_b)
            known = cases.exclude(worked=None)
            rates = rate(known.filter(worked=True).count(), known.count())
            found.append(Side(letter, version, rates, cases.filter(known_at=None).count()))
        return found

    @property
    def live_cases(self) -> list[Case]:
        """The newest cases of a live one."""
        rows = self.trial.cases.select_related("goal").order_by("-pk")[:_CASES_SHOWN]
        return [Case(row, self._is_hidden(row)) for row in rows]

    def _is_hidden(self, case: VersionTrialCase) -> bool:
        if case.call is not None:
            return not self.user.has_role(Role.OPERATOR)
        return case.goal is None or not may_see(self.user, case.goal.submitted_by_id)


@dataclass(frozen=True)
class OfComponent:
    """What the page of a component says of its trials."""

    component: Component
    user: Any

    @property
    def rows(self) -> list[VersionTrial]:
        """The newest ones."""
        return list(version_trials.listed(self.component)[:_LISTED])

    @property
    def may_begin(self) -> bool:
        """Whether this person may begin one."""
        return version_trials.may_begin(self.user, self.component)

    @property
    def shown(self) -> bool:
        """Whether there is anything to compare."""
        newest = self.component.versions.select_related("component").order_by("-pk").first()
        return newest is not None and newest.parent_id is not None and version_trials.can_be(newest)


@dataclass(frozen=True)
class FormPage:
    """The form of a new trial: what was chosen, what that takes, and what else there is."""

    component: Component
    versions: Sequence[ComponentVersion]
    wanted: Wanted
    user: User

    @cached_property
    def offer(self) -> Offer:
        """What it takes."""
        return version_trials.offer(self.wanted)

    @property
    def page(self) -> str:
        """Where the component is shown."""
        return page_of(self.component)

    @property
    def modes(self) -> tuple[str, ...]:
        """On what these can be compared."""
        return version_trials.modes_of(self.component)

    @property
    def not_live(self) -> str:
        """Why not on new goals or requests; empty where that is possible."""
        return version_trials.NOT_LIVE.get(self.component.kind, "")

    @property
    def may_begin(self) -> bool:
        """Whether this person may."""
        return version_trials.may_begin(self.user, self.component)

    @property
    def may_lift(self) -> bool:
        """Whether this person may have a version tried live that the gate does not let in."""
        return not self.not_live and self.user.has_role(Role.ADMIN)

    @property
    def kept_out_by(self) -> str:
        """What the gate has against a live B, as a sentence; empty where nothing, or where copies are compared."""
        return deciding.standing(self.wanted.b).why_not if self.is_live and not self.not_live else ""

    @property
    def alphas(self) -> tuple[int, ...]:
        """Chances of error to choose from, in percent."""
        return trial_plans.ALPHAS

    @property
    def powers(self) -> tuple[int, ...]:
        """Chances to notice to choose from, in percent."""
        return trial_plans.POWERS

    @property
    def is_live(self) -> bool:
        """Whether new goals or requests are chosen."""
        return self.wanted.mode == VersionTrial.Mode.LIVE

    @property
    def unit(self) -> str:
        """What a case is."""
        if not self.is_live:
            return "cases"
        return "pairs of answers" if self.component.kind == Component.Kind.PROMPT else "pairs of goals"

    @property
    def power_percent(self) -> int:
        """How likely the difference is noticed, with the cases that there are."""
        return int(100 * self.offer.plan.power)

    @property
    def is_weak(self) -> bool:
        """Whether it will most likely end undecided, even if B is better by that much."""
        return self.offer.plan.power < 0.5

    @property
    def weeks(self) -> tuple[float, float] | None:
        """How long a live one takes at most, and on average if both are alike; None: nothing came lately."""
        if not self.offer.a_week:
            return None
        pairs_a_week = self.offer.a_week / 2
        return self.offer.plan.most / pairs_a_week, self.offer.plan.expected_if_alike / pairs_a_week

    @property
    def minutes(self) -> tuple[float, float] | None:
        """The same of a replayed one, in minutes; None: nothing was replayed yet."""
        if self.offer.seconds_a_case is None:
            return None
        each = self.offer.seconds_a_case / 60
        return self.offer.plan.most * each, self.offer.plan.expected_if_alike * each


def form_of(component: Component, user: User, chosen: Wanted | None, usual: dict[str, Any]) -> FormPage | None:
    """The form as it stands; None: there are no two versions to compare. `usual`: what the address names."""
    versions = list(component.versions.select_related("component", "parent").order_by("-pk"))
    if len(versions) < 2:
        return None
    return FormPage(component, versions, chosen or _usual(component, versions, usual), user)


def _usual(component: Component, versions: Sequence[ComponentVersion], named: dict[str, Any]) -> Wanted:
    """The version in use beside the one that the reader came from, or the newest other one."""
    active = next((one for one in versions if one.status == ComponentVersion.Status.ACTIVE), versions[-1])
    others = [one for one in versions if one.pk != active.pk]
    b = next((one for one in others if one.pk == named.get("b")), others[0])
    mode = str(named.get("mode") or "")
    if mode not in version_trials.modes_of(component):
        mode = VersionTrial.Mode.REPLAYED.value
    return Wanted(active, b, mode, Asked(differ=usual_differ(active, mode)))


def usual_differ(a: ComponentVersion, mode: str, difference: int = trial_plans.USUAL_DIFFERENCE) -> int:
    """How many of a hundred cases are thought to come out differently, before anybody says otherwise."""
    ended = a.successes + a.failures
    works = a.successes / ended if mode == VersionTrial.Mode.LIVE and ended >= 10 else None
    return trial_plans.usual_differ(works, difference)


def chart_of(looks: Sequence[Look]) -> Chart:
    """Steps from case to case; the boundary is what it took with the differences that there were then."""
    most = max(max(look.needed, abs(look.ahead)) for look in looks) + 1
    ahead = [0, *(look.ahead for look in looks)]
    needed = [looks[0].needed, *(look.needed for look in looks)]
    last = looks[-1]
    leader = "B" if last.ahead > 0 else "A" if last.ahead < 0 else "neither"
    return Chart(
        _steps(ahead, most),
        _steps(needed, most),
        _steps([-one for one in needed], most),
        most,
        len(looks),
        f"after {len(looks)} cases {leader} is ahead, by {abs(last.ahead)}; {last.needed} decide",
    )


def _steps(values: Sequence[int], most: int) -> str:
    across = _WIDTH / max(1, len(values) - 1)
    points = [(at * across, _HEIGHT / 2 * (1 - value / most)) for at, value in enumerate(values)]
    start = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    return start + "".join(f"H{x:.1f}V{y:.1f}" for x, y in points[1:])
