"""The page of a goal, part by part, and what a person may do to it."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from agents.bdi.plans.document import IntentSpec, Parameter
from agents.goals import goals, replanning
from agents.hands import outcomes
from agents.hands.outcomes import Outcome
from agents.models import Intent, IntentPlan
from agents.pages.files import goal_files
from agents.pages.goals import goal_log, goal_running
from agents.pages.goals.goal_page import GoalPage
from agents.planning import planning
from agents.presentation.values import as_text
from agents.record import selectors
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours, PlanInvalid
from agents.recovery import contradictions
from agents.states import IntentState
from agents.views.access import changeable_goal, person_of, visible_goal
from agents.views.streams import as_attachment, streamed

_NUMBER_MAX = 2**62
_FIND_MAX = 200


@require_GET
def state(request: HttpRequest, pk: int) -> HttpResponse:
    """The badge of the goal's state, for open pages: time changes it too. 204 for one that says it already."""
    page = GoalPage(visible_goal(request, pk), person_of(request))
    if request.GET.get("shown") == page.state_key:
        return HttpResponse(status=204)
    return render(request, "agents/goal/_state.html", {"page": page, "goal": page.goal})


@require_GET
def live(request: HttpRequest, pk: int) -> HttpResponse:
    """What happens now: timeline, log, beliefs.

    `?before=N` shows older lines, `?line=N` those around a number, `?find=…` where a text stands next (from `line` on),
    `?error=first` the first error; `?source=…` only those of one speaker.
    """
    page = GoalPage(visible_goal(request, pk), person_of(request))
    source = request.GET.get("source", "")[:64]
    older_than, wanted = _number(request.GET.get("before")), _number(request.GET.get("line"))
    text, found = request.GET.get("find", "").strip()[:_FIND_MAX], None
    if text:
        found = goal_log.find(page.goal, text, wanted or 1, source)
        wanted = found.number or wanted
    elif "error" in request.GET:
        wanted = goal_log.first_error(page.goal)
    if older_than:
        window = goal_log.before(page.goal, older_than, source)
    else:
        window = goal_log.around(page.goal, wanted, source) if wanted else goal_log.tail(page.goal, source)
    is_tail = not older_than and not wanted
    return render(
        request,
        "agents/goal/live.html",
        {
            "page": page,
            "goal": page.goal,
            "window": window,
            "items": window.html(wanted),
            "source": source,
            "sources": goal_log.sources(page.goal, source),
            "is_tail": is_tail,
            "wanted": wanted,
            "find": text,
            "found": found,
            "removal": goal_log.removal(page.goal),
            "running": goal_running.of(page.goal.pk) if page.running else None,
            "has_error": goal_log.first_error(page.goal) is not None,
        },
    )


@require_GET
def plans(request: HttpRequest, pk: int) -> HttpResponse:
    """Every revision of the plan, with its steps as they were proposed."""
    page = GoalPage(visible_goal(request, pk), person_of(request), "plans")
    return _part(request, page, documents=[(plan, _steps(plan)) for plan in reversed(page.revisions)])


@require_GET
def beliefs(request: HttpRequest, pk: int) -> HttpResponse:
    """Everything the agent held true."""
    return _part(request, GoalPage(visible_goal(request, pk), person_of(request), "beliefs"))


@require_POST
def put_back(request: HttpRequest, pk: int, belief: int) -> HttpResponse:
    """Take a person's denial of a belief back."""
    goal = visible_goal(request, pk)
    try:
        contradictions.put_back(goal, by=person_of(request), belief_id=min(belief, _NUMBER_MAX))
    except (NotPossibleNow, NotYours) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "The belief is restored, and the agent plans with it.")
    return redirect("goal-beliefs", pk)


@require_GET
def attempts(request: HttpRequest, pk: int) -> HttpResponse:
    """Every try of every intent."""
    return _part(request, GoalPage(visible_goal(request, pk), person_of(request), "attempts"))


@require_GET
def files(request: HttpRequest, pk: int) -> HttpResponse:
    """What the goal changed in its workspace."""
    page = GoalPage(visible_goal(request, pk), person_of(request), "files")
    return _part(
        request,
        page,
        changes=goal_files.changes(page.attempts),
        may_open=page.sees_workspace,
    )


@require_GET
def decisions(request: HttpRequest, pk: int) -> HttpResponse:
    """What people decided about its plans."""
    return _part(request, GoalPage(visible_goal(request, pk), person_of(request), "decisions"))


@require_http_methods(["GET", "POST"])
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Cancel the goal; without JavaScript the question is a page of its own."""
    goal = changeable_goal(request, pk)
    if request.method == "GET":
        return render(request, "agents/goal/cancel.html", {"page": GoalPage(goal, person_of(request)), "goal": goal})
    try:
        goal = goals.cancel(goal, by=person_of(request))
    except NotPossibleNow as error:
        messages.warning(request, str(error))
    else:
        ended = "Cancelled." if goal.has_ended else "Cancelling. The running step is stopped within seconds."
        messages.success(request, ended)
    return redirect("goal", pk)


@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Submit the same goal again, on the same workspace. A doubled click makes one goal."""
    goal = changeable_goal(request, pk)
    if not goal.has_ended:
        messages.warning(request, f"Goal {pk} has not ended yet, so it is not submitted again.")
        return redirect("goal", pk)
    person = person_of(request)
    workspace = goal.workspace if goal.workspace.owner_id == person.pk else None
    try:
        fresh = goals.submit(
            by=person,
            text=goal.text,
            priority=goal.priority,
            workspace=workspace,
            submission_key=f"again:{pk}:{request.POST.get('key', '')[:80]}",
        )
    except GoalRefused as error:
        messages.error(request, error.message)
        return redirect("goal", pk)
    messages.success(request, f"Submitted again as goal {fresh.pk}.")
    return redirect("goal", fresh.pk)


@require_POST
def plan_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Plan a goal now that waits because it has no plan."""
    goal = changeable_goal(request, pk)
    try:
        planning.plan_again(goal, by=person_of(request))
    except NotPossibleNow as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "Trying again.")
    return redirect("goal", pk)


@require_POST
def again_with_access(request: HttpRequest, pk: int) -> HttpResponse:
    """Propose the steps of a failed plan again, with the hosts that its failed step was refused."""
    goal = changeable_goal(request, pk)
    try:
        plan = replanning.plan_again_with_access(
            goal, by=person_of(request), submission_key=f"access:{pk}:{request.POST.get('key', '')[:80]}"
        )
    except (GoalRefused, NotPossibleNow, PlanInvalid) as error:
        messages.warning(request, str(error))
        return redirect("goal", pk)
    messages.success(request, f"Proposed again as goal {plan.goal_id}; the plan awaits review.")
    return redirect("goal", plan.goal_id)


@require_POST
def outcome(request: HttpRequest, pk: int, intent: int) -> HttpResponse:
    """Say what became of a step whose worker died while it ran."""
    goal = changeable_goal(request, pk)
    asked = get_object_or_404(
        Intent, pk=intent, intent_plan__goal=goal, state=IntentState.OUTCOME_UNKNOWN.value
    )  # fmt: skip
    try:
        outcomes.report(asked, by=person_of(request), outcome=Outcome(request.POST.get("outcome", "")))
    except ValueError:
        messages.error(request, "Choose whether it took effect, did not, or may run again.")
    except NotPossibleNow as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"Recorded the outcome of step {asked.position}.")
    return redirect("goal", pk)


@require_GET
def log(request: HttpRequest, pk: int) -> JsonResponse:
    """The log for the page's script: `?after=N` what is new, as the socket says it; `?before=N` older; or the tail.

    `?still` leaves out the fragments: somebody scrolls.
    """
    person = person_of(request)
    goal = visible_goal(request, pk)
    source = request.GET.get("source", "")[:64]
    if (older_than := _number(request.GET.get("before"))) is not None:
        window = goal_log.before(goal, older_than, source)
    elif (newer_than := _number(request.GET.get("after"))) is not None:
        window = goal_log.after(goal, newer_than, source)
    else:
        window = goal_log.tail(goal, source)
    answer: dict[str, Any] = {
        "after": window.after,
        "last": window.last,
        "older": window.older,
        "more": window.more,
        "lines": window.html(),
    }
    if "after" in request.GET and "still" not in request.GET:
        answer["fragments"] = GoalPage(goal, person).fragments() | {goal_running.FRAGMENT: goal_running.html(goal.pk)}
    return JsonResponse(answer, headers={"Cache-Control": "no-store"})


@require_GET
def raw_log(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The whole log as a text file, exactly as written."""
    goal = visible_goal(request, pk)
    return as_attachment(streamed(request, goal_log.raw(goal), "text/plain; charset=utf-8"), f"goal-{pk}-log.txt")


@require_GET
def raw_line(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """One line of the log as a text file, with its data: the page shows only the beginning of a very long one."""
    line = get_object_or_404(visible_goal(request, pk).log_lines, number=min(number, _NUMBER_MAX))
    text = f"{line.text}\n\n{json.dumps(line.data, ensure_ascii=False, indent=2)}\n" if line.data else line.text
    return as_attachment(HttpResponse(text, content_type="text/plain; charset=utf-8"), f"goal-{pk}-line-{number}.txt")


def _steps(plan: IntentPlan) -> list[tuple[IntentSpec, list[tuple[Parameter, str, str]]]]:
    """Each step of the stored document with its parameters, what they were and are as text; none when it is damaged."""
    document = selectors.read_document(plan)
    return [
        (spec, [(one, as_text(one.original), as_text(one.value)) for one in spec.parameters])
        for spec in (document.all_intents if document else ())
    ]


def _part(request: HttpRequest, page: GoalPage, **more: Any) -> HttpResponse:
    return render(request, f"agents/goal/{page.part}.html", {"page": page, "goal": page.goal, **more})


def _number(text: str | None) -> int | None:
    """A log number out of an address; None for anything else."""
    return min(int(text), _NUMBER_MAX) if text and text.isascii() and text.isdigit() and len(text) < 20 else None
