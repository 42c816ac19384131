"""Saving a filter of the queue under a name. Only its owner sees and deletes it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_POST

from review.models import SavedFilter
from review.reading import filters
from review.views.plan import asking

NAME_MAX = 60
KEPT_MAX = 30


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Save the filter in the address under a name; saving a name again replaces the filter."""
    user = asking(request)
    name = " ".join(request.POST.get("name", "").split())
    only, problems = filters.read(QueryDict(request.POST.get("query", "")))
    address = reverse("review") + (f"?{only.query}" if only else "")
    kept = user.review_filters.exclude(name=name).count()
    if not name or len(name) > NAME_MAX or "\0" in name:
        messages.error(request, f"A filter needs a name of at most {NAME_MAX} characters. Nothing was saved.")
    elif not only or problems:
        messages.error(request, "There is no filter to save: set one first.")
    elif kept >= KEPT_MAX:
        messages.error(request, f"You have {KEPT_MAX} saved filters already. Delete one first.")
    else:
        SavedFilter.objects.update_or_create(owner=user, name=name, defaults={"query": only.query})
        messages.success(request, f"Filter “{name}” is saved as a tab.")
    return HttpResponseRedirect(address)


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete one of one's own filters; those of others are not found (404)."""
    kept = get_object_or_404(asking(request).review_filters, pk=pk)
    kept.delete()
    messages.success(request, f"The filter “{kept.name}” is deleted.")
    return HttpResponseRedirect(reverse("review"))
