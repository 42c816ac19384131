"""Assigning plans to oneself or somebody else."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from agents.models import IntentPlan
from agents.record.errors import NotPossibleNow
from agents.record.selectors import plans_visible_to
from people.models import User
from review import rights
from review.errors import DecisionRefused
from review.queue import assigning
from review.reading.filters import ME, NOBODY
from review.views.plan import asking

AT_ONCE = 100


@require_http_methods(["GET", "POST"])
def assign(request: HttpRequest) -> HttpResponse:
    """Assign the chosen plans to somebody. Without a name, show the page to choose one."""
    user = asking(request)
    if not rights.is_reviewer(user):
        raise PermissionDenied
    sent = request.POST if request.method == "POST" else request.GET
    plans, back = _plans(user, sent.getlist("plan")), _back(request, sent.get("back", ""))
    to = sent.get("to", "")
    if request.method == "POST" and plans and to:
        _give(request, plans, to)
        return HttpResponseRedirect(back)
    if not plans:
        messages.error(request, "Select at least one plan first.")
        return HttpResponseRedirect(back)
    context = {"plans": plans, "people": assigning.able(), "back": back, "me": ME, "nobody": NOBODY}
    return render(request, "review/assign.html", context)


def _plans(user: User, sent: list[str]) -> list[IntentPlan]:
    numbers = [int(text) for text in sent[:AT_ONCE] if text.isascii() and text.isdigit() and len(text) < 19]
    return list(plans_visible_to(user).filter(pk__in=numbers).defer("document").order_by("pk"))


def _give(request: HttpRequest, plans: list[IntentPlan], name: str) -> None:
    user = asking(request)
    to = None if name == NOBODY else user if name == ME else User.objects.filter(username=name).first()
    if to is None and name != NOBODY:
        messages.error(request, "There is no user with that name. Nothing was changed.")
        return
    given = []
    for plan in plans:
        try:
            assigning.assign(plan, to, by=user)
        except (DecisionRefused, NotPossibleNow) as error:
            messages.error(request, f"Plan {plan.pk}: {error}")
        else:
            given.append(str(plan.pk))
    if given:
        whose = (
            "unassigned" if to is None else "assigned to you" if to.pk == user.pk else f"assigned to {to.display_name}"
        )
        messages.success(request, f"Plan{'s' * (len(given) > 1)} {', '.join(given)}: {whose}.")


def _back(request: HttpRequest, address: str) -> str:
    """The page that the person came from, if it is one of this server; else the queue."""
    safe = url_has_allowed_host_and_scheme(address, allowed_hosts=None) and address.startswith("/review/")
    return address if safe else reverse("review")
