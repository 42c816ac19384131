"""What the page of a version says of its replay: the verdict, the flip table, and what may be done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from agents.evolution.activation import deciding, rollouts
from agents.evolution.activation.deciding import Standing
from agents.evolution.replays import gate
from agents.evolution.replays.gate import Judgement
from agents.models import ReplayCase, Rollout
from agents.record.selectors import may_see
from agents.states import ReplayState
from library.components import services as library
from library.models import ComponentVersion, ModelCall
from people.roles import Role

_ENDS = {True: "passed", False: "failed", None: "unproven"}
PERCENTS = (5, 10, 25, 50)
# The most telling first.
_ORDER = ("broken", "fixed", "unproven", "unchanged", "waiting")

# The page of a watch says how likely it notices a version that breaks these shares of the goals.
_TOLD = (0.2, 0.1)


@dataclass(frozen=True)
class Row:
    """One case as the table shows it. `is_hidden`: its text and words stay from this reader."""

    case: ReplayCase
    flip: str
    is_hidden: bool

    @property
    def parent(self) -> str:
        """How the parent ended."""
        return _ENDS[self.case.parent_passes]

    @property
    def candidate(self) -> str:
        """How the candidate ended."""
        return _ENDS[self.case.candidate_passes]


@dataclass(frozen=True)
class Watch:
    """What the goals say that were planned since the version was put to use."""

    rollout: Rollout
    judgement: Judgement
    rows: tuple[Row, ...]

    @property
    def most(self) -> int:
        """After so many goals the watch over an active version ends."""
        return rollouts.CASES_MOST

    @property
    def notices(self) -> list[tuple[int, int, int]]:
        """Of a version that breaks so many goals of a hundred: how likely it is noticed, in percent, and how likely if
        it fixes five of a hundred as well.
        """
        most = rollouts.CASES_MOST
        chances = [(broken, *(gate.chance_to_notice(broken, fixed, most) for fixed in (0.0, 0.05))) for broken in _TOLD]
        return [(round(100 * broken), round(100 * alone), round(100 * mixed)) for broken, alone, mixed in chances]

    @property
    def done(self) -> int:
        """How many goals both versions were tried on."""
        return sum(row.case.is_done for row in self.rows)


@dataclass(frozen=True)
class Proof:
    """The replay of the shown version, and what of it this person may do."""

    version: ComponentVersion
    standing: Standing
    rows: tuple[Row, ...]
    may_ask: bool
    may_lift: bool
    watch: Watch | None = None

    @property
    def may_begin_canary(self) -> bool:
        """Whether the version could plan a share of new goals; the gate and the person's roles aside."""
        return self.version.status == ComponentVersion.Status.CANDIDATE

    @property
    def percents(self) -> tuple[int, ...]:
        """The shares that the page offers."""
        return PERCENTS

    @property
    def is_under_way(self) -> bool:
        """Whether a worker has it or will."""
        replay = self.standing.replay
        return replay is not None and replay.state in (ReplayState.WAITING, ReplayState.RUNNING)

    @property
    def done(self) -> int:
        """How many cases both sides were tried on."""
        return sum(row.case.is_done for row in self.rows)

    @property
    def parent_s(self) -> float:
        """The seconds that the parent took for all cases."""
        return sum(row.case.parent_s for row in self.rows)

    @property
    def candidate_s(self) -> float:
        """The seconds that the candidate took for all cases."""
        return sum(row.case.candidate_s for row in self.rows)


def of(version: ComponentVersion, user: Any) -> Proof | None:
    """The proof of a version that was made from another one; None for a first version."""
    if version.parent_id is None:
        return None
    standing = deciding.standing(version)
    rows = rows_of(standing.replay.cases.all(), version, user) if standing.replay is not None else ()
    watch = _watch(version, user)
    return Proof(version, standing, rows, library.may_write(user), user.has_role(Role.ADMIN), watch)


def _watch(version: ComponentVersion, user: Any) -> Watch | None:
    rollout = rollouts.latest(version)
    if rollout is None:
        return None
    cases = ReplayCase.objects.filter(replay__rollout=rollout)
    return Watch(rollout, rollouts.judgement(rollout), rows_of(cases, version, user))


def flip_of(case: ReplayCase) -> str:
    """What the change did to a case."""
    if not case.is_done:
        return "waiting"
    if case.parent_passes is None or case.candidate_passes is None:
        return "unproven"
    if case.parent_passes == case.candidate_passes:
        return "unchanged"
    return "fixed" if case.candidate_passes else "broken"


def rows_of(cases: QuerySet[ReplayCase], version: ComponentVersion, user: Any) -> tuple[Row, ...]:
    """A sealed case stays from whoever wrote a version of the component, so that the next one is not written for it; a
    goal of somebody else from who may not read that.
    """
    rows = []
    is_author = ComponentVersion.objects.filter(component=version.component_id, created_by=user.pk).exists()
    of_nobody = _calls_of_nobody(cases)
    for case in cases.select_related("goal"):
        is_sealed = is_author and case.half == ReplayCase.Half.SEALED
        if case.call in of_nobody:
            is_foreign = not user.has_role(Role.OPERATOR)
        else:
            is_foreign = case.goal is None or not may_see(user, case.goal.submitted_by_id)
        rows.append(Row(case, flip_of(case), is_sealed or is_foreign))
    return tuple(sorted(rows, key=lambda row: (_ORDER.index(row.flip), row.case.number)))


def _calls_of_nobody(cases: QuerySet[ReplayCase]) -> set[int]:
    """The recorded calls among the cases that no goal stands behind: those who set budgets see them."""
    calls = [call for call in cases.values_list("call", flat=True) if call is not None]
    return set(ModelCall.objects.filter(pk__in=calls, goal="").values_list("pk", flat=True)) if calls else set()
