"""The administration shows the mind's rows and lets nobody rewrite what happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from django.test import Client

    from agents.models import IntentPlan
    from people.models import User

ClientOf = Callable[["User"], "Client"]
TABLES = (
    "agent", "workspace", "goal", "intentplan", "plan", "intent", "attempt", "belief", "transition", "logexpiry"
)  # fmt: skip
CHANGEABLE = {"agent", "workspace"}


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
    client_of(admin).post(f"/admin/agents/agent/{agent.pk}/change/", {"paused": "on", "tools": "", "name": "other"})
    agent.refresh_from_db()
    assert (agent.paused, agent.name) == (True, "mindx")
