"""The pages of policies: reviewers can read, operators can write."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.components import made_tools
from people.models import User
from review.errors import DecisionRefused, WordsRefused
from review.models import Decision, PolicyDay, PolicyVersion, ReviewPolicy
from review.policies import replay, tightening, tool_bodies, writing
from review.policies.form import PolicyForm, initial_conditions, initial_of
from review.views.plan import asking

LAST_OUTCOMES = 5
_STATES = {"draft": "draft", "enabled": "active", "suspended": "failed", "retired": "retired"}


@dataclass(frozen=True)
class Listed:
    """A policy as the list shows it."""

    policy: ReviewPolicy
    version: PolicyVersion
    used: int
    outcomes: list[Decision]
    tools: list[tool_bodies.Row]

    @property
    def new_tools(self) -> list[tool_bodies.Row]:
        """Those that were changed since somebody looked at it while it was enabled."""
        return [one for one in self.tools if one.is_new] if self.policy.state == "enabled" else []

    @property
    def badge(self) -> str:
        """The state that decides its look."""
        return _STATES[self.policy.state]

    @property
    def conditions(self) -> list[tuple[str, str]]:
        """Its conditions in words."""
        return said(self.version)

    @property
    def is_expired(self) -> bool:
        """True if it would approve, but has expired."""
        return self.version.expires_at is not None and self.version.expires_at <= timezone.now()

    @property
    def is_ready(self) -> bool:
        """True if its newest version was replayed and it is not enabled."""
        return self.policy.replayed == self.policy.number and self.policy.state in ("draft", "suspended")


def said(version: PolicyVersion) -> list[tuple[str, str]]:
    """The conditions of a version as pairs of words."""
    return [
        (
            name.replace("_", " "),
            ", ".join(value) if isinstance(value, list) else "yes" if value is True else str(value),
        )
        for name, value in version.conditions.items()
    ]


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """All policies with their state, and what history suggests."""
    user = _reader(request)
    policies = list(ReviewPolicy.objects.prefetch_related("versions"))
    today = timezone.now().astimezone(UTC).date()
    used = dict(PolicyDay.objects.filter(day=today).values_list("policy_id", "used"))
    tools = made_tools.in_use() if policies else []
    rows = [_listed(policy, used.get(policy.pk, 0), tools) for policy in policies]
    suggested = request.GET.get("history") == "1" and writing.may_write(user)
    context = {
        "rows": rows,
        "may_write": writing.may_write(user),
        "proposals": replay.proposals() if suggested else None,
        "least": replay.LEAST_CASES,
    }
    return render(request, "review/policies/list.html", context)


@require_safe
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """One policy: its content, its replay, its versions and its history."""
    user = _reader(request)
    policy = get_object_or_404(ReviewPolicy, pk=pk)
    today = timezone.now().astimezone(UTC).date()
    used = PolicyDay.objects.filter(policy=policy, day=today).values_list("used", flat=True).first() or 0
    versions = [(version, said(version)) for version in policy.versions.select_related("owner")]
    row = _listed(policy, used, made_tools.in_use())
    context = {
        "row": row,
        "policy": policy,
        "owns": writing.owns(row.version, user),
        "versions": versions,
        "changes": policy.changes.select_related("by")[:50],
        "may_write": writing.may_write(user),
    }
    return render(request, "review/policies/policy.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Write a policy, from scratch or from a suggestion (`?like=` a plan)."""
    return _form(request, None, _suggested(request) if request.method != "POST" else {})


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Write the next version of a policy, from its newest or narrowed as an audit proposes (`?narrow=1`)."""
    policy = get_object_or_404(ReviewPolicy, pk=pk)
    _writer(request)
    initial = initial_of(policy.name, policy.versions.get(number=policy.number))
    narrows = request.method != "POST" and request.GET.get("narrow") == "1"
    found = tightening.of(policy) if narrows else None
    if found is not None and found.narrowing is not None:
        initial |= initial_conditions(found.narrowing.conditions) | {"note": found.note}
    return _form(request, policy, initial)


@require_POST
def act(request: HttpRequest, pk: int, act: str) -> HttpResponse:
    """Replay, enable, confirm changed tools, suspend or retire."""
    user = _writer(request)
    policy = get_object_or_404(ReviewPolicy, pk=pk)
    try:
        if act == "replay":
            writing.replay(policy, by=user)
            messages.success(request, "Replayed on history. See below what it would have decided differently.")
        elif act == "enable":
            number = request.POST.get("version", "")
            is_number = number.isascii() and number.isdigit() and len(number) < 9
            seen = tool_bodies.pairs_of(request.POST.getlist("tool"))
            writing.enable(policy, by=user, number=int(number) if is_number else 0, seen=seen)
            messages.success(request, f"Policy “{policy.name}” is enabled.")
        elif act == "confirm":
            writing.confirm(policy, by=user, seen=tool_bodies.pairs_of(request.POST.getlist("tool")))
            messages.success(request, f"Policy “{policy.name}” approves what you looked at, too.")
        elif act == "suspend":
            writing.suspend(policy, by=user, reason=f"by {user.display_name}")
            messages.success(request, f"Policy “{policy.name}” is suspended.")
        elif act == "retire":
            writing.retire(policy, by=user)
            messages.success(request, f"Policy “{policy.name}” is retired.")
        else:
            raise Http404
    except DecisionRefused as refused:
        messages.error(request, str(refused))
    return redirect("policy", pk=policy.pk)


def _form(request: HttpRequest, policy: ReviewPolicy | None, initial: dict[str, Any]) -> HttpResponse:
    user = _writer(request)
    form = PolicyForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            written = writing.write(form.draft(), by=user, policy=policy)
        except WordsRefused as wrong:
            field = "expires_on" if wrong.field == "expires_at" else wrong.field
            form.add_error(field if field in form.fields else None, str(wrong))
        else:
            messages.success(request, "Saved. It is inactive until you replay it on history and enable it.")
            return redirect("policy", pk=written.pk)
    status = 422 if request.method == "POST" else 200
    return render(request, "review/policies/edit.html", {"form": form, "policy": policy}, status=status)


def _suggested(request: HttpRequest) -> dict[str, Any]:
    """The first values of a suggested policy; empty if history no longer suggests it."""
    like = request.GET.get("like", "")
    found = next((each for each in replay.proposals() if each.query == like), None) if like else None
    if found is None:
        return {"action": "require_two"}
    return {"action": "auto_approve", "budget": 5, "sampling_percent": 20, **initial_conditions(found.conditions)}


def _listed(policy: ReviewPolicy, used: int, tools: list[made_tools.InUse]) -> Listed:
    version = next(each for each in policy.versions.all() if each.number == policy.number)
    outcomes = Decision.objects.filter(policy__policy=policy).select_related("intent_plan__goal").order_by("-pk")
    return Listed(policy, version, used, list(outcomes[:LAST_OUTCOMES]), tool_bodies.rows(policy, version, tools))


def _reader(request: HttpRequest) -> User:
    user = asking(request)
    if not writing.may_read(user):
        raise PermissionDenied("Only reviewers and operators can see policies.")
    return user


def _writer(request: HttpRequest) -> User:
    user = _reader(request)
    if not writing.may_write(user):
        raise PermissionDenied("Writing policies needs the operator role.")
    return user
