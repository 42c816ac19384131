"""Writing a rule in the browser: the editor, its checks while one types, and saving."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from agents.bdi.learning.generalise import NotGeneralisable
from agents.components import made_tools, rule_writing, rules, tool_writing
from agents.components.rule_writing import Checked, RuleInvalid
from agents.evolution.candidates import saving
from agents.learning import rule_from_goal
from agents.learning.rule_from_goal import GoalTrial
from agents.models import Goal
from agents.presentation.rule_reading import SaidStep, numbered_lines, read_body, said_step
from agents.record.selectors import goals_visible_to
from agents.rules import grammar
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.views.library.versions import component_or_404, version_in_use, version_named_in
from agents.views.rules.rule_trying import DraftTrial, TriedDraft
from library.components import services
from library.errors import LibraryRefused
from library.models import Component

EXAMPLE = """RULE show a folder
IF your task is to (show|list) what is in the folder {folder}
CONSIDERING there is a folder named {folder}
THEN:
  # Say here why the step is in the plan; reviewers read it.
  list the files in {folder}
"""


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Write a rule from nothing, or from a plan that a person wrote and that worked."""
    if request.method == "POST":
        return _save(request, None)
    goal = _goal_named_in(request, request.GET)
    if goal is None:
        return _editor(request, None, _Draft(_of_command(request) or EXAMPLE))
    try:
        proposal = rule_from_goal.propose_from_goal(goal)
    except NotGeneralisable as error:
        return _editor(request, None, _Draft(EXAMPLE, cannot_propose=str(error)))
    return _editor(request, None, _Draft(proposal.text, goal=goal, changes=f"from the plan of goal {goal.pk}"))


def _of_command(request: HttpRequest) -> str:
    """The rule for a command that is named, so that goals in its words are planned; empty when none is."""
    tool, _, name = request.GET.get("command", "").partition(".")
    made_tools.refresh()
    try:
        return tool_writing.rule_for(tools_in_use().command(tool, name)) if tool else ""
    except UnknownTool as unknown:
        raise Http404(str(unknown)) from unknown


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Write the next version of a rule."""
    component = component_or_404(pk)
    versions = list(component.versions.order_by("-pk"))
    if request.method == "POST":
        return _save(request, component)
    start = version_named_in(request, "version", versions) or version_in_use(versions) or versions[0]
    return _editor(request, component, _Draft(start.body))


@require_POST
def check(request: HttpRequest) -> HttpResponse:
    """Lint a text while it is written. Anybody may ask; nothing is stored."""
    body, rule = request.POST.get("body", "")[: grammar.MAX_CHARS + 1], request.POST.get("rule", "")
    name = component_or_404(int(rule)).name if _is_id(rule) else ""
    user: Any = request.user
    draft = _Draft(body, name, goal=_goal_named_in(request, request.POST), asked=DraftTrial.of(request.POST, user))
    return render(request, "agents/rules/_checked.html", {"draft": draft, "live": True})


@dataclass(frozen=True)
class _Draft:
    """A text in the editor, with everything its page says about it."""

    body: str
    name: str = ""
    changes: str = ""
    goal: Goal | None = None
    refused: str = ""
    cannot_propose: str = ""
    asked: DraftTrial | None = None

    @cached_property
    def tried(self) -> TriedDraft | None:
        """What this text makes of the goal that it is tried on."""
        return self.asked.on(self.checked.rule) if self.asked and self.checked.rule else None

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
        marks = {number: mark for number, _, mark in numbered_lines(self.body, self.checked.problems)}
        return [(number, marks.get(number, "")) for number in range(1, self.rows + 1)]

    @cached_property
    def trial(self) -> GoalTrial | None:
        """What this text makes of the goal it came from."""
        return rule_from_goal.try_on_goal(self.body, self.goal) if self.goal else None

    @property
    def trial_steps(self) -> list[SaidStep]:
        return [said_step(step, tools_in_use()) for step in self.trial.steps] if self.trial else []

    @cached_property
    def reading(self) -> dict[str, Any]:
        if self.checked.rule is None:
            return {}
        steps, cleanup = read_body(self.checked.rule, rules.known_rules(), tools_in_use())
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
        asked=DraftTrial.of(request.POST, user),
    )
    if request.POST.get("do") in ("check", "try", "try_all"):
        return _editor(request, component, draft)
    activate = request.POST.get("do") == "activate"
    try:
        saved, is_replayed = saving.save(body, by=user, of=component, changes=changes, activate=activate)
    except (RuleInvalid, LibraryRefused) as refused:
        status = 403 if isinstance(refused, LibraryRefused) and not refused.field else 422
        return _editor(request, component, replace(draft, refused=str(refused)), status=status)
    said = f"Version {saved.version} of “{saved.component.name}” is saved as {saved.status}."
    if is_replayed and saved.parent is not None:
        said += f" Earlier goals are replayed with it and with {saved.parent.version}; then it can be activated."
    messages.success(request, said)
    return redirect(f"{reverse('rule', args=[saved.component_id])}?version={saved.pk}")


def _editor(request: HttpRequest, component: Component | None, draft: _Draft, status: int = 200) -> HttpResponse:
    if component is not None and not draft.name:
        draft = replace(draft, name=component.name)
    if draft.asked is None:
        user: Any = request.user
        draft = replace(draft, asked=DraftTrial.of(request.GET, user))
    context = {
        "component": component,
        "draft": draft,
        "may_write": services.may_write(request.user),
        "may_activate": services.may_activate(request.user),
    }
    return render(request, "agents/rules/edit.html", context, status=status)


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
