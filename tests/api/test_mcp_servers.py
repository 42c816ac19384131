"""`mcp-servers`: developers manage them, everybody who reads the library sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from agents.foreign_tools import listing
from agents.models import McpServer
from tests.agents.foreign_tools.mcp_programs import COMMAND, HONEST
from tests.cast import person

if TYPE_CHECKING:
    from people.models import User

pytestmark = pytest.mark.django_db
ApiOf = Callable[..., Any]
SERVER = {"name": "demo", "command": COMMAND, "source": HONEST}


def test_a_server_is_added_listed_refreshed_and_removed(owner: User, api_of: ApiOf) -> None:
    api = api_of(person("dee", "developer"))
    made = api.post("mcp-servers", SERVER)
    assert (made.status_code, made.json()["state"], made.json()["tools"]) == (201, "listing", [])
    number = made.json()["id"]
    assert made.headers["Location"] == f"/api/v1/mcp-servers/{number}"
    listing.work(int(number))
    shown = api_of(owner).get(f"mcp-servers/{number}").json()
    (tool,) = shown["tools"]
    assert (shown["state"], tool["component"], tool["active"], tool["fault"]) == ("listed", "mcp_demo_add", None, "")
    assert api.get(f"candidates/{tool['candidate']}").status_code == 200
    assert api.post(f"mcp-servers/{number}/refresh").status_code == 202
    assert api.post(f"mcp-servers/{number}/remove").status_code == 204
    assert api.get(f"mcp-servers/{number}").status_code == 404
    assert api.get("mcp-servers").json()["items"] == []


def test_nobody_else_manages_them(reviewer: User, operator: User, api_of: ApiOf) -> None:
    number = api_of(person("dee", "developer")).post("mcp-servers", SERVER).json()["id"]
    before = McpServer.objects.values().get()
    for other in (reviewer, operator):
        api = api_of(other)
        assert api.post("mcp-servers", {**SERVER, "name": "mine"}).status_code == 403
        assert api.post(f"mcp-servers/{number}/refresh").status_code == 403
        assert api.post(f"mcp-servers/{number}/remove").status_code == 403
    assert McpServer.objects.values().get() == before


def test_what_cannot_be_is_refused_at_its_field(api_of: ApiOf) -> None:
    answer = api_of(person("dee", "developer")).post("mcp-servers", {"name": "demo", "address": "http://10.0.0.1/"})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "address"
