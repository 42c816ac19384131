"""The list of a person's notices, and where else they get them."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from people import sealing
from review.models import Delivery, Notice, NoticeChoice
from review.models.notices import ABOUT
from review.notices.form import NoticeForm
from review.views.plan import asking

PAGE = 50
_ID_MAX = 2**63


@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    """Newest first, a page at a time."""
    return _page(request)


@require_safe
def follow(request: HttpRequest, pk: int) -> HttpResponse:
    """Go to the subject of a notice, and mark it as read. The target is from the notice, never from the request."""
    found = asking(request).notices.select_related(*ABOUT)
    notice = get_object_or_404(found, pk=pk)
    Notice.objects.filter(pk=notice.pk, read_at__isnull=True).update(read_at=timezone.now())
    place = f"#said-{notice.comment_id}" if notice.comment_id else ""
    return HttpResponseRedirect(f"{notice.about.get_absolute_url()}{place}")


@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    """Everything is read."""
    asking(request).notices.filter(read_at__isnull=True).update(read_at=timezone.now())
    return redirect("review-notices")


@sensitive_post_parameters()
@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Save the person's choices. An empty address field keeps the stored one; a checkbox deletes it."""
    user = asking(request)
    form = NoticeForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=422)
    chosen = form.cleaned_data
    with transaction.atomic():
        choice, is_new = NoticeChoice.objects.select_for_update().get_or_create(user=user)
        # An address that this person did not save is not kept.
        kept = choice.apprise_address if is_new or sealing.is_genuine(choice) else ""
        choice.apprise_address = "" if chosen["forget"] else chosen["apprise_address"] or kept
        choice.email_kinds, choice.apprise_kinds = chosen["email_kinds"], chosen["apprise_kinds"]
        choice.save()
        sealing.seal(choice)
    messages.success(request, "Your notification settings are saved.")
    return redirect("review-notices")


def _page(request: HttpRequest, form: NoticeForm | None = None, *, status: int = 200) -> HttpResponse:
    user = asking(request)
    before = request.GET.get("before", "")
    rows = user.notices.select_related("level_document").order_by("-pk")
    if before.isascii() and before.isdigit() and int(before) < _ID_MAX:
        rows = rows.filter(pk__lt=int(before))
    found = list(rows[: PAGE + 1])
    choice = NoticeChoice.objects.filter(user=user).first() or NoticeChoice(user=user)
    context = {
        "notices": found[:PAGE],
        "older": found[PAGE - 1].pk if len(found) > PAGE else None,
        "form": form or NoticeForm.of(choice),
        "has_address": bool(choice.apprise_address),
        "email_on": settings.NOTIFY_BY_EMAIL,
        "deliveries": Delivery.objects.filter(notice__user=user)
        .select_related("notice__level_document")
        .order_by("-pk")[:10],
    }
    return render(request, "review/notices.html", context, status=status)
