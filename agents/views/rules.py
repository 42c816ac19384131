"""The pages of plan rules: reading, trying, writing, and deciding which version is used."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.bdi.types import PlanDraft
from agents.models import Goal, Workspace
from agents.presentation.line_diff import LineDiff, compare
from agents.presentation.matrix import weighed_rules
from agents.presentation.rates import Rate, rate
from agents.presentation.rule_reading import SaidStep, read_body, said_step
from agents.rules import grammar
from agents.rules.generalise import NotGeneralisable
from agents.rules.linter import LintProblem
from agents.selectors import goals_visible_to, workspaces_visible_to
from agents.services import rule_from_goal, rule_writing, rules
from agents.services.rule_from_goal import GoalTrial
from agents.services.rule_writing import Checked, RuleInvalid
from agents.toolkit.registry import REGISTRY
from library.components import selectors, services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion

Status = ComponentVersion.Status
GOAL_MAX = 4_000
EXAMPLE = """RULE remove a folder of notes
IF your task is to remove the notes about {topic}
CONSIDERING there is a folder named {topic}
THEN:
  # Say here why the step is in the plan; reviewers read it.
  list the folder {topic}
"""


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
    component = _component(pk)
    versions = list(component.versions.select_related("component", "created_by", "parent").order_by("-pk"))
    shown = _chosen(request, "version", versions) or _in_use(versions) or versions[0]
    against = _chosen(request, "against", versions)
    (listed,) = _listed([shown])
    rule = listed.checked.rule
    steps, cleanup = read_body(rule, rules.known_rules(), REGISTRY) if rule else ([], [])
    context = {
        "component": component,
        "versions": versions,
        "shown": shown,
        "against": against,
        "difference": _difference(against, shown) if against else None,
        "listed": listed,
        "rule": rule,
        "lines": _numbered(shown.body, listed.checked.problems),
        "steps": steps,
        "cleanup": cleanup,
        "active": _in_use(versions),
        "may_write": services.may_write(request.user),
        "may_activate": services.may_activate(request.user),
        **_trial(request, component, shown),
    }
    fragment = request.headers.get("HX-Target") == "trial"
    return render(request, "agents/rules/_trial.html" if fragment else "agents/rules/rule.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Write a rule from nothing, or from a plan that a person wrote and that worked."""
    if request.method == "POST":
        return _save(request, None)
    goal = _goal_named_in(request, request.GET)
    if goal is None:
        return _editor(request, None, _Draft(EXAMPLE))
    try:
        proposal = rule_from_goal.propose_from_goal(goal)
    except NotGeneralisable as error:
        return _editor(request, None, _Draft(EXAMPLE, cannot_propose=str(error)))
    return _editor(request, None, _Draft(proposal.text, goal=goal, changes=f"From the plan of goal {goal.pk}."))


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Write the next version of a rule."""
    component = _component(pk)
    versions = list(component.versions.order_by("-pk"))
    if request.method == "POST":
        return _save(request, component)
    start = _chosen(request, "version", versions) or _in_use(versions) or versions[0]
    return _editor(request, component, _Draft(start.body))


@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Lint a text while it is written. Anybody may ask; nothing is stored."""
    body, rule = request.POST.get("body", "")[: grammar.MAX_CHARS + 1], request.POST.get("rule", "")
    name = _component(int(rule)).name if _is_id(rule) else ""
    draft = _Draft(body, name, goal=_goal_named_in(request, request.POST))
    return render(request, "agents/rules/_checked.html", {"draft": draft, "live": True})


@require_POST
def move(request: HttpRequest, pk: int, version: int, move: str) -> HttpResponse:
    """Activate or retire a version."""
    acts = {"activate": services.activate, "retire": services.retire}
    if move not in acts:
        raise Http404
    found = get_object_or_404(ComponentVersion, pk=version, component_id=pk, component__kind=rules.KIND)
    user: Any = request.user
    try:
        if move == "activate":
            _fit_to_use(found)
        moved = acts[move](found, user)
    except (LibraryRefused, RuleInvalid) as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, f"Version {moved.version} is {moved.status}.")
    return redirect("rule", pk)


@dataclass(frozen=True)
class _Draft:
    """A text in the editor, with everything its page says about it."""

    body: str
    name: str = ""
    changes: str = ""
    goal: Goal | None = None
    refused: str = ""
    cannot_propose: str = ""

    @cached_property
    def checked(self) -> Checked:
        return rule_writing.check(self.body, instead_of=self.name)

    @property
    def errors(self) -> int:
        return sum(problem.severity == "error" for problem in self.checked.problems)

    @property
    def hints(self) -> int:
        return len(self.checked.problems) - self.errors

    @property
    def rows(self) -> int:
        """How many lines the editor shows: the text, and room to go on."""
        return max(12, self.body.count("\n") + 5)

    @property
    def gutter(self) -> list[tuple[int, str]]:
        """Every line number of the editor with its mark."""
        marks = {number: mark for number, _, mark in _numbered(self.body, self.checked.problems)}
        return [(number, marks.get(number, "")) for number in range(1, self.rows + 1)]

    @cached_property
    def trial(self) -> GoalTrial | None:
        """What this text makes of the goal it came from."""
        return rule_from_goal.try_on_goal(self.body, self.goal) if self.goal else None

    @property
    def trial_steps(self) -> list[SaidStep]:
        return [said_step(step, REGISTRY) for step in self.trial.steps] if self.trial else []

    @cached_property
    def reading(self) -> dict[str, Any]:
        if self.checked.rule is None:
            return {}
        steps, cleanup = read_body(self.checked.rule, rules.known_rules(), REGISTRY)
        return {"steps": steps, "cleanup": cleanup}


def _save(request: HttpRequest, component: Component | None) -> HttpResponse:
    """Store what was written. On refusal the text stays in the editor, with the reason."""
    user: Any = request.user
    body = request.POST.get("body", "")
    changes = request.POST.get("changes", "").replace("\0", "")[:500]
    draft = _Draft(
        body[: grammar.MAX_CHARS + 1],
        component.name if component else "",
        changes,
        _goal_named_in(request, request.POST),
    )
    if request.POST.get("do") == "check":
        return _editor(request, component, draft)
    activate = request.POST.get("do") == "activate"
    try:
        saved = rule_writing.save(body, by=user, of=component, changes=changes, activate=activate)
    except (RuleInvalid, LibraryRefused) as refused:
        status = 403 if isinstance(refused, LibraryRefused) and not refused.field else 422
        return _editor(request, component, replace(draft, refused=str(refused)), status=status)
    messages.success(request, f"Version {saved.version} of “{saved.component.name}” is saved as {saved.status}.")
    return redirect("rule", saved.component_id)


def _editor(request: HttpRequest, component: Component | None, draft: _Draft, status: int = 200) -> HttpResponse:
    if component is not None and not draft.name:
        draft = replace(draft, name=component.name)
    context = {
        "component": component,
        "draft": draft,
        "may_write": services.may_write(request.user),
        "may_activate": services.may_activate(request.user),
    }
    return render(request, "agents/rules/edit.html", context, status=status)


def _fit_to_use(version: ComponentVersion) -> None:
    """A version may have been right when it was written and wrong now: tools and other rules change."""
    problems = rule_writing.check(version.body, instead_of=version.component.name).problems
    if errors := [problem for problem in problems if problem.severity == "error"]:
        raise RuleInvalid(errors)


def _component(pk: int) -> Component:
    return get_object_or_404(Component.objects.filter(versions__isnull=False).distinct(), pk=pk, kind=rules.KIND)


def _goal_named_in(request: HttpRequest, fields: QueryDict) -> Goal | None:
    """The goal that a rule is made from, when one is named; 404 when the person may not see it."""
    pk = fields.get("from_goal", "")
    if not pk:
        return None
    if not _is_id(pk):
        raise Http404
    user: Any = request.user
    return get_object_or_404(goals_visible_to(user), pk=int(pk))


def _is_id(text: str) -> bool:
    return text.isdecimal() and text.isascii() and len(text) < 19


def _candidates() -> QuerySet[ComponentVersion]:
    candidates = ComponentVersion.objects.filter(component__kind=rules.KIND, status=Status.CANDIDATE)
    return candidates.select_related("component", "created_by").order_by("-pk")[:100]


def _listed(versions: list[ComponentVersion]) -> list[Listed]:
    return [
        Listed(version, checked)
        for version, checked in zip(versions, rule_writing.check_versions(versions), strict=True)
    ]


def _in_use(versions: list[ComponentVersion]) -> ComponentVersion | None:
    return next((version for version in versions if version.status == Status.ACTIVE), None)


def _chosen(request: HttpRequest, name: str, versions: list[ComponentVersion]) -> ComponentVersion | None:
    """The version that the address names; 404 for one that is not of this rule."""
    wanted = request.GET.get(name, "")
    if not wanted:
        return None
    found = next((version for version in versions if str(version.pk) == wanted), None)
    if found is None:
        raise Http404
    return found


def _difference(old: ComponentVersion, new: ComponentVersion) -> LineDiff:
    return compare(old.body, new.body)


def _numbered(body: str, problems: tuple[LintProblem, ...]) -> list[tuple[int, str, str]]:
    """(number, line, "error", "warning" or "") for every line."""
    marks: dict[int, str] = {}
    for problem in problems:
        if marks.get(problem.line) != "error":
            marks[problem.line] = problem.severity
    return [(number, line, marks.get(number, "")) for number, line in enumerate(body.splitlines() or [""], start=1)]


def _trial(request: HttpRequest, component: Component, shown: ComponentVersion) -> dict[str, Any]:
    """What the try-it box shows: the goal, the workspaces to choose from, and what came of it."""
    user: Any = request.user
    goal = request.GET.get("goal", "").replace("\0", "").strip()[:GOAL_MAX]
    workspaces = workspaces_visible_to(user).order_by("-changed_at")
    wanted = request.GET.get("workspace", "")
    workspace = get_object_or_404(workspaces, name=wanted) if wanted else workspaces.first()
    found: dict[str, Any] = {"goal": goal, "workspaces": workspaces[:100], "workspace": workspace, "trial": None}
    if goal and workspace is not None:
        found |= _tried(goal, workspace, shown, component.name)
    return found


def _tried(goal: str, workspace: Workspace, shown: ComponentVersion, name: str) -> dict[str, Any]:
    try:
        trial = rules.try_out(goal, workspace, draft=shown.body)
    except grammar.RuleSyntaxError as error:
        return {"cannot_try": str(error)}
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
