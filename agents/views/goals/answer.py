"""Answering what an understood command leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from agents.bdi.understanding.questions import plainly
from agents.models import Goal
from agents.pages.goals.goal_page import GoalPage
from agents.planning import answers, offers
from agents.planning.answers import Open, Reply
from agents.record.errors import NotPossibleNow, PlanInvalid
from agents.toolkit.registry import tools_in_use
from agents.views.access import changeable_goal, person_of

_OTHER = "other"


@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """The questions with their choices; sent, they make the plan."""
    goal = changeable_goal(request, pk)
    asked = answers.open_questions(goal)
    if asked is None:
        messages.warning(request, f"Goal {pk} has no open question: it is {goal.state.replace('_', ' ')}.")
        return redirect("goal", pk)
    if request.method != "POST":
        return _form(request, goal, asked)
    replies = [_reply(request, number) for number in range(1, len(asked.questions) + 1)]
    try:
        plan = answers.answer(goal, replies, by=person_of(request))
    except PlanInvalid as invalid:
        return _form(request, goal, asked, status=422, problems=[one.message for one in invalid.problems])
    except NotPossibleNow as error:
        messages.warning(request, str(error))
        return redirect("goal", pk)
    messages.success(request, f"Revision {plan.revision} awaits review.")
    return redirect("goal", pk)


def _reply(request: HttpRequest, number: int) -> Reply:
    chosen = request.POST.get(f"choice-{number}", "")
    if chosen.isascii() and chosen.isdigit() and len(chosen) < 4:
        return Reply(int(chosen))
    return Reply(None, request.POST.get(f"value-{number}", "")[: answers.MOST_CHARS])


def _form(
    request: HttpRequest, goal: Goal, asked: Open, *, status: int = 200, problems: Sequence[str] = ()
) -> HttpResponse:
    questions = [
        {
            "asked": question,
            "choices": [(one, plainly(one.meant, tools_in_use())) for one in question.choices],
            "chosen": request.POST.get(f"choice-{number}", ""),
            "value": request.POST.get(f"value-{number}", ""),
        }
        for number, question in enumerate(asked.questions, 1)
    ]
    context = {
        "page": GoalPage(goal, person_of(request), "plans"),
        "goal": goal,
        "steps": [(one, plainly([one], tools_in_use())) for one in asked.steps],
        "questions": questions,
        "problems": problems,
        "other": _OTHER,
        "worked": offers.worked_before(goal, user=person_of(request)),
    }
    return render(request, "agents/goal/answer.html", context, status=status)
