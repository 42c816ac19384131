"""A risky approval asks for the password again, if the operator wants that (MINDX_FRESH_LOGIN_MIN).

The page appears instead of the decision, which is sent again unchanged with the password. This protects the browser
in which somebody decides: API tokens are not asked, and a held decision is not asked again when it takes effect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.debug import sensitive_post_parameters

from agents.models import IntentPlan
from people import own_password
from people.login_required import came_from
from people.own_password import TooManyTries
from review.deciding import shown
from review.deciding.ruling import APPROVE
from review.risk.assessment import Level
from review.views.plan import asking

_PASSWORD = "own_password"  # noqa: S105  # the name of a field
_NOT_SENT_AGAIN = frozenset({_PASSWORD, "csrfmiddlewaretoken"})
_HARMLESS = (Level.LOW.value, Level.MEDIUM.value)

View = Callable[..., HttpResponse]


def asks_again(is_risky: Callable[..., bool]) -> Callable[[View], View]:
    """Decorate a view that decides; `is_risky` has the arguments of the view."""

    def around(view: View) -> View:
        @wraps(view)
        @sensitive_post_parameters(_PASSWORD)
        def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            minutes = settings.FRESH_LOGIN_MIN
            if not minutes or own_password.was_typed_within(request.session, minutes):
                return view(request, *args, **kwargs)
            if not is_risky(request, *args, **kwargs):
                return view(request, *args, **kwargs)
            return _refusal(request) or view(request, *args, **kwargs)

        return asked

    return around


def _refusal(request: HttpRequest) -> HttpResponse | None:
    """The page that asks for the password; None if the right one was sent."""
    trouble, status = "", 422
    if _PASSWORD in request.POST:
        try:
            if own_password.is_right(asking(request), request.POST[_PASSWORD]):
                own_password.note_typed(request.session)
                return None
            trouble = "Wrong password. Try again."
        except TooManyTries as error:
            trouble, status = str(error), 429
    kept = [(name, value) for name, values in request.POST.lists() if name not in _NOT_SENT_AGAIN for value in values]
    context = {"kept": kept, "trouble": trouble, "minutes": settings.FRESH_LOGIN_MIN}
    if not asking(request).has_usable_password():
        context |= {"provider": settings.OIDC, "page": came_from(request)}
    response = render(request, "review/fresh_login.html", context, status=status)
    if trouble:
        response.refused_because = trouble  # type: ignore[attr-defined]  # the journal reads it
    return response


def approves_risky(request: HttpRequest, pk: int) -> bool:
    """Whether the form approves a plan of high or unknown risk."""
    return request.POST.get("verdict") == APPROVE and is_risky(request, pk)


def approves_risky_members(request: HttpRequest, **_: str) -> bool:
    """Whether the form approves such a plan among several."""
    seen = [shown.read(text, asking(request)) for text in request.POST.getlist("member")]
    return request.POST.get("verdict") == APPROVE and _any_risky([one.plan_id for one in seen if one is not None])


def is_risky(request: HttpRequest, pk: int) -> bool:
    """Whether the plan has high or unknown risk. A risk that was not worked out yet is unknown."""
    return _any_risky([pk])


def _any_risky(plans: list[int]) -> bool:
    return IntentPlan.objects.filter(pk__in=plans).exclude(risk__level__in=_HARMLESS).exists()
