"""What the page of a prompt, of firmware or of an agent begins and stops: a replay that asks models again."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from agents.actors.firmware import KIND as FIRMWARE
from agents.components.agent_versions import KIND as AGENT
from agents.evolution.replays import replays
from agents.record.errors import NotPossibleNow
from library.errors import LibraryRefused
from library.models import ComponentVersion
from library.prompts.in_use import KIND as PROMPT


@require_POST
def move(request: HttpRequest, pk: int, version: int) -> HttpResponse:
    """Have a version replayed, or stop that."""
    rows = ComponentVersion.objects.select_related("component", "parent__component")
    found = get_object_or_404(rows, pk=version, component_id=pk, component__kind__in=(PROMPT, FIRMWARE, AGENT))
    user: Any = request.user
    under_way = replays.latest(found)
    try:
        if "stop" in request.POST:
            if under_way is not None:
                replays.stop(under_way, by=user)
            messages.success(request, "The replay is stopped.")
        else:
            replays.ask(found, by=user, why=request.POST.get("why", "").replace("\0", "").strip()[:500])
            messages.success(request, f"Version {found.version} is being replayed beside {found.parent}.")
    except (LibraryRefused, NotPossibleNow) as refused:
        messages.error(request, str(refused))
    return redirect(f"{reverse('library-component', args=[pk])}?version={version}#replay")
