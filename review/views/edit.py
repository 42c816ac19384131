"""Changing the values of a step: a form made from its command's schema, saved as a revision that says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.models import IntentPlan
from agents.presentation import schema_form
from agents.record.errors import PlanInvalid, StaleDigest
from agents.states import PlanState
from agents.toolkit.command import Command
from agents.toolkit.registry import UnknownTool, tools_in_use
from review import rights
from review.deciding import editing
from review.errors import DecisionRefused, WordsRefused
from review.reading import edit_form
from review.views.plan import asking, visible_plan

_PREFIX = "p."


@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, pk: int, position: int) -> HttpResponse:
    """The form of one step, and saving it. If refused: the form with problems at their fields and typed values."""
    plan, user = visible_plan(request, pk), asking(request)
    if reason := rights.why_not_edit(user, plan):
        raise PermissionDenied(reason)
    if plan.state != PlanState.AWAITING_REVIEW:
        messages.warning(request, "This plan no longer awaits a decision, so it cannot be edited.")
        return HttpResponseRedirect(plan.get_absolute_url())
    document, spec, command = _step(plan, position)
    filled = schema_form.shown(command, spec.params)
    if request.method != "POST":
        return _form(request, plan, document, spec, filled, {})
    filled = {key.removeprefix(_PREFIX): str(value) for key, value in request.POST.items() if key.startswith(_PREFIX)}
    values, errors = schema_form.read_over(command, spec.params, filled)
    if errors:
        return _form(request, plan, document, spec, filled, errors, status=422)
    try:
        revision = editing.edit(plan, by=user, digest=request.POST.get("digest", ""), position=position, params=values)
    except PlanInvalid as error:
        errors, others = edit_form.placed(error.problems, spec, command)
        return _form(request, plan, document, spec, filled, errors, trouble=others, status=422)
    except StaleDigest as error:
        return _form(request, plan, document, spec, filled, {}, trouble=[str(error)], status=409)
    except WordsRefused as error:
        return _form(request, plan, document, spec, filled, {}, trouble=[str(error)], status=422)
    except DecisionRefused as error:
        return _form(request, plan, document, spec, filled, {}, trouble=[str(error)], status=403)
    messages.success(request, f"Saved as revision {revision.revision}, which awaits a decision.")
    address = revision.get_absolute_url()
    return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)  # type: ignore[attr-defined]  # its middleware sets it


def _step(plan: IntentPlan, position: int) -> tuple[Document, IntentSpec, Command]:
    try:
        document = documents.read(bytes(plan.document))
        spec = next(one for one in document.all_intents if one.position == position)
        return document, spec, tools_in_use().command(spec.tool, spec.command)
    except (ValueError, StopIteration, UnknownTool) as error:
        raise Http404(f"the plan has no step {position} that can be edited") from error


def _form(
    request: HttpRequest,
    plan: IntentPlan,
    document: Document,
    spec: IntentSpec,
    filled: Mapping[str, str],
    errors: Mapping[str, str],
    *,
    trouble: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    command = tools_in_use().command(spec.tool, spec.command)
    told = trouble or ([] if not errors else ["Some values cannot be used. Nothing was saved."])
    context: dict[str, Any] = {
        "plan": plan,
        "document": document,
        "spec": spec,
        "command": command,
        "fields": edit_form.originals(spec, command, schema_form.fields(command, filled, errors)),
        "trouble": told,
    }
    response = render(request, "review/edit.html", context, status=status)
    if told:
        response.refused_because = " ".join(told)  # type: ignore[attr-defined]  # the journal reads it
    return response
