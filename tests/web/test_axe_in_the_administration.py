"""The administration's pages as axe reads them: every list, every form that may be opened, wide and light, narrow and
dark."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib import admin as administration
from django.test import RequestFactory
from django.urls import reverse
from playwright.sync_api import Page

from agents.models import ToolLimit
from people.models import User
from review.models import TimeLimit
from tests.web.test_axe_on_every_page import looked_at, with_axe

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.long
def test_axe_finds_nothing_serious_in_the_administration(admin: User, open_page: Callable[..., Page]) -> None:
    ToolLimit.objects.create(tool="simple_coder", memory_bytes=256 * 1024**2)
    TimeLimit.objects.create(minutes=60, escalate_percent=50)
    page = with_axe(open_page(admin, "/admin/"))
    found = [one for address in _addresses(admin) for one in looked_at(page, "admin", address)]
    assert [one for one in found if ": serious " in one or ": critical " in one] == []


def _addresses(admin: User) -> list[str]:
    """The index, and list, new and one row's form of every model, as far as an admin may open them."""
    request = RequestFactory().get("/admin/")
    request.user = admin
    found = [reverse("admin:index"), reverse("admin:password_change")]
    for model, shown in administration.site._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(reverse(f"{name}_changelist"))
        if shown.has_add_permission(request):
            found.append(reverse(f"{name}_add"))
        if (row := model._default_manager.first()) is not None:
            found.append(reverse(f"{name}_change", args=[row.pk]))
    return found
