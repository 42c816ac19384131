"""Telling an agent what is so about a goal: saying, denying, taking back. Each posts and comes back to the beliefs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from agents.bdi.intentions.reacting import Does
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from agents.recovery import told_beliefs
from agents.views.access import person_of, visible_goal

_ID_MAX = 2**62
CONFIDENCES = {"1": "sure", "0.8": "fairly sure", "0.5": "a guess"}
LASTS = {"": "until it is retracted", "1": "for an hour", "24": "for a day", "168": "for a week"}
_THEN = {
    Does.NOTHING: "It changes nothing about what is planned.",
    Does.WAKE: "The agent plans with it.",
    Does.PLAN_AGAIN: "The agent plans again.",
    Does.RECONSIDER: "The agent reconsiders its plan before the next step.",
}


@require_POST
def tell(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the agent hold a sentence true."""

    def said() -> str:
        confidence = request.POST.get("confidence", "1")
        lasts = request.POST.get("lasts", "")
        if confidence not in CONFIDENCES or lasts not in LASTS:
            raise GoalRefused("sentence", "Choose one of the confidences and times that are offered.")
        until = timezone.now() + timedelta(hours=int(lasts)) if lasts else None
        goal, sentence = visible_goal(request, pk), request.POST.get("sentence", "")
        _, does = told_beliefs.tell(
            goal, by=person_of(request), sentence=sentence, confidence=float(confidence), expires_at=until
        )
        return f"The agent believes this now. {_THEN[does]}"

    return _done(request, pk, said)


@require_POST
def deny(request: HttpRequest, pk: int, belief: int) -> HttpResponse:
    """Say that a belief is not so."""

    def said() -> str:
        goal, instead = visible_goal(request, pk), request.POST.get("instead", "").strip()
        _, does = told_beliefs.contradict(goal, by=person_of(request), belief_id=min(belief, _ID_MAX), instead=instead)
        return f"The agent no longer believes this. {_THEN[does]}"

    return _done(request, pk, said)


@require_POST
def retract(request: HttpRequest, pk: int, belief: int) -> HttpResponse:
    """Take back what somebody told the agent."""

    def said() -> str:
        does = told_beliefs.retract(visible_goal(request, pk), by=person_of(request), belief_id=min(belief, _ID_MAX))
        return f"Retracted. {_THEN[does]}"

    return _done(request, pk, said)


def _done(request: HttpRequest, pk: int, act: Callable[[], str]) -> HttpResponse:
    try:
        messages.success(request, act())
    except (GoalRefused, NotPossibleNow, NotYours) as error:
        messages.error(request, str(error))
    return redirect("goal-beliefs", pk)
