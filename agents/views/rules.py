"""The pages of plan rules: reading, trying, and deciding which version is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.components import rule_writing, rules
from agents.components.rule_writing import Checked, RuleInvalid
from agents.evolution import deciding, replays, writing
from agents.models import Replay, Workspace
from agents.pages import replay_page
from agents.presentation.line_diff import compare
from agents.presentation.matrix import weighed_rules
from agents.presentation.rates import Rate, rate
from agents.presentation.rule_reading import numbered_lines, read_body, said_step
from agents.record.errors import NotPossibleNow
from agents.record.selectors import workspaces_visible_to
from agents.rules import grammar
from agents.rules.linter import LintProblem
from agents.rules.selection import KnownRule
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import PlanDraft
from agents.views.rule_versions import component_or_404, version_in_use, version_named_in
from library.components import selectors, services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User

Status = ComponentVersion.Status
GOAL_MAX = 4_000
_FRAGMENTS = {
    "trial": "agents/rules/_trial.html",
    "replay": "agents/rules/_replay.html",
    "watch": "agents/rules/_watch.html",
}


@dataclass(frozen=True)
class _Given:
    """What a form says beside its button."""

    reason: str
    percent: int


@dataclass(frozen=True)
class Listed:
    """A rule as the list shows it."""

    version: ComponentVersion
    checked: Checked

    @property
    def errors(self) -> list[LintProblem]:
        """What keeps it from working."""
        return [problem for problem in self.checked.problems if problem.severity == "error"]

    @property
    def hints(self) -> list[LintProblem]:
        """What may surprise."""
        return [problem for problem in self.checked.problems if problem.severity != "error"]

    @property
    def triggers(self) -> list[str]:
        """The wordings of its task."""
        return [trigger.text for trigger in self.checked.rule.triggers] if self.checked.rule else []

    @property
    def rate(self) -> Rate:
        """How its plans ended."""
        return rate(self.version.successes, self.version.successes + self.version.failures)

    def holds(self, words: list[str]) -> bool:
        """True when every word stands somewhere in the rule."""
        text = f"{self.version.component.name}\n{self.version.body}".casefold()
        return all(word in text for word in words)


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """Every rule that is in use, and the candidates."""
    query = request.GET.get("q", "").strip()[:200]
    words = query.casefold().split()
    listed = _listed(list(selectors.active_versions(rules.KIND)))
    waiting = _listed(list(_candidates()))
    context = {
        "query": query,
        "listed": [one for one in listed if one.holds(words)],
        "active": len(listed),
        "candidates": [one for one in waiting if one.holds(words)],
        "may_write": services.may_write(request.user),
        "may_activate": services.may_activate(request.user),
    }
    fragment = request.headers.get("HX-Target") == "found"
    return render(request, "agents/rules/_list.html" if fragment else "agents/rules/list.html", context)


@require_safe
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """One rule: its text, what it compiles to, its versions with their differences, and what it would do to a goal."""
    component = component_or_404(pk)
    versions = list(component.versions.select_related("component", "created_by", "parent__component").order_by("-pk"))
    shown = version_named_in(request, "version", versions) or version_in_use(versions) or versions[0]
    against = version_named_in(request, "against", versions)
    (listed,) = _listed([shown])
    rule = listed.checked.rule
    steps, cleanup = read_body(rule, rules.known_rules(), REGISTRY) if rule else ([], [])
    context = {
        "component": component,
        "versions": versions,
        "shown": shown,
        "against": against,
        "difference": compare(against.body, shown.body) if against else None,
        "listed": listed,
        "rule": rule,
        "lines": numbered_lines(shown.body, listed.checked.problems),
        "steps": steps,
        "cleanup": cleanup,
        "active": version_in_use(versions),
        "may_write": services.may_write(request.user),
        "may_activate": services.may_activate(request.user),
        "writer": writing.budget(),
        "strategies": Replay.Strategy.choices,
        "proof": replay_page.of(shown, request.user),
        **_trial(request, component, shown),
    }
    return render(request, _FRAGMENTS.get(request.headers.get("HX-Target", ""), "agents/rules/rule.html"), context)


@require_POST
def move(request: HttpRequest, pk: int, version: int, move: str) -> HttpResponse:
    """Activate or retire a version, make it a canary, or have it replayed beside its parent."""
    if move not in _MOVES:
        raise Http404
    rows = ComponentVersion.objects.select_related("component", "parent")
    found = get_object_or_404(rows, pk=version, component_id=pk, component__kind=rules.KIND)
    user: Any = request.user
    percent = request.POST.get("percent", "")
    reason = request.POST.get("reason", "").replace("\0", "")[:500]
    given = _Given(reason, int(percent) if percent.isascii() and percent.isdigit() and len(percent) < 4 else 0)
    try:
        said = _MOVES[move](found, user, given)
    except (LibraryRefused, RuleInvalid, NotPossibleNow) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, said)
    return redirect(f"{reverse('rule', args=[pk])}?version={version}")


@require_POST
def ask_model(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a model write a candidate, which is replayed like a person's."""
    component = component_or_404(pk)
    why = request.POST.get("why", "").replace("\0", "").strip()[:500]
    strategy = request.POST.get("strategy", "")
    user: Any = request.user
    if strategy not in Replay.Strategy.values or not why:
        messages.error(request, "Say why, and choose a strategy.")
        return redirect("rule", pk)
    try:
        saved = writing.write(component, by=user, why=why, strategy=strategy)
    except (LibraryRefused, RuleInvalid, NotPossibleNow) as refused:
        messages.error(request, str(refused))
        return redirect("rule", pk)
    messages.success(request, f"Version {saved.version} is a candidate. It is being replayed beside {saved.parent}.")
    return redirect(f"{reverse('rule', args=[pk])}?version={saved.pk}")


def _activate(version: ComponentVersion, user: User, given: _Given) -> str:
    return f"Version {deciding.activate(version, by=user, reason=given.reason).version} is active."


def _retire(version: ComponentVersion, user: User, given: _Given) -> str:
    return f"Version {services.retire(version, user).version} is retired."


def _replay(version: ComponentVersion, user: User, given: _Given) -> str:
    replays.ask(version, by=user, why=given.reason)
    return f"Version {version.version} is being replayed beside {version.parent}."


def _canary(version: ComponentVersion, user: User, given: _Given) -> str:
    begun = deciding.begin_canary(version, by=user, percent=given.percent, reason=given.reason)
    return f"Version {begun.version} plans {begun.canary_percent} % of new goals from now on."


_MOVES: dict[str, Callable[[ComponentVersion, User, _Given], str]] = {
    "activate": _activate,
    "canary": _canary,
    "retire": _retire,
    "replay": _replay,
}


def _candidates() -> QuerySet[ComponentVersion]:
    candidates = ComponentVersion.objects.filter(
        component__kind=rules.KIND, status__in=(Status.CANDIDATE, Status.CANARY)
    )
    return candidates.select_related("component", "created_by").order_by("-pk")[:100]


def _listed(versions: list[ComponentVersion]) -> list[Listed]:
    return [
        Listed(version, checked)
        for version, checked in zip(versions, rule_writing.check_versions(versions), strict=True)
    ]


def _trial(request: HttpRequest, component: Component, shown: ComponentVersion) -> dict[str, Any]:
    """What the try-it box shows: the goal, the workspaces to choose from, and what came of it."""
    user: Any = request.user
    goal = request.GET.get("goal", "").replace("\0", "").strip()[:GOAL_MAX]
    workspaces = workspaces_visible_to(user).order_by("-changed_at")
    wanted = request.GET.get("workspace", "").replace("\0", "")
    workspace = get_object_or_404(workspaces, name=wanted) if wanted else workspaces.first()
    found: dict[str, Any] = {"goal": goal, "workspaces": workspaces[:100], "workspace": workspace, "trial": None}
    if goal and workspace is not None:
        found |= _tried(goal, workspace, shown, component.name)
    return found


def _tried(goal: str, workspace: Workspace, shown: ComponentVersion, name: str) -> dict[str, Any]:
    try:
        instead = KnownRule(name, shown.version, str(shown.pk), rules.read_one(shown.body))
    except grammar.RuleSyntaxError as error:
        return {"cannot_try": str(error)}
    trial = rules.try_out(goal, workspace, instead=instead)
    weighed = weighed_rules(trial.evidence)
    outcome = trial.outcome
    steps, cleanup = (outcome.steps, outcome.cleanup) if isinstance(outcome, PlanDraft) else ((), ())
    return {
        "trial": trial,
        "trial_steps": [said_step(step, REGISTRY) for step in steps],
        "trial_cleanup": [said_step(step, REGISTRY) for step in cleanup],
        "mine": next((one for one in weighed if one.name == name), None),
        "others": [one for one in weighed if one.name != name],
    }
