"""The page of evolution: what the past proposes, what is under way, and how the commands of tools do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.db import connection
from django.urls import reverse
from django.utils import timezone

from agents.components import made_tools
from agents.components.rules import KIND
from agents.components.workflow_library import KIND as WORKFLOW
from agents.evolution.ab_trials import version_trials
from agents.evolution.activation import deciding
from agents.evolution.auditing import proposing, sources
from agents.evolution.candidates import starting
from agents.evolution.replays import replays
from agents.models import EvolutionGrant, EvolutionProposal, EvolutionStart, Rollout, VersionTrial
from agents.pages.library.component_page import page_of
from agents.presentation.rates import Rate, rate
from agents.record.selectors import goals_visible_to
from agents.states import GoalState, RolloutState
from library.components import services as library
from library.models import Component, ComponentVersion
from people.models import User
from people.roles import Role

DAYS = 30
MOST_LISTED = 100
_GOALS_NAMED = 8
_TRIALS = 5
_WHAT = {
    "risk": "Risks",
    "failing": "Failing lately",
    "low_success": "Low success",
    "setting": "Recovery",
    "gap": "Gaps",
    "redundancy": "Redundancies",
    "orphaned": "Orphaned",
    "unused": "Unused",
}
_COMMANDS = """
    SELECT intent.tool, intent.command, count(*), count(*) FILTER (WHERE attempt.outcome = 'succeeded'),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM attempt.finished - attempt.started)),
        percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM attempt.finished - attempt.started)),
        mode() WITHIN GROUP (ORDER BY attempt.failure_class) FILTER (WHERE attempt.outcome = 'failed')
    FROM agents_attempt AS attempt JOIN agents_intent AS intent ON intent.id = attempt.intent_id
    WHERE attempt.started >= %(since)s AND attempt.outcome IN ('succeeded', 'failed')
    GROUP BY intent.tool, intent.command ORDER BY count(*) DESC LIMIT 50
"""


@dataclass(frozen=True)
class Row:
    """A proposal with the goals that this person may see, and the click that acts on it."""

    proposal: EvolutionProposal
    goals: tuple[int, ...]
    action: str
    href: str


@dataclass(frozen=True)
class Command:
    """What the tries of one command came to. Times in seconds; `failure` is the most frequent class."""

    name: str
    rate: Rate
    median_s: float
    p95_s: float
    failure: str


@dataclass(frozen=True)
class Waiting:
    """A candidate or a canary, and what the gate says of it."""

    version: ComponentVersion
    says: str
    page: str


@dataclass(frozen=True)
class Watched:
    """A version that was put to use."""

    rollout: Rollout
    page: str


@dataclass(frozen=True)
class EvolutionPage:
    """Everything that the page shows to one person."""

    user: User

    @property
    def groups(self) -> list[tuple[str, list[Row]]]:
        """The open proposals by kind, the kinds in the order of their urgency."""
        rows = self._rows(proposing.open_ones(proposing.visible_to(self.user))[:MOST_LISTED])
        titles = list(dict.fromkeys([*_WHAT.values(), *(_title(row.proposal) for row in rows)]))
        found = [(title, [row for row in rows if _title(row.proposal) == title]) for title in titles]
        return [(title, rows) for title, rows in found if rows]

    @property
    def dismissed(self) -> list[EvolutionProposal]:
        """What somebody has put aside."""
        return list(proposing.dismissed(proposing.visible_to(self.user))[:MOST_LISTED])

    @property
    def waiting(self) -> list[Waiting]:
        """Candidates and canaries, the newest first."""
        used = (ComponentVersion.Status.CANDIDATE, ComponentVersion.Status.CANARY)
        rows = ComponentVersion.objects.filter(component__kind__in=(KIND, made_tools.KIND, WORKFLOW), status__in=used)
        rows = rows.select_related("component", "parent__component", "created_by").order_by("-pk")[:20]
        shown = [version for version in rows if replays.can_be(version)]
        return [Waiting(version, _says(version), page_of(version.component)) for version in shown]

    @property
    def rollouts(self) -> list[Watched]:
        """What is watched, and what was taken back lately."""
        lately = Rollout.objects.filter(state__in=(RolloutState.WATCHED.value, RolloutState.RETURNED.value))
        rows = lately.select_related("version__component", "previous").order_by("-pk")[:20]
        return [Watched(rollout, page_of(rollout.version.component)) for rollout in rows]

    @property
    def trials(self) -> list[VersionTrial]:
        """The newest A/B trials."""
        return list(version_trials.listed()[:_TRIALS])

    @property
    def grant(self) -> EvolutionGrant | None:
        """How many candidates a day may be begun without a person, as it was set last."""
        return starting.granted()

    @property
    def starts(self) -> list[EvolutionStart]:
        """The latest of those that were begun without a person."""
        return list(EvolutionStart.objects.select_related("version", "search__version").order_by("-pk")[:10])

    @property
    def may_grant(self) -> bool:
        """Whether this person may set that number."""
        return self.user.has_role(Role.ADMIN)

    @property
    def commands(self) -> list[Command]:
        """The commands of tools that ran in the last thirty days, the most used first."""
        with connection.cursor() as cursor:
            cursor.execute(_COMMANDS, {"since": timezone.now() - timedelta(days=DAYS)})
            return [
                Command(f"{tool}.{command}", rate(worked, runs), median or 0.0, p95 or 0.0, failure or "")
                for tool, command, runs, worked, median, p95, failure in cursor.fetchall()
            ]

    @property
    def may_dismiss(self) -> bool:
        """Whether this person may put proposals aside."""
        return library.may_write(self.user)

    def _rows(self, proposals: Iterable[EvolutionProposal]) -> list[Row]:
        shown = list(proposals)
        named = {goal for one in shown for goal in one.goals[:_GOALS_NAMED]}
        states = dict(goals_visible_to(self.user).filter(pk__in=named).values_list("pk", "state"))
        rules = dict(Component.objects.filter(kind=KIND).values_list("name", "pk"))
        rows = []
        for one in shown:
            goals = tuple(goal for goal in one.goals[:_GOALS_NAMED] if goal in states)
            worked = next((goal for goal in goals if states[goal] == GoalState.ACHIEVED), None)
            rows.append(Row(one, goals, *_next(one, self.user, rules, worked)))
        return rows


def _title(proposal: EvolutionProposal) -> str:
    source = sources.of(proposal.component_kind)
    return _WHAT[proposal.kind] if source is None else source.title


def _next(proposal: EvolutionProposal, user: User, rules: dict[str, int], worked: int | None) -> tuple[str, str]:
    """The click that acts on a proposal: its words and its address; both empty where there is none."""
    if (source := sources.of(proposal.component_kind)) is not None:
        return source.step(proposal.component_name, user)
    if proposal.kind == EvolutionProposal.Kind.GAP:
        # From the plan that worked for one of its goals, where there is one.
        return "Write a rule", reverse("rule-new") + (f"?from_goal={worked}" if worked is not None else "")
    if proposal.kind == EvolutionProposal.Kind.SETTING:
        failure_class, tool, strategy = proposal.component_name.split("/", 2)
        filled = urlencode({"failure_class": failure_class, "tool": tool, "banned": strategy})
        return "Try banning it", f"{reverse('tuning-new', args=['recovery_policy'])}?{filled}"
    if proposal.kind == EvolutionProposal.Kind.RISK:
        return "See recovery", reverse("recovery-failures")
    if (pk := rules.get(proposal.component_name)) is None:
        return "", ""
    improves = proposal.kind in (EvolutionProposal.Kind.LOW_SUCCESS, EvolutionProposal.Kind.FAILING)
    return (
        ("Improve the rule", reverse("rule-edit", args=[pk]))
        if improves
        else ("Open the rule", reverse("rule", args=[pk]))
    )


def _says(version: ComponentVersion) -> str:
    standing = deciding.standing(version)
    if standing.why_not:
        return standing.why_not
    return standing.judgement.says if standing.judgement is not None else "It can be activated."
