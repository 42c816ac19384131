"""One recorded call of a model: what was asked and answered, and asking again to compare."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from agents.evolution.replays import asking_again
from agents.record.errors import NotPossibleNow, NotYours
from library.models import ModelCall
from mindx_web.insights.recorded_call import RecordedCall
from people.models import User


@require_safe
def one(request: HttpRequest, pk: int) -> HttpResponse:
    """A call with its request and answer, beside the one that it sent again."""
    user = cast(User, request.user)
    page = RecordedCall(_seen(user, pk), user, request.GET.get("version", ""))
    return render(request, "insights/call.html", {"page": page})


@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Send the request again; the answer comes when the model has given it."""
    user = cast(User, request.user)
    call = _seen(user, pk)
    version, model = (request.POST.get(name, "").replace("\0", "")[:200] for name in ("version", "model"))
    try:
        made = asking_again.again(call, by=user, version=version, model=model)
    except NotYours as refused:
        raise PermissionDenied(str(refused)) from refused
    except NotPossibleNow as refused:
        messages.error(request, str(refused))
        return redirect("insights-call", pk)
    return redirect("insights-call", made.pk)


def _seen(user: User, pk: int) -> ModelCall:
    call = ModelCall.objects.select_related("replay_of").filter(pk=pk).first()
    if call is None or not asking_again.may_see(user, call):
        raise Http404
    return call
