"""Tuning in the administration: every kind has its versions there, the same checks as everywhere, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib import admin as administration
from django.test import Client
from django.urls import reverse

from agents.models import IntentPlan, PathMapping, RecoveryPolicy, RecoverySetting
from agents.recovery import recovery_learning
from agents.tuning import lessons, versions
from agents.tuning.lessons import Taught
from agents.understanding import in_force
from people.models import User

pytestmark = pytest.mark.django_db
Clients = Callable[[User], Client]
MAPPING = {"said": "figures", "path": "data/figures.csv", "tool": "", "parameter": "", "in_use": "on", "note": "so"}


@pytest.mark.parametrize("kind", versions.KINDS, ids=lambda kind: kind.name)
def test_every_kind_stands_there_for_admins_only(
    kind: Any, admin: User, operator: User, owner: User, client_of: Clients
) -> None:
    name = f"admin:{kind.model._meta.app_label}_{kind.model._meta.model_name}"
    assert kind.model in administration.site._registry
    for address in (reverse(f"{name}_changelist"), reverse(f"{name}_add")):
        assert client_of(admin).get(address).status_code == 200
        for somebody in (operator, owner):
            assert client_of(somebody).get(address).status_code in {302, 403}


def test_saving_there_makes_a_version_by_the_same_checks(admin: User, client_of: Clients) -> None:
    client, address = client_of(admin), reverse("admin:agents_pathmapping_add")
    wrong = client.post(address, {**MAPPING, "path": "../out", "tool": "nothing"})
    assert "Select a valid choice" in wrong.content.decode()
    assert "leads out of the workspace" in client.post(address, {**MAPPING, "path": "../out"}).content.decode()
    assert not PathMapping.objects.exists()
    assert client.post(address, MAPPING).status_code == 302
    first = PathMapping.objects.get()
    assert (first.by, first.note) == (admin, "so")
    change = reverse("admin:agents_pathmapping_change", args=[first.pk])
    assert "already in use" in client.post(change, MAPPING).content.decode()
    assert client.post(change, {**MAPPING, "path": "other.csv"}).status_code == 302
    first.refresh_from_db()
    assert first.path == "data/figures.csv", "the old version stays"
    assert [one.path for one in in_force.mapped()] == ["other.csv"]


def test_the_way_back_is_an_action_there(admin: User, client_of: Clients) -> None:
    client, of = client_of(admin), versions.kind_named("recovery_policy")
    assert of is not None
    one = versions.save(of, {"failure_class": "NETWORK_ERROR", "pinned": "manual_fallback"}, by=admin)
    versions.save(of, {"pinned": "", "banned": ["manual_fallback"]}, by=admin, over=one)
    address = reverse("admin:agents_recoverypolicy_changelist")
    page = client.get(address).content.decode()
    assert page.count("try on past cases") == 2
    client.post(address, {"action": "let_count_again", "_selected_action": [str(one.version)]})
    newest = RecoveryPolicy.objects.order_by("-pk")[0]
    assert (newest.number, newest.pinned, newest.banned) == (3, "manual_fallback", [])
    both = [str(pk) for pk in RecoveryPolicy.objects.values_list("pk", flat=True)]
    client.post(address, {"action": "let_count_again", "_selected_action": both})
    assert RecoveryPolicy.objects.count() == 3


def test_a_number_outside_its_bounds_is_refused_there_too(admin: User, client_of: Clients) -> None:
    client, address = client_of(admin), reverse("admin:agents_recoverysetting_add")
    assert "from 0 to 1" in client.post(address, {"name": "jitter", "value": "7", "note": ""}).content.decode()
    assert client.post(address, {"name": "jitter", "value": "0.5", "note": ""}).status_code == 302
    assert RecoverySetting.objects.get().by == admin
    assert recovery_learning.current_settings().jitter == 0.5
    assert client.post(f"/admin/agents/recoverysetting/{RecoverySetting.objects.get().pk}/delete/").status_code == 403


def test_lessons_are_looked_at_there_and_ended_on_their_page(
    admin: User, operator: User, owner: User, client_of: Clients, propose_plan: Callable[..., IntentPlan]
) -> None:
    says = Taught("mapping", "simple_coder", "", "path", "app", "src/<b>.py")
    first = lessons.teach(says, by=owner, plan=propose_plan(owner), step=1)
    last = lessons.take_back(first, by=operator, note="it moved")
    client, address = client_of(admin), reverse("admin:agents_lesson_changelist")
    page = client.get(address).content.decode()
    assert "“app” for simple_coder.path means src/&lt;b&gt;.py" in page
    assert page.count("open its page") == 2
    assert f'href="{last.get_absolute_url()}"' in page
    assert "it moved" in page
    assert client.get(f"{address}?state=in_force&q=app").content.decode().count("open its page") == 1
    assert client.get(reverse("admin:agents_lesson_change", args=[first.pk])).status_code == 200
    for refused in ("add", f"{first.pk}/delete"):
        assert client.post(f"{address}{refused}/", {"state": "in_force"}).status_code == 403
    assert client.post(f"{address}{first.pk}/change/", {"state": "promoted"}).status_code == 403
    for somebody in (operator, owner):
        assert client_of(somebody).get(address).status_code in {302, 403}
