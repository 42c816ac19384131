"""The pages of plan rules: reading, trying, and deciding which version is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.components import rule_writing, rules
from agents.components.rule_writing import Checked
from agents.insights import rule_health
from agents.insights.rule_health import Weakest
from agents.models import Replay, Workspace
from agents.pages.evolution import replay_page, search_page, trial_page
from agents.presentation.line_diff import compare
from agents.presentation.matrix import weighed_rules
from agents.presentation.rates import Rate, rate
from agents.presentation.rule_reading import numbered_lines, read_body, said_step
from agents.record.selectors import workspaces_visible_to
from agents.rules import grammar
from agents.rules.linter import LintProblem
from agents.rules.selection import KnownRule
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import PlanDraft
from agents.views.library import version_moves
from agents.views.library.versions import component_or_404, version_in_use, version_named_in
from library.components import selectors, services
from library.models import Component, ComponentVersion

Status = ComponentVersion.Status
GOAL_MAX = 4_000
_FRAGMENTS = {
    "trial": "agents/rules/_trial.html",
    "replay": "agents/rules/_replay.html",
    "watch": "agents/rules/_watch.html",
    "search": "agents/rules/_search.html",
    "writer": "agents/rules/_writer.html",
}


@dataclass(frozen=True)
class Listed:
    """A rule as the list shows it."""

    version: ComponentVersion
    checked: Checked
    weakest: Weakest | None = None

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
    weakest = rule_health.weakest()
    listed = _listed(list(selectors.active_versions(rules.KIND)), weakest)
    waiting = _listed(list(_candidates()), weakest)
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
    user: Any = request.user
    versions = list(component.versions.select_related("component", "created_by", "parent__component").order_by("-pk"))
    shown = version_named_in(request, "version", versions) or version_in_use(versions) or versions[0]
    against = version_named_in(request, "against", versions)
    (listed,) = _listed([shown], rule_health.weakest())
    rule = listed.checked.rule
    steps, cleanup = read_body(rule, rules.known_rules(), tools_in_use()) if rule else ([], [])
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
        "writer": search_page.writer_of(component),
        "strategies": Replay.Strategy.choices,
        "found": search_page.of(component, user),
        "proof": replay_page.of(shown, request.user),
        "ab_trials": trial_page.OfComponent(component, user),
        "page": reverse("rule", args=[pk]),
        "moves": f"{reverse('rule', args=[pk])}versions/{shown.pk}",
        **_trial(request, component, shown),
    }
    return render(request, _FRAGMENTS.get(request.headers.get("HX-Target", ""), "agents/rules/rule.html"), context)


@require_POST
def move(request: HttpRequest, pk: int, version: int, move: str) -> HttpResponse:
    """Activate or retire a version, make it a canary, or have it replayed beside its parent."""
    rows = ComponentVersion.objects.select_related("component", "parent")
    found = get_object_or_404(rows, pk=version, component_id=pk, component__kind=rules.KIND)
    user: Any = request.user
    version_moves.do(request, found, move, user)
    return redirect(f"{reverse('rule', args=[pk])}?version={version}")


@require_POST
def ask_model(request: HttpRequest, pk: int) -> HttpResponse:
    """Have a model write a candidate, which is replayed like a person's; or stop that."""
    user: Any = request.user
    version_moves.ask_model(request, component_or_404(pk), user)
    return redirect(reverse("rule", args=[pk]) + "#writer")


@require_POST
def search(request: HttpRequest, pk: int) -> HttpResponse:
    """Search for a better version with a model, or stop that."""
    user: Any = request.user
    version_moves.search(request, component_or_404(pk), user)
    return redirect(reverse("rule", args=[pk]) + "#search")


def _candidates() -> QuerySet[ComponentVersion]:
    candidates = ComponentVersion.objects.filter(
        component__kind=rules.KIND, status__in=(Status.CANDIDATE, Status.CANARY)
    )
    return candidates.select_related("component", "created_by").order_by("-pk")[:100]


def _listed(versions: list[ComponentVersion], weakest: Mapping[int, Weakest]) -> list[Listed]:
    return [
        Listed(version, checked, weakest.get(version.pk))
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
        judge_all = request.GET.get("judge") == "all"
        found |= _tried(goal, workspace, shown, component.name, judge_all=judge_all)
    return found


def _tried(goal: str, workspace: Workspace, shown: ComponentVersion, name: str, *, judge_all: bool) -> dict[str, Any]:
    try:
        instead = KnownRule(name, shown.version, str(shown.pk), rules.read_one(shown.body))
    except grammar.RuleSyntaxError as error:
        return {"cannot_try": str(error)}
    trial = rules.try_out(goal, workspace, instead=instead, judge_all=judge_all)
    weighed = weighed_rules(trial.evidence)
    outcome = trial.outcome
    steps, cleanup = (outcome.steps, outcome.cleanup) if isinstance(outcome, PlanDraft) else ((), ())
    return {
        "trial": trial,
        "trial_steps": [said_step(step, tools_in_use()) for step in steps],
        "trial_cleanup": [said_step(step, tools_in_use()) for step in cleanup],
        "mine": next((one for one in weighed if one.name == name), None),
        "others": [one for one in weighed if one.name != name],
    }
