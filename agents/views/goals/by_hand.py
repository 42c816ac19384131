"""The plan a person writes: lines of phrases, or forms made out of the commands' schemas. It is reviewed like any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.components import made_tools
from agents.goals import goals
from agents.models import Goal
from agents.pages.goals.goal_page import GoalPage
from agents.plans import proposals
from agents.presentation import hand_lines, schema_form
from agents.presentation.hand_lines import HandLine
from agents.presentation.schema_form import Field
from agents.record import selectors
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.toolkit import phrases
from agents.toolkit.command import Command
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.views.access import changeable_goal, person_of
from people.models import User

TEXT_MAX = 1_000_000
_PREFIX = "p."


@dataclass
class Draft:
    """What stands on the page: the two texts, what was read from them, and the problems by where they are."""

    steps: str
    cleanup: str
    lines: list[HandLine] = field(default_factory=list)
    cleanup_lines: list[HandLine] = field(default_factory=list)
    problems: list[tuple[str, int, str]] = field(default_factory=list)

    @property
    def is_valid(self) -> bool:
        """True when every line was read, the plan was checked whole, and nothing is wrong with it."""
        return bool(self.lines) and not self.problems

    @property
    def bad_lines(self) -> set[int]:
        """Line numbers of the steps with a problem."""
        return {number for where, number, _ in self.problems if where == "steps"}


@require_http_methods(["GET", "POST"])
def write(request: HttpRequest, pk: int) -> HttpResponse:
    """Write the plan. The buttons add a phrase, open a command's form, take a filled form over, check, or propose."""
    goal = changeable_goal(request, pk)
    person = person_of(request)
    page = GoalPage(goal, person, "by_hand")
    if not page.may_plan_by_hand:
        asked = "say first whether its step took effect" if page.unknown_outcomes else ""
        why = asked or f"it is {goal.state.replace('_', ' ')}"
        messages.warning(request, f"Goal {pk} cannot be planned by hand now: {why}.")
        return redirect("goal", pk)
    if request.method == "GET":
        made_tools.refresh()
        return _show(request, page, Draft(*_earlier(page)), chosen=request.GET.get("form", ""))
    draft = Draft(_text(request, "steps"), _text(request, "cleanup"))
    match request.POST.get("action", "check"):
        case "add":
            return _show(
                request, page, checked(_with_line(draft, request.POST.get("add", ""), request.POST), goal, person)
            )
        case "form":
            return _show(request, page, checked(draft, goal, person), chosen=request.POST.get("command", ""))
        case "insert":
            return _insert(request, page, draft)
        case "propose":
            return _propose(request, page, draft)
    return _show(request, page, checked(draft, goal, person))


@require_POST
def check(request: HttpRequest, pk: int) -> HttpResponse:
    """The steps as they were read, with every problem at its line: the fragment that follows the typing."""
    goal = changeable_goal(request, pk)
    draft = checked(Draft(_text(request, "steps"), _text(request, "cleanup")), goal, person_of(request))
    return render(request, "agents/goal/_hand_check.html", {"draft": draft})


@require_GET
def phrases_like(request: HttpRequest, pk: int) -> JsonResponse:
    """Phrases that go on from what was typed."""
    changeable_goal(request, pk)
    made_tools.refresh()
    typed = request.GET.get("q", "")[:200]
    found = phrases.complete(typed, tools_in_use())
    return JsonResponse({"items": [{"text": one.text, "summary": one.summary, "tool": one.tool} for one in found]})


def checked(draft: Draft, goal: Goal, person: User) -> Draft:
    """Read both texts and validate the whole plan for the goal, as proposing will."""
    draft.lines = hand_lines.read_lines(draft.steps, tools_in_use())
    draft.cleanup_lines = hand_lines.read_lines(draft.cleanup, tools_in_use())
    draft.problems = [
        (where, line.number, line.problem)
        for where, lines in (("steps", draft.lines), ("cleanup", draft.cleanup_lines))
        for line in lines
        if line.problem
    ]
    if not draft.problems and draft.lines:
        _, found = proposals.draft_by_hand(
            goal, hand_lines.steps_of(draft.lines), hand_lines.steps_of(draft.cleanup_lines), by=person
        )
        draft.problems = [_placed(draft, problem) for problem in found]
    return draft


def _propose(request: HttpRequest, page: GoalPage, draft: Draft) -> HttpResponse:
    draft = checked(draft, page.goal, page.user)
    if not draft.lines:
        draft.problems = [("steps", 1, "The plan has no steps. Write at least one line.")]
    if draft.problems:
        return _show(request, page, draft, status=422)
    try:
        plan = goals.supply_plan(
            page.goal,
            by=page.user,
            steps=hand_lines.steps_of(draft.lines),
            cleanup=hand_lines.steps_of(draft.cleanup_lines),
        )
    except PlanInvalid as error:
        draft.problems = [_placed(draft, problem) for problem in error.problems]
        return _show(request, page, draft, status=422)
    except NotPossibleNow as error:
        messages.warning(request, str(error))
        return redirect("goal", page.goal.pk)
    messages.success(request, f"Revision {plan.revision} awaits review.")
    return redirect("goal", page.goal.pk)


def _insert(request: HttpRequest, page: GoalPage, draft: Draft) -> HttpResponse:
    """Take a filled form over as a line, or show the form again with its errors."""
    name = request.POST.get("command_filled", "")
    command = _command(name)
    if command is None:
        return _show(request, page, checked(draft, page.goal, page.user))
    filled = {key[len(_PREFIX) :]: str(value) for key, value in request.POST.items() if key.startswith(_PREFIX)}
    params, errors = schema_form.read(command, filled)
    if errors:
        made = schema_form.fields(command, filled, errors)
        return _show(request, page, checked(draft, page.goal, page.user), chosen=name, made=made, status=422)
    draft = _with_line(draft, hand_lines.write_line(command, params, tools_in_use()), request.POST)
    return _show(request, page, checked(draft, page.goal, page.user))


def _show(
    request: HttpRequest,
    page: GoalPage,
    draft: Draft,
    *,
    chosen: str = "",
    made: list[Field] | None = None,
    status: int = 200,
) -> HttpResponse:
    command = _command(chosen)
    if not draft.lines and not draft.problems:
        draft = checked(draft, page.goal, page.user)
    context: Mapping[str, Any] = {
        "page": page,
        "goal": page.goal,
        "draft": draft,
        "tools": tools_in_use().tools,
        "command": command,
        "fields": made if made is not None else schema_form.fields(command) if command else [],
    }
    return render(request, "agents/goal/by_hand.html", context, status=status)


def _earlier(page: GoalPage) -> tuple[str, str]:
    """The newest revision as lines, to be changed; nothing when there is none."""
    document = selectors.read_document(page.plan) if page.plan is not None else None
    if document is None:
        return "", ""

    def lines(specs: Any) -> str:
        known = ((_command(f"{spec.tool}.{spec.command}"), spec) for spec in specs)
        return "\n".join(
            hand_lines.write_line(command, spec.params, tools_in_use()) for command, spec in known if command
        )

    return lines(document.intents), lines(document.cleanup)


def _with_line(draft: Draft, line: str, data: QueryDict) -> Draft:
    line = line.strip()
    if not line:
        return draft
    if data.get("where") == "cleanup":
        return Draft(draft.steps, f"{draft.cleanup.rstrip()}\n{line}".lstrip("\n"))
    return Draft(f"{draft.steps.rstrip()}\n{line}".lstrip("\n"), draft.cleanup)


def _placed(draft: Draft, problem: Any) -> tuple[str, int, str]:
    """A problem of the plan at the line it comes from. Positions count through steps and clean-up; 0 is the plan."""
    main, undo = draft.lines, draft.cleanup_lines
    about = f"{problem.field}: {problem.message}" if problem.field not in {"", "steps", "cleanup"} else problem.message
    if 1 <= problem.position <= len(main):
        return "steps", main[problem.position - 1].number, about
    if len(main) < problem.position <= len(main) + len(undo):
        return "cleanup", undo[problem.position - len(main) - 1].number, about
    return ("cleanup" if problem.field == "cleanup" else "steps"), 0, about


def _command(name: str) -> Command | None:
    tool, _, command = name.partition(".")
    try:
        return tools_in_use().command(tool, command)
    except UnknownTool:
        return None


def _text(request: HttpRequest, name: str) -> str:
    return request.POST.get(name, "")[:TEXT_MAX].replace("\r\n", "\n")
