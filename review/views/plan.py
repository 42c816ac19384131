"""The plan's page: what an agent wants to do, and why."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from agents.bdi.plans import document as documents
from agents.models import IntentPlan
from agents.plans import shadowing
from agents.record.selectors import plans_visible_to
from agents.states import PlanState
from people.models import User
from review import rights
from review.deciding import envelope
from review.plan_page import contents
from review.policies.on_plan_page import policed
from review.views import neighbours

# The most frequent reasons; the text field is for others.
PRESETS = ("Not needed", "Touches too much", "Wrong place")


def visible_plan(request: HttpRequest, pk: int) -> IntentPlan:
    """The plan, if this person may see it; otherwise 404."""
    plans = plans_visible_to(asking(request)).select_related(
        "goal__agent", "risk", "approval", "clock", "queue_entry__assigned_to"
    )
    return get_object_or_404(plans, pk=pk)


def asking(request: HttpRequest) -> User:
    """The person who asks."""
    assert request.user.is_authenticated  # noqa: S101  # the login middleware lets nobody else come here
    return request.user


@require_safe
def plan_page(request: HttpRequest, pk: int) -> HttpResponse:
    """One plan."""
    return render_plan(request, visible_plan(request, pk), chosen=chosen_steps(request.GET))


@require_safe
def standing(request: HttpRequest, pk: int) -> HttpResponse:
    """The decision bar, if the plan is no longer in the state that the open page shows; else 204."""
    plan = visible_plan(request, pk)
    context = _standing_context(plan, asking(request))
    if request.GET.get("state") == context["standing"]:
        return HttpResponse(status=204)
    # `shown`: the state for which the open page has buttons. A held decision does not change it.
    now, shown = (_without_held(each) for each in (str(context["standing"]), request.GET.get("shown", "")))
    context["is_old"] = bool(shown) and shown != now
    return render(request, "review/_standing_now.html", context | _head_context(plan, asking(request)))


@require_safe
def shadow_run(request: HttpRequest, pk: int) -> HttpResponse:
    """The panes, if the plan's dry run is no longer the one that the open page shows; else 204."""
    plan = visible_plan(request, pk)
    run = shadowing.latest(plan)
    if run is None or request.GET.get("seen") == f"{run.pk}-{run.state}":
        return HttpResponse(status=204)
    # The panes have the checkboxes as on the open page, not as at first.
    chosen = chosen_steps(request.GET)
    view = contents.plan_view(plan, asking(request), chosen)
    return render(request, "review/_panes_now.html", {"view": view, "swapped": True})


@require_safe
def compare(request: HttpRequest, pk: int, revision: int) -> HttpResponse:
    """What changed from another revision of the same goal's plan to this one."""
    plan = visible_plan(request, pk)
    other = get_object_or_404(plan.goal.intent_plans, revision=revision)
    revisions = plan.goal.intent_plans.defer("document").order_by("revision")
    return _compared(request, plan, other, revisions=revisions)


@require_safe
def choose(request: HttpRequest, pk: int) -> HttpResponse:
    """Go to the comparison of the chosen revisions; by default of this one with itself."""
    plan = visible_plan(request, pk)
    revisions = dict(plan.goal.intent_plans.values_list("revision", "pk"))
    first, second = (_number(request.GET.get(name, "")) for name in ("from", "to"))
    to = revisions.get(second, plan.pk)
    return redirect("review-compare", to, first if first in revisions else plan.revision)


@require_safe
def against(request: HttpRequest, pk: int, other: int) -> HttpResponse:
    """The differences from a plan of another goal, such as a precedent; only if both may be seen."""
    plan = visible_plan(request, pk)
    return _compared(request, plan, visible_plan(request, other))


def _compared(request: HttpRequest, plan: IntentPlan, other: IntentPlan, **more: Any) -> HttpResponse:
    is_whole = "whole" in request.GET
    context = {"plan": plan, "other": other, "is_whole": is_whole, **more}
    return render(request, "review/compare.html", context | contents.compared(plan, other, folds=not is_whole))


def _number(text: str) -> int:
    """A revision in an address; for anything else 0, which no plan has."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def chosen_steps(sent: QueryDict) -> list[int] | None:
    """The steps that are selected on the page this comes from; None if the address does not say, as most do not."""
    return ticked(sent.getlist("intents")) if "ticks" in sent else None


def ticked(sent: Collection[str]) -> list[int]:
    """The positions that a form sent; an invalid one becomes 0, which no step has."""
    return [int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0 for text in sent]


def render_plan(
    request: HttpRequest, plan: IntentPlan, *, status: int = 200, chosen: Collection[int] | None = None, **said: object
) -> HttpResponse:
    """The page, or for HTMX its fragment. `said`: the rest of a refused decision (problem, field, typed texts)."""
    view = contents.plan_view(plan, asking(request), chosen, only=neighbours.kept(request))
    context = {
        "view": view,
        "presets": PRESETS,
        "tries": envelope.TRIES,
        "chosen_tries": envelope.wanted_tries(view.document),
        "said": said,
        # The place to comment on, from the link of a step; None without one.
        "about": request.GET.get("about"),
    }
    template = "review/_plan.html" if request.htmx else "review/plan.html"  # type: ignore[attr-defined]  # its middleware sets it
    return render(request, template, context, status=status)


def _head_context(plan: IntentPlan, user: User) -> dict[str, object]:
    """The other parts of the page that show the plan's state."""
    is_genuine = documents.digest_of(bytes(plan.document)) == plan.digest
    waits = plan.state == PlanState.AWAITING_REVIEW
    may_decide = waits and is_genuine and not rights.why_not(user, plan)
    return {"view": {"may_decide": may_decide}, "policed": policed(plan, user)}


def _without_held(standing: str) -> str:
    return " ".join(word for word in standing.split() if not word.startswith("held-"))


def _standing_context(plan: IntentPlan, user: User) -> dict[str, object]:
    newest = plan.goal.intent_plans.defer("document").order_by("-revision").first()
    held = contents.held_on(plan)
    return {
        "held": held,
        "user": user,
        "standing": contents.standing(plan, held),
        "said_first": contents.last_of_first(plan),
        "plan": plan,
        "ended_by": contents.last_move(plan),
        "newest": newest,
        "refusal": rights.why_not(user, plan),
    }
