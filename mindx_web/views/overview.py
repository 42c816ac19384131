"""The first page: what needs me, what runs, how it went, how the parts are; and on the first visit, where to begin."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.forms.goals import GoalForm
from agents.goals import examples
from agents.goals.examples import Example
from agents.record.selectors import goals_visible_to
from library.components.selectors import active_versions
from library.models import Component
from mindx_web.insights import overview as selectors
from mindx_web.operations import health
from mindx_web.presentation.words import PART_NAMES
from people.models import User
from review.queue.counts import numbers_of

# Below this many cases a percentage would claim more than is known.
ENOUGH_CASES = 10
_ORDER = ("sandbox", "worker", "database", "redis", "scheduler", "queues", "store", "embeddings")


@dataclass(frozen=True)
class Readiness:
    """A line of "Setup". `ready` False is no fault: it is what could still be added."""

    ready: bool
    title: str
    note: str


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """The overview, or the welcome of somebody who has no goal yet."""
    user = cast(User, request.user)
    goals, numbers = selectors.goals_shown(user), numbers_of(request)
    if not goals.any and not numbers.inbox and not goals_visible_to(user).exists():
        return welcome(request, user)
    waiting = selectors.plans_to_decide(user)
    chart = selectors.how_it_went(user)
    median_s, decisions = selectors.median_decision_s(user)
    return render(
        request,
        "overview/overview.html",
        {
            "form": GoalForm(by=user),
            "waiting": waiting,
            "levels": selectors.levels_to_decide(user) if numbers.levels else [],
            "requests": selectors.requests_to_decide(user) if numbers.inbox else [],
            "goals": goals,
            "chart": chart,
            "achieved_percent": round(100 * chart.achieved / chart.total) if chart.total >= ENOUGH_CASES else None,
            "median_s": median_s,
            "decisions": decisions,
            "examples": _with_keys(examples.left(goals.given, with_model=bool(settings.MODEL))),
            **_health(),
        },
    )


def welcome(request: HttpRequest, user: User) -> HttpResponse:
    """Where to begin: one's own goal, three examples, and what is ready."""
    readiness = _readiness()
    return render(
        request,
        "overview/first.html",
        {
            "form": GoalForm(by=user),
            "examples": _with_keys(examples.shown(with_model=bool(settings.MODEL))),
            "with_model": bool(settings.MODEL),
            "readiness": readiness,
            "ready": sum(line.ready for line in readiness),
        },
    )


def _with_keys(prepared: list[Example]) -> list[tuple[Example, str]]:
    """Each with the key of its form: a doubled click makes one goal."""
    return [(example, uuid.uuid4().hex) for example in prepared]


def _health() -> dict[str, object]:
    parts = {part.name: part for part in health.current().parts}
    shown = [(PART_NAMES[name], parts[name]) for name in _ORDER if name in parts]
    return {"parts": shown, "to_watch": sum(part.state is not health.PartState.OK for _, part in shown)}


def _readiness() -> list[Readiness]:
    """What is ready, from real checks."""
    parts = {part.name: part for part in health.current().parts}
    sandbox, embeddings = parts["sandbox"], parts["embeddings"]
    rules = active_versions(Component.Kind.RULE).count()
    people = User.objects.filter(is_active=True)[:2].count()
    level = sandbox.facts.get("level")
    return [
        Readiness(bool(sandbox.ok), f"Sandbox at level {level}" if sandbox.ok else "Sandbox", _sandbox_note(sandbox)),
        Readiness(
            bool(rules) and embeddings.ok is not False,
            f"{rules} plan rules, local embeddings" if rules else "No plan rules yet",
            "mindX can plan without a language model" if embeddings.ok else f"embeddings: {embeddings.sentence}",
        ),
        Readiness(True, "No automatic approval", "every plan waits for a person to approve it"),
        _model(),
        _people(alone=people < 2),
    ]


def _model() -> Readiness:
    if settings.MODEL:
        return Readiness(
            True, f"Language model: {settings.MODEL}", "plans goals that no rule covers; you review these plans too"
        )
    return Readiness(False, "No language model", "you write the plan for goals that no rule covers")


def _sandbox_note(part: health.Part) -> str:
    return "network off, no secrets; checked: the sandbox works" if part.ok else part.sentence


def _people(*, alone: bool) -> Readiness:
    if settings.FOUR_EYES:
        return Readiness(not alone, "Four-eyes rule", "nobody approves their own goal")
    if alone:
        return Readiness(
            False, "You are the only reviewer", "with a second person, nobody has to approve their own goal"
        )
    return Readiness(True, "There are other users", "somebody else can look at your plans")
