"""The administration shows the mind's rows and lets nobody rewrite what happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from agents import admin as tables
from people.models import User

if TYPE_CHECKING:
    from django.test import Client

    from agents.models import Goal, IntentPlan

ClientOf = Callable[[User], "Client"]
TABLES = (
    "agent", "workspace", "goal", "intentplan", "plan", "intent", "attempt", "belief", "transition", "logexpiry"
)  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
def test_every_table_can_be_looked_at_by_an_admin_only(
    table: str, admin: User, operator: User, owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    propose_plan(owner)
    address = f"/admin/agents/{table}/"
    assert client_of(admin).get(address).status_code == 200
    assert client_of(operator).get(address).status_code in {302, 403}
    assert client_of(admin).get(f"{address}add/").status_code == 403


@pytest.mark.parametrize("table", ["goal", "intentplan", "plan", "intent", "transition"])
def test_what_happened_is_not_rewritten(
    table: str, admin: User, owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    from django.apps import apps

    propose_plan(owner)
    row = apps.get_model("agents", table).objects.order_by("pk").first()
    assert row is not None
    address = f"/admin/agents/{table}/{row.pk}/"
    assert client_of(admin).get(f"{address}change/").status_code == 200
    assert client_of(admin).post(f"{address}change/", {"state": "achieved", "text": "x"}).status_code == 403
    assert client_of(admin).post(f"{address}delete/", {"post": "yes"}).status_code == 403
    row.refresh_from_db()


def test_an_agent_can_be_paused_and_keeps_its_name(
    admin: User, owner: User, propose_plan: Callable[..., IntentPlan], client_of: ClientOf
) -> None:
    agent = propose_plan(owner).goal.agent
    values = {"paused": "on", "tools": "", "name": "other", "max_repair_attempts": "2", "framework": "mindx"}
    assert client_of(admin).post(f"/admin/agents/agent/{agent.pk}/change/", values).status_code == 302
    agent.refresh_from_db()
    assert (agent.paused, agent.name) == (True, "mindx")


def test_a_list_of_goals_counts_no_further_than_pages_are_turned_and_asks_no_table_what_it_holds(
    owner: User, make_goal: Callable[..., Goal], client_of: ClientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_MOST_PAGES", 1)
    monkeypatch.setattr(tables, "_PER_PAGE", 2)
    for number in range(5):
        make_goal(owner, f"goal {number}")
    client = client_of(User.objects.create_superuser("root"))
    address = reverse("admin:agents_goal_changelist")
    with CaptureQueriesContext(connection) as asked:
        page = client.get(address).content.decode()
    assert "2 goals" in page
    counts = [query["sql"] for query in asked if "COUNT(" in query["sql"] and "agents_goal" in query["sql"]]
    assert counts
    assert all("LIMIT" in sql for sql in counts)
    assert not [query["sql"] for query in asked if "DISTINCT" in query["sql"]]
    found = client.get(address, {"state": "failed"}).content.decode()
    assert "0 goals" in found
    assert 'href="?state=pending"' in found
