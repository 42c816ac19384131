"""Taking a decision from the plan's page."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST
from django_htmx.http import HttpResponseClientRedirect

from agents.errors import StaleDigest
from agents.models import IntentPlan
from agents.services import shadowing
from agents.states import PlanState
from people.models import User
from people.roles import Role
from review import envelope, queue
from review.errors import DecisionRefused, WordsRefused
from review.queue import Cursor
from review.services import decisions
from review.views.plan import PRESETS, asking, render_plan, visible_plan

APPROVE, REJECT, REQUEST_CHANGES = "approve", "reject", "request-changes"


@require_POST
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve, reject or send back. Refused: the page again, saying why, with the words that were typed."""
    plan, user = visible_plan(request, pk), asking(request)
    place = queue.waiting_for(user).filter(pk=plan.pk).first()
    typed = {"reason": request.POST.get("reason", ""), "comment": request.POST.get("comment", "")}
    try:
        done = _decide(request, plan, user)
    except StaleDigest as error:
        plan.refresh_from_db()
        return render_plan(request, plan, status=409, trouble=str(error), **typed)
    except WordsRefused as error:
        return render_plan(request, plan, status=422, trouble=str(error), field=error.field, **typed)
    except DecisionRefused as error:
        return render_plan(request, plan, status=403, trouble=str(error), **typed)
    messages.success(request, done)
    following = queue.next_for(user, Cursor.of(place) if place else None)
    address = following.get_absolute_url() if following else reverse("goal", args=[plan.goal_id])
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponseClientRedirect(address)
    return HttpResponseRedirect(address)


@require_POST
def try_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the plan tried in a copy of the workspace as it is now."""
    plan, user = visible_plan(request, pk), asking(request)
    if plan.state != PlanState.AWAITING_REVIEW:
        messages.error(request, "This plan is decided, so nothing is tried any more.")
    elif not user.has_role(Role.REVIEWER) and plan.goal.submitted_by_id != user.pk:
        raise PermissionDenied("Reviewers and the person whose goal it is have a plan tried again.")
    elif shadowing.ask(plan) is None:
        messages.info(request, "It is being tried already.")
    return HttpResponseRedirect(plan.get_absolute_url())


@require_POST
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back one's approval while a second one is still missing."""
    return _about_two(request, pk, decisions.withdraw, "Your approval is taken back.")


@require_POST
def second(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve, as the second person, a plan that was approved before a policy asked for two."""
    return _about_two(request, pk, decisions.approve_as_second, "Approved by two people. It goes on now.")


def _about_two(request: HttpRequest, pk: int, service: Callable[..., IntentPlan], done: str) -> HttpResponse:
    plan = visible_plan(request, pk)
    try:
        service(plan, by=asking(request), digest=request.POST.get("digest", ""))
    except (StaleDigest, DecisionRefused) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return HttpResponseRedirect(plan.get_absolute_url())


def _decide(request: HttpRequest, plan: IntentPlan, user: User) -> str:
    """Call the service that was asked for; what the toast says."""
    digest, verdict = request.POST.get("digest", ""), request.POST.get("verdict", "")
    if verdict == REJECT:
        decisions.reject(plan, by=user, digest=digest, reason=_reason(request))
        return f"Plan {plan.pk} rejected. Goal {plan.goal_id} is dropped."
    if verdict == REQUEST_CHANGES:
        decisions.request_changes(plan, by=user, digest=digest, comment=request.POST.get("comment", ""))
        return f"Plan {plan.pk} sent back. A new revision comes to the queue."
    if verdict == APPROVE:
        tries = _tries(request.POST.get("tries", str(envelope.USUAL_TRIES)))
        done = decisions.approve(plan, by=user, digest=digest, tries=tries)
        if done.state == PlanState.AWAITING_REVIEW:
            return f"Your approval of plan {plan.pk} is kept: 1 of 2. A second person must approve it too."
        return f"Plan {plan.pk} approved. It starts now."
    raise WordsRefused("verdict", "Choose to approve, to reject or to request changes.")


def _reason(request: HttpRequest) -> str:
    """The chosen preset and the person's own words, whichever there are."""
    preset, own = request.POST.get("preset", ""), request.POST.get("reason", "")
    return ": ".join(words for words in (preset if preset in PRESETS else "", own.strip()) if words)


def _tries(text: str) -> int:
    """The number of tries; one that is none becomes 0, which the envelope refuses with its range."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
