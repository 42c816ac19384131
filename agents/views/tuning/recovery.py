"""The pages of recovery, for operators: what helps against what, the cases behind it, classes, rules, pins and bans."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.actors import tuning_rights
from agents.bdi.recovery.failures import FailureClass, Rule
from agents.bdi.recovery.strategies import DEFAULTS, WAYS, Way, way_named
from agents.models import FailureRecord, FailureRule, RecoveryPolicy, RecoveryReset, RecoveryStatistic
from agents.pages.recovery import failure_causes
from agents.pages.recovery.recovery_time import RecoveryTime
from agents.presentation import rates
from agents.presentation.rates import Rate
from agents.record.errors import NotPossibleNow, TuningRefused
from agents.recovery import failure_log, recovery_learning
from agents.toolkit.registry import tools_in_use
from agents.tuning import versions
from agents.tuning.kinds import Values
from agents.tuning.of_recovery import Rules
from agents.views.access import person_of
from agents.views.tuning.tuning import mark_of
from people.models import User

_PAGE = 50
_PK_MAX = 2**62
_RULES = next(kind for kind in versions.KINDS if isinstance(kind, Rules))


@dataclass(frozen=True)
class Cell:
    """A strategy against a class: how often it helped, the reference's average, and what an operator set."""

    way: Way
    rate: Rate
    average: float | None
    role: str
    pinned: bool
    banned: bool


@dataclass(frozen=True)
class Row:
    """A class with all strategies, in the order of `WAYS`."""

    name: str
    cases: int
    cells: tuple[Cell, ...]


@require_safe
def board(request: HttpRequest) -> HttpResponse:
    """Class × strategy, over all tools or for one of them (`?tool=`)."""
    _operator(request)
    statistics = list(RecoveryStatistic.objects.all())
    tool = request.GET.get("tool", "")[:64]
    newest: dict[tuple[str, str], RecoveryPolicy] = {}
    for row in RecoveryPolicy.objects.select_related("by")[:500]:
        newest.setdefault((row.failure_class, row.tool), row)
    context = {
        "rows": [_row(name, tool, statistics, newest) for name in FailureClass],
        "ways": WAYS,
        "classes": list(FailureClass),
        "tool": tool,
        "tools": sorted({one.tool for one in statistics if one.tool}),
        "policies": list(newest.values()),
        "resets": _resets(),
        "known_tools": sorted(
            {tool.name for tool in tools_in_use().tools} | {one.tool for one in statistics if one.tool}
        ),
        "any": any(one.cases for one in statistics),
        "has_failed": bool(statistics),
    }
    return render(request, "agents/recovery/board.html", context)


def _row(
    name: FailureClass,
    tool: str,
    statistics: list[RecoveryStatistic],
    policies: dict[tuple[str, str], RecoveryPolicy],
) -> Row:
    found = [one for one in statistics if one.failure_class == name.value and tool in ("", one.tool)]
    policy = policies.get((name.value, tool)) or policies.get((name.value, ""))
    roles = dict(zip(DEFAULTS[name], ("primary", "secondary"), strict=False))
    cells = [_cell(way, [one for one in found if one.strategy == str(way)], roles.get(way, ""), policy) for way in WAYS]
    return Row(name.value, sum(one.cases for one in found), tuple(cells))


def _cell(way: Way, statistics: list[RecoveryStatistic], role: str, policy: RecoveryPolicy | None) -> Cell:
    cases = sum(one.cases for one in statistics)
    total = sum(one.average * one.cases for one in statistics if one.cases)
    return Cell(
        way,
        rates.rate(sum(one.successes for one in statistics), cases),
        total / cases if cases else None,
        role,
        policy is not None and policy.pinned == str(way),
        policy is not None and str(way) in policy.banned,
    )


@require_POST
def reset(request: HttpRequest) -> HttpResponse:
    """Have statistics begin anew: of a class, a tool, a strategy, or all."""
    user, post = _operator(request), request.POST
    failure_class, strategy = post.get("failure_class", ""), post.get("strategy", "")
    if (failure_class and failure_class not in set(FailureClass)) or (strategy and way_named(strategy) is None):
        messages.error(request, "There is no such class or strategy. Nothing was reset.")
        return redirect("recovery")
    why = post.get("why", "").replace("\0", "")
    tool = post.get("tool", "").replace("\0", "").strip()[:64]
    recovery_learning.reset(by=user, failure_class=failure_class, tool=tool, strategy=strategy, why=why)
    messages.success(request, "The statistics start over. The old cases are kept and can still be read.")
    return redirect("recovery")


@require_POST
def take_back(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the cases before a reset count again."""
    user = _operator(request)
    row = get_object_or_404(RecoveryReset, pk=min(pk, _PK_MAX), takes_back=None)
    try:
        recovery_learning.take_back(row, by=user, why=request.POST.get("why", "").replace("\0", ""))
    except NotPossibleNow as error:
        messages.warning(request, f"Nothing was changed: {error}")
    else:
        messages.success(request, "Undone. The cases before the reset count again.")
    return redirect("recovery")


def _resets() -> list[tuple[RecoveryReset, RecoveryReset | None]]:
    """The newest resets, each with the row that took it back."""
    rows = list(RecoveryReset.objects.filter(takes_back=None).select_related("by")[:10])
    backs = RecoveryReset.objects.filter(takes_back__in=[row.pk for row in rows]).select_related("by")
    by_reset = {row.takes_back: row for row in backs}
    return [(row, by_reset.get(row.pk)) for row in rows]


@require_safe
def failures(request: HttpRequest) -> HttpResponse:
    """All failures, the cases behind a number (`?counted=1`), or those like one of them (`?like=`), newest first, and
    what fails most often. Operators correct their class here.
    """
    user = _operator(request)
    found = failure_log.visible_to(user).select_related("rule").prefetch_related("corrections__by")
    asked = {name: request.GET.get(name, "")[:64] for name in ("failure_class", "tool", "strategy")}
    way = way_named(asked["strategy"])
    if way is not None:
        found = found.filter(strategy=way.strategy.value, variant=way.variant)
    for name in ("failure_class", "tool"):
        if asked[name]:
            found = found.filter(**{name: asked[name]})
    counted = bool(request.GET.get("counted"))
    if counted:
        found = recovery_learning.that_count(found)
    like = failure_log.visible_to(user).filter(pk=_id(request.GET.get("like", "")) or 0).first()
    if like is not None:
        found = failure_causes.like(found, like)
    causes = failure_causes.causes(found) if like is None and "after" not in request.GET else []
    if (after := _id(request.GET.get("after", ""))) is not None:
        found = found.filter(pk__lt=after)
    rows = list(found[: _PAGE + 1])
    context = {
        "failures": rows[:_PAGE],
        "next": rows[_PAGE - 1].pk if len(rows) > _PAGE else None,
        "causes": causes,
        "like": like,
        "asked": asked,
        "counted": counted,
        "classes": list(FailureClass),
        "ways": WAYS,
        "tools": sorted({tool.name for tool in tools_in_use().tools} | {asked["tool"]} - {""}),
    }
    return render(request, "agents/recovery/failures.html", context)


@require_POST
def correct(request: HttpRequest, pk: int) -> HttpResponse:
    """Say of which class a failure is."""
    user = _operator(request)
    failure = get_object_or_404(FailureRecord, pk=min(pk, _PK_MAX))
    try:
        new = FailureClass(request.POST.get("failure_class", ""))
        failure_log.correct(failure, new, by=user, why=request.POST.get("why", "").replace("\0", ""))
    except (ValueError, NotPossibleNow) as error:
        messages.warning(request, f"Nothing was changed: {error}")
    else:
        messages.success(request, f"Failure {failure.pk} now has the class {new.value}.")
    # Back to the list one came from, filters and all.
    return redirect(f"{reverse('recovery-failures')}?{request.GET.urlencode()}#failure-{failure.pk}")


@require_http_methods(["GET", "HEAD", "POST"])
def rules(request: HttpRequest) -> HttpResponse:
    """The rules; a new one is shown with what it would have changed before it can be saved."""
    user = _operator(request)
    filled = {name: str(value).replace("\0", "").strip()[:300] for name, value in request.POST.items()}
    preview, refused, tried, status = None, "", "", 200
    if request.method == "POST":
        try:
            rule = _rule(filled)
            _check(rule)
            tried = mark_of(_values(rule))
            # What is saved is exactly what was shown: somebody who types on after a preview sees the next one first.
            if filled.get("act") == "save" and filled.get("tried") == tried:
                _save(rule, user, filled.get("note", ""))
                messages.success(request, "Saved. It applies from the next failure on.")
                return redirect("recovery-rules")
            preview = failure_log.preview(rule)
        except ValueError as error:
            refused, status = str(error), 422
    context = {
        "rules": failure_log.rule_versions(),
        "classes": list(FailureClass),
        "filled": filled,
        "preview": preview,
        "tried": tried,
        "typed_on": preview is not None and filled.get("act") == "save",
        "refused": refused,
        "tools": sorted(tool.name for tool in tools_in_use().tools),
    }
    return render(request, "agents/recovery/rules.html", context, status=status)


@require_POST
def switch(request: HttpRequest, pk: int) -> HttpResponse:
    """Put a rule out of force, or back, as its next version."""
    user = _operator(request)
    row = get_object_or_404(FailureRule, pk=min(pk, _PK_MAX))
    rule = versions.about(_RULES, {"name": row.name})
    if rule is None:
        raise Http404
    try:
        versions.switch(rule, on=not row.enabled, by=user, seen=row.pk)
    except (TuningRefused, NotPossibleNow) as refused:
        messages.warning(request, f"Nothing was changed: {refused}")
    else:
        on = "is off" if row.enabled else "is on again"
        messages.success(request, f"The rule {row.name} {on}, from the next failure on.")
    return redirect("recovery-rules")


def _save(rule: Rule, by: User, note: str) -> None:
    """By the checks and under the lock of everything that is tuned. Raises RuleRefused."""
    try:
        versions.save(_RULES, _values(rule), by=by, note=note)
    except TuningRefused as refused:
        raise _refused(refused) from refused
    except NotPossibleNow as same:
        raise failure_log.RuleRefused("", str(same)) from same


def _check(rule: Rule) -> None:
    """Raise RuleRefused for a rule that could not be saved: what nobody can have is not shown as if they could."""
    try:
        versions.cleaned(_RULES, _values(rule), {})
    except TuningRefused as refused:
        raise _refused(refused) from refused


def _values(rule: Rule) -> Values:
    said = {field.name: getattr(rule, field.name) for field in _RULES.fields if field.name != "enabled"}
    return {**said, "failure_class": rule.failure_class.value, "enabled": True}


def _refused(refused: TuningRefused) -> failure_log.RuleRefused:
    field, message = next(iter(refused.errors.items()))
    return failure_log.RuleRefused(field, message)


def _rule(filled: dict[str, str]) -> Rule:
    code = filled.get("exit_code", "")
    digits = code.removeprefix("-")
    if code and not (digits.isascii() and digits.isdigit() and len(code) < 6):
        raise failure_log.RuleRefused("exit_code", "An exit code is a whole number.")
    try:
        failure_class = FailureClass(filled.get("failure_class", ""))
    except ValueError as error:
        raise failure_log.RuleRefused("failure_class", "Choose a class.") from error
    names = ("name", "tool", "command", "error_class", "limit", "host", "text")
    texts: dict[str, Any] = {name: filled.get(name, "") for name in names}
    rule = replace(Rule(failure_class, exit_code=int(code) if code else None), **texts)
    for name, most in (("tool", 64), ("command", 64), ("error_class", 32), ("limit", 32), ("host", 260), ("text", 200)):
        if len(texts[name]) > most:
            raise failure_log.RuleRefused(name, f"{name} has at most {most} characters.")
    return rule


@require_safe
def over_time(request: HttpRequest) -> HttpResponse:
    """What helped against a class with a tool (`?failure_class=&tool=`): a chart for each strategy."""
    _operator(request)
    failure_class, tool = (request.GET.get(name) for name in ("failure_class", "tool"))
    page = RecoveryTime((failure_class or "")[:64], None if tool is None else tool[:64])
    return render(request, "agents/recovery/time.html", {"page": page})


def _operator(request: HttpRequest) -> User:
    user = person_of(request)
    if not tuning_rights.may_tune(user):
        raise PermissionDenied("Only operators can set how mindX recovers.")
    return user


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
