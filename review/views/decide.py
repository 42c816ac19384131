"""Decisions from the plan's page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from agents.bdi.plans import document as documents
from agents.models import IntentPlan
from agents.record.errors import PlanInvalid, StaleDigest
from agents.states import PlanState
from people.roles import Role
from review import rights
from review.deciding import decisions, editing, endangers, envelope, holding, rounds
from review.deciding.history import readable
from review.deciding.ruling import APPROVE, REJECT, REQUEST_CHANGES, Ruling
from review.entries import places
from review.errors import DecisionRefused, WordsRefused
from review.queue import listing
from review.reading import comment_edits
from review.reading.danger import Danger
from review.views import neighbours
from review.views.fresh_login import approves_risky, asks_again, is_risky
from review.views.plan import PRESETS, asking, render_plan, ticked, visible_plan

# The fields whose texts are kept after a refusal.
_TYPED = ("reason", "comment", "part_reason", "rest", "instructions")


class _NeedsMore(WordsRefused):
    """Selected steps depend on others that were not; `needed` is the full selection, to be checked before approval."""

    def __init__(self, chosen: Sequence[int], needed: Sequence[int]) -> None:
        more = ", ".join(str(one) for one in needed if one not in chosen)
        super().__init__(
            "intents",
            f"The selected steps need others that were not selected: {more}. They are selected now."
            " Nothing was approved yet.",
        )
        self.needed = needed


@require_http_methods(["GET", "HEAD", "POST"])
@asks_again(approves_risky)
def decide(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve, reject or send back. If refused: the page again with the reason and the typed texts.

    That page stands at this address, so who reloads or shares it is led to the plan.
    """
    plan, user = visible_plan(request, pk), asking(request)
    if request.method != "POST":
        return HttpResponseRedirect(plan.get_absolute_url())
    place = listing.place_of(user, plan)
    typed: dict[str, Any] = {name: request.POST.get(name, "") for name in _TYPED}
    typed["chosen"], typed["alternatives"] = _chosen(request), _alternatives(request)
    if offered := _edits_instead(request, plan):
        return render_plan(request, plan, status=422, field="comment", edits=offered, **typed)
    try:
        made = _ruling(request, plan)
        if made.verdict == APPROVE and made.digest == plan.digest and not rights.why_not(user, plan):
            endangers.check_stands(plan)
            endangers.check_known(plan, knowing=endangers.KNOWING in request.POST)
        done = holding.decide(plan, made, by=user)
    except StaleDigest as error:
        plan.refresh_from_db()
        return _refused(request, plan, error, status=409, **typed)
    except _NeedsMore as error:
        typed["chosen"] = error.needed
        return render_plan(request, plan, status=422, trouble=str(error), field=error.field, **typed)
    except WordsRefused as error:
        # With an approval the reason and the comment have fields of their own in the form.
        own = {"reason": "part_reason", "comment": "instructions"} if request.POST.get("verdict") == APPROVE else {}
        field = own.get(error.field, error.field)
        return _refused(request, plan, error, status=422, field=field, **typed)
    except DecisionRefused as error:
        return _refused(request, plan, error, status=403, **typed)
    if done:  # a held decision shows its own message, with Undo
        messages.success(request, done)
    address = _onward(request, plan, place)
    if request.htmx:  # type: ignore[attr-defined]  # its middleware sets it
        return HttpResponseClientRedirect(address)
    return HttpResponseRedirect(address)


def _onward(request: HttpRequest, plan: IntentPlan, place: listing.Cursor | None) -> str:
    """The address of the plan to decide next; without one the finished list, or the decided plan's goal."""
    only = neighbours.kept(request)
    following = listing.next_for(asking(request), place, only)
    if following is not None:
        return following.get_absolute_url()
    return f"{reverse('review')}?{only.query}" if only else reverse("goal", args=[plan.goal_id])


def _refused(request: HttpRequest, plan: IntentPlan, error: Exception, **said: Any) -> HttpResponse:
    """The page again with the reason; the journal records it too."""
    response = render_plan(request, plan, trouble=str(error), **said)
    response.refused_because = str(error)  # type: ignore[attr-defined]  # the journal reads it
    return response


@require_POST
def edit_as_said(request: HttpRequest, pk: int) -> HttpResponse:
    """Apply the values that a comment names, as the page offered: a new revision that says so."""
    plan, user = visible_plan(request, pk), asking(request)
    if reason := rights.why_not_edit(user, plan):
        raise PermissionDenied(reason)
    comment, digest = request.POST.get("comment", ""), request.POST.get("digest", "")
    document = readable(bytes(plan.document))
    if document is None:
        raise Http404("the plan's document cannot be read, so nothing of it can be edited")
    found = document.all_intents
    values = comment_edits.values_of(comment_edits.edits_in(comment, found), found)
    said = {"comment": comment, "field": "comment", "chosen": None}
    try:
        revision = editing.edit_steps(plan, by=user, digest=digest, params=values)
    except StaleDigest as error:
        plan.refresh_from_db()
        return _refused(request, plan, error, status=409, **said)
    except (PlanInvalid, WordsRefused) as error:
        return _refused(request, plan, error, status=422, **said)
    except DecisionRefused as error:
        return _refused(request, plan, error, status=403, **said)
    messages.success(request, f"Saved as revision {revision.revision}, which awaits a decision.")
    address = revision.get_absolute_url()
    return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)  # type: ignore[attr-defined]  # its middleware sets it


def _edits_instead(request: HttpRequest, plan: IntentPlan) -> tuple[comment_edits.Suggested, ...]:
    """The values in a request for changes, if no model would read it and they can be applied at once."""
    is_request = request.POST.get("verdict") == REQUEST_CHANGES and "anyway" not in request.POST
    if not is_request or plan.state != PlanState.AWAITING_REVIEW or rounds.reads_comments(plan.goal):
        return ()
    if rights.why_not_edit(asking(request), plan) or request.POST.get("digest") != plan.digest:
        return ()
    document = readable(bytes(plan.document))
    return comment_edits.edits_in(request.POST.get("comment", ""), document.all_intents) if document else ()


@require_POST
def try_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Have the plan tried in a copy of the workspace as it is now."""
    plan, user = visible_plan(request, pk), asking(request)
    if plan.state != PlanState.AWAITING_REVIEW:
        messages.error(request, "This plan is already decided, so no dry run is started.")
    elif not user.has_role(Role.REVIEWER) and plan.goal.submitted_by_id != user.pk:
        raise PermissionDenied("Only reviewers and the owner of the goal can start a dry run.")
    elif not places.try_again(plan):
        messages.info(request, "A dry run is already queued or in progress.")
    return HttpResponseRedirect(plan.get_absolute_url())


@require_POST
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Withdraw one's approval while a second one is still missing."""
    return _about_two(request, pk, decisions.withdraw, "Your approval is withdrawn.")


@require_POST
@asks_again(is_risky)
def second(request: HttpRequest, pk: int) -> HttpResponse:
    """Approve, as the second person, a plan that was approved before a policy asked for two."""
    return _about_two(request, pk, decisions.approve_as_second, "Approved by two people. It continues now.")


def _about_two(request: HttpRequest, pk: int, service: Callable[..., IntentPlan], done: str) -> HttpResponse:
    plan = visible_plan(request, pk)
    response = HttpResponseRedirect(plan.get_absolute_url())
    try:
        service(plan, by=asking(request), digest=request.POST.get("digest", ""))
    except (StaleDigest, DecisionRefused) as error:
        messages.error(request, str(error))
        response.refused_because = str(error)  # type: ignore[attr-defined]  # the journal reads it
    else:
        messages.success(request, done)
    return response


def _ruling(request: HttpRequest, plan: IntentPlan) -> Ruling:
    """The decision in the form. Only selected steps are approved, not even those they depend on."""
    digest, verdict = request.POST.get("digest", ""), request.POST.get("verdict", "")
    if verdict == REJECT:
        return Ruling(verdict, digest, _reason(request))
    if verdict == REQUEST_CHANGES:
        return Ruling(verdict, digest, request.POST.get("comment", ""))
    tries = _tries(request.POST.get("tries", str(envelope.USUAL_TRIES)))
    chosen = _chosen(request)
    instructions, others = request.POST.get("instructions", ""), _alternatives(request)
    whole = Ruling(
        verdict,
        digest,
        tries=tries,
        comment=instructions,
        alternatives=others,
        as_first="as_first" in request.POST,
        seen=_seen(request.POST.get("danger", "")),
    )
    if verdict != APPROVE or chosen is None:
        return whole
    needed = editing.closure(plan, chosen)
    if set(needed) != set(chosen):
        raise _NeedsMore(chosen, needed)
    if len(needed) == len(documents.read(bytes(plan.document)).intents):
        return whole
    words, rest = request.POST.get("part_reason", ""), request.POST.get("rest", editing.PLAN_AGAIN)
    return replace(whole, words=words, intents=needed, rest=rest, as_first=False)


def _seen(text: str) -> int | None:
    """The danger that the page showed; an invalid one counts as none at all, so that everything is more dangerous."""
    known = {str(each.value): each.value for each in Danger}
    return known.get(text, Danger.NOTHING.value) if text else None


def _alternatives(request: HttpRequest) -> tuple[envelope.Alternative, ...]:
    """The selected alternatives, sent as "2.1"; an invalid one becomes (0, 0), which no plan declares."""
    found = [re.fullmatch(r"([1-9]\d{0,3})\.([1-9])", sent, re.ASCII) for sent in request.POST.getlist("alternatives")]
    return tuple((int(one[1]), int(one[2])) if one else (0, 0) for one in found)


def _chosen(request: HttpRequest) -> list[int] | None:
    """The selected steps; None if the form has no checkboxes, as with a plan of one step."""
    return ticked(request.POST.getlist("intents")) if "ticks" in request.POST else None


def _reason(request: HttpRequest) -> str:
    """The chosen preset and the person's own text, if any."""
    preset, own = request.POST.get("preset", ""), request.POST.get("reason", "")
    return ": ".join(words for words in (preset if preset in PRESETS else "", own.strip()) if words)


def _tries(text: str) -> int:
    """The number of attempts; an invalid one becomes 0, which the envelope refuses with the valid range."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
