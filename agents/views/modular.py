"""Pages of modular agents: runs, a new one, one with its tree and any of its states, two branches side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.bdi.modular import document
from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.document import StateRefused, StateUnreadable
from agents.bdi.modular.modules import Module, of_type
from agents.bdi.modular.state import MODULE_TYPES, Chosen, Limits
from agents.models import ModularRun
from agents.modular import advice, branching, rights, runs, states, wanting
from agents.modular.branching import Edit
from agents.modular.runs import Start
from agents.pages.agents import modular_page
from agents.record import selectors
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from people.models import User
from people.roles import Role

PAGE = 50
_MOST_TASK = 10_000
_REFUSED = (StateRefused, CombinationRefused, NotPossibleNow, NotYours, GoalRefused)
_FRAGMENTS = {"tree": "agents/modular/_tree.html", "status": "agents/modular/_status.html"}
_USUAL = {
    "prompter": "aware",
    "generator": "model",
    "discriminator": "first",
    "actor": "plain",
    "toolkit": "simple_coder",
}


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """The runs that this person may see, and how combinations of modules did."""
    user: Any = request.user
    rows = rights.visible_to(user).order_by("-pk")
    after = _number(request.GET.get("after"))
    if after is not None:
        rows = rows.filter(pk__lt=after)
    found = list(rows[: PAGE + 1])
    context = {
        "runs": [modular_page.Listed(row) for row in found[:PAGE]],
        "next": found[PAGE - 1].pk if len(found) > PAGE else None,
        "combinations": modular_page.combinations(user),
        "may_start": _may_start(user),
    }
    return render(request, "agents/modular/list.html", context)


@dataclass
class _Draft:
    task: str = ""
    workspace: str = ""
    chosen: dict[str, str] = field(default_factory=lambda: dict(_USUAL))
    given: Mapping[str, Any] = field(default_factory=dict)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form of a new run, and its start."""
    user: Any = request.user
    if request.method != "POST":
        return _form(request, _asked_for(request), [])
    draft = _Draft(
        request.POST.get("task", "").replace("\0", ""),
        request.POST.get("workspace", ""),
        {kind: request.POST.get(kind, "") for kind in MODULE_TYPES},
        request.POST,
    )
    try:
        limits = _limits(request.POST)
        workspace = None
        if draft.workspace:
            workspace = selectors.workspaces_writable_by(user).filter(name=draft.workspace).first()
            if workspace is None:
                raise GoalRefused("workspace", "No workspace of yours has this name.")
        settings = {kind: Chosen(draft.chosen[kind], _settings(kind, draft)) for kind in MODULE_TYPES}
        key = request.POST.get("key", "")[:100]
        run = runs.start(Start(draft.task, settings, limits, workspace, key=key), by=user)
    except _REFUSED as refused:
        problems = list(getattr(refused, "problems", ())) or [str(refused)]
        return _form(request, draft, problems, status=400)
    return redirect(run)


def _asked_for(request: HttpRequest) -> _Draft:
    """The task and modules that the address names, as a link of an advice does."""
    known = {kind: {one.name for one in of_type(kind)} for kind in MODULE_TYPES}
    named = {kind: request.GET.get(kind, "") for kind in MODULE_TYPES}
    chosen = {kind: named[kind] if named[kind] in known[kind] else _USUAL[kind] for kind in MODULE_TYPES}
    return _Draft(request.GET.get("task", "").replace("\0", "")[:_MOST_TASK], chosen=chosen)


@require_safe
def advise(request: HttpRequest) -> HttpResponse:
    """How combinations did on tasks like this one: a fragment of the form."""
    user: Any = request.user
    task = request.GET.get("task", "").replace("\0", "").strip()[:_MOST_TASK]
    told = advice.for_task(task, user=user) if task else []
    links = [f"{reverse('modular-new')}?{urlencode({'task': task, **one.modules})}" for one in told]
    context = {"told": list(zip(told, links, strict=True)), "least": advice.RUNS_LEAST, "task": task}
    return render(request, "agents/modular/_advice.html", context)


def _form(request: HttpRequest, draft: _Draft, problems: list[str], status: int = 200) -> HttpResponse:
    user: Any = request.user
    context = {
        "problems": problems,
        "draft": draft,
        "key": draft.given.get("key") or get_random_string(20),
        "workspaces": selectors.workspaces_writable_by(user).order_by("-changed_at")[:50],
        "limits": modular_page.limit_fields(Limits(), draft.given),
        "parts": [_part(kind, draft) for kind in MODULE_TYPES],
    }
    return render(request, "agents/modular/new.html", context, status=status)


def _part(kind: str, draft: _Draft) -> Mapping[str, Any]:
    modules = of_type(kind)
    shown = [
        {"name": one.name, "title": one.title, "fields": [_field(one, setting, draft) for setting in one.settings]}
        for one in modules
        if one.settings
    ]
    return {
        "type": kind,
        "title": kind.capitalize(),
        "modules": modules,
        "chosen": draft.chosen.get(kind, ""),
        "with_settings": shown,
    }


def _field(module: Module, setting: Any, draft: _Draft) -> Mapping[str, Any]:
    name = f"{module.type}.{module.name}.{setting.name}"
    value = draft.given.get(name, setting.default)
    if setting.type == "switch" and draft.given:
        value = name in draft.given
    return {
        "field": name,
        "title": setting.title,
        "type": setting.type,
        "hint": setting.hint,
        "choices": setting.choices,
        "value": value,
    }


def _settings(kind: str, draft: _Draft) -> dict[str, Any]:
    """The settings of the chosen module as the form gives them. CombinationRefused for what is no number."""
    module = next((one for one in of_type(kind) if one.name == draft.chosen[kind]), None)
    found: dict[str, Any] = {}
    for setting in module.settings if module is not None else ():
        name = f"{kind}.{draft.chosen[kind]}.{setting.name}"
        given = str(draft.given.get(name, ""))
        if setting.type == "switch":
            found[setting.name] = name in draft.given
        elif setting.type in ("whole", "number"):
            try:
                found[setting.name] = int(given) if setting.type == "whole" else float(given)
            except ValueError:
                raise CombinationRefused((f"{setting.title}: “{given[:40]}” is no number.",)) from None
        else:
            found[setting.name] = given
    return found


def _limits(given: Mapping[str, Any]) -> Limits:
    found: dict[str, Any] = {}
    for one in fields(Limits):
        text = str(given.get(f"limit.{one.name}", "")).strip()
        try:
            value = Decimal(text)
        except InvalidOperation:
            value = Decimal("NaN")
        if not value.is_finite() or not 0 <= value <= 100_000_000:
            raise GoalRefused("limits", f"{modular_page.LIMITS[one.name]}: “{text[:40]}” is no limit.")
        found[one.name] = value if one.name == "cost" else float(value) if one.name == "time_s" else int(value)
    return Limits(**found)


@require_safe
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """A run: its tree, what it waits for, and one of its nodes."""
    user: Any = request.user
    found = _found(request, pk)
    try:
        context = modular_page.of(found, user, _number(request.GET.get("node")), _number(request.GET.get("from")))
    except StateUnreadable as unreadable:
        messages.error(request, f"No state of run {found.pk} can be read: {unreadable}")
        return redirect("modular")
    template = _FRAGMENTS.get(request.headers.get("HX-Target", ""), "agents/modular/run.html")
    return render(request, template, context)


@require_POST
def act(request: HttpRequest, pk: int) -> HttpResponse:
    """Step, go on, go on until a step, pause, end; other limits."""
    user: Any = request.user
    found = _found(request, pk)
    what = request.POST.get("do", "")
    try:
        if what == "step":
            runs.step(found, by=user)
        elif what in ("go", "until"):
            until = _number(request.POST.get("until")) if what == "until" else None
            if what == "until" and until is None:
                raise NotPossibleNow("Name the step until which it should run.")
            runs.go_on(found, by=user, until=until)
        elif what == "pause":
            runs.pause(found, by=user)
        elif what == "cancel":
            runs.end(found, by=user)
        elif what == "limits":
            branching.set_limits(found, _limits(request.POST), by=user)
            messages.success(request, "The limits are changed.")
        else:
            raise Http404
    except _REFUSED as refused:
        messages.error(request, str(refused))
    return redirect(found)


@require_POST
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """What a person chose, rated or wrote."""
    user: Any = request.user
    found = _found(request, pk)
    asked = wanting.asked_of_people(found)
    want = next((one for one in asked if one.key == request.POST.get("want", "")), None)
    if want is None or str(want.step) != request.POST.get("step", ""):
        messages.error(request, "Somebody has answered this already.")
        return redirect(found)
    try:
        wanting.answer_as_person(want, _answer(request, len(want.args.get("options", ()))), by=user)
    except _REFUSED as refused:
        messages.error(request, str(refused))
        return redirect(f"{found.get_absolute_url()}#person")
    return redirect(found)


def _answer(request: HttpRequest, options: int) -> dict[str, Any]:
    call = None
    if name := request.POST.get("call", ""):
        call = {"name": name, "arguments": _json(request.POST.get("arguments", "") or "{}", "The arguments")}
    written = {"content": request.POST.get("written", "").replace("\0", ""), "function_call": call}
    chosen = request.POST.get("chosen", "")
    if chosen == "written" or not options:
        return {"written": written, **written, "scores": _scores(request, options)}
    return {"chosen": _number(chosen), "scores": _scores(request, options)}


def _scores(request: HttpRequest, options: int) -> list[float | None]:
    found: list[float | None] = []
    for at in range(options):
        text = request.POST.get(f"score-{at}", "").strip()
        try:
            found.append(float(text) if text else None)
        except ValueError:
            raise NotPossibleNow("A rating is a number from 0 to 1.") from None
    return found


@require_POST
def branch(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a node and go on from it; the old one stays."""
    user: Any = request.user
    found = _found(request, pk)
    node = _number(request.POST.get("node"))
    try:
        if node is None:
            raise StateRefused("Choose the node to go on from.")
        made = branching.branch(found, _edit(request, node), by=user)
    except _REFUSED as refused:
        messages.error(request, str(refused))
        return redirect(f"{found.get_absolute_url()}?node={node}#node")
    at = states.read(made).at
    messages.success(request, "A new branch begins here. The earlier branch stays.")
    return redirect(f"{found.get_absolute_url()}?node={at}#node")


def _edit(request: HttpRequest, node: int) -> Edit:
    if (option := _number(request.POST.get("option"))) is not None:
        return Edit(node, option=option)
    settings = None
    if text := request.POST.get("settings", "").strip():
        said = _json(text, "The modules")
        try:
            settings = {str(kind): Chosen(str(one["name"]), dict(one["settings"])) for kind, one in said.items()}
        except (KeyError, TypeError, ValueError):
            raise StateRefused("The modules are an object of {name, settings} by kind.") from None
    arguments = None
    if text := request.POST.get("arguments", "").strip():
        arguments = _json(text, "The arguments")
    # A text field of a form ends its lines as the wire does.
    content = request.POST.get("content", "").replace("\r\n", "\n").replace("\0", "")
    return Edit(node, content, arguments, settings=settings, next_step=request.POST.get("next") or None)


@require_safe
def compare(request: HttpRequest, pk: int) -> HttpResponse:
    """Two branches side by side."""
    user: Any = request.user
    found = _found(request, pk)
    left, right = (_number(request.GET.get(name)) for name in ("left", "right"))
    if left is None or right is None:
        messages.error(request, "Name two nodes.")
        return redirect(found)
    try:
        context = modular_page.compared(found, user, left, right)
    except StateRefused as refused:
        messages.error(request, str(refused))
        return redirect(found)
    return render(request, "agents/modular/compare.html", context)


@require_safe
def export(request: HttpRequest, pk: int) -> HttpResponse:
    """The whole state as a file."""
    found = _found(request, pk)
    response = JsonResponse(document.write(states.tree_of(found)), json_dumps_params={"indent": 1})
    response["Content-Disposition"] = f'attachment; filename="modular-run-{found.pk}.json"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _found(request: HttpRequest, pk: int) -> ModularRun:
    user: Any = request.user
    return get_object_or_404(rights.visible_to(user), pk=pk)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 8 else None


def _json(text: str, what: str) -> Any:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StateRefused(f"{what} are no JSON: {str(error)[:200]}.") from error
    if not isinstance(said, dict):
        raise StateRefused(f"{what} are a JSON object.")
    return said


def _may_start(user: User) -> bool:
    return user.has_role(Role.SUBMITTER, Role.REVIEWER, Role.OPERATOR, Role.DEVELOPER)
