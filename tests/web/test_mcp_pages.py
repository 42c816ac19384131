"""The pages of MCP servers: who sees them, who adds one, what a form says, and how a changed tool is reviewed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from agents.components import made_tools
from agents.evolution.activation import deciding, tool_checks
from agents.foreign_tools import listing, servers
from agents.models import McpServer
from agents.toolkit import registry
from library.models import ComponentVersion
from tests.agents.foreign_tools.mcp_programs import COMMAND, HONEST
from tests.cast import person

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

pytestmark = pytest.mark.django_db
ClientOf = Callable[["User"], "Client"]
NASTY = "<script>alert(1)</script>\u202e"


@pytest.fixture
def developer(db: None) -> User:
    return person("dee", "developer")


@pytest.fixture
def server(developer: User) -> McpServer:
    return servers.add(by=developer, name="demo", command=COMMAND, source=HONEST)


def test_a_developer_adds_a_server_and_everybody_sees_it(developer: User, owner: User, client_of: ClientOf) -> None:
    given = {"name": "demo", "command": COMMAND, "source": HONEST, "address": ""}
    answer = client_of(developer).post(reverse("mcp-servers"), given)
    server = McpServer.objects.get()
    assert answer.headers["Location"] == reverse("mcp-server", args=[server.pk])
    assert (server.added_by, server.source) == (developer, HONEST)
    for page in (reverse("mcp-servers"), reverse("mcp-server", args=[server.pk])):
        said = client_of(owner).get(page).content.decode()
        assert "being listed" in said
        assert 'method="post"' not in said.partition("<main")[2].partition("</main>")[0]


@pytest.mark.parametrize("roles", [("submitter",), ("submitter", "reviewer"), ("operator",)])
def test_nobody_else_adds_refreshes_or_removes(roles: tuple[str, ...], server: McpServer, client_of: ClientOf) -> None:
    client = client_of(person("other", *roles))
    before = McpServer.objects.values().get()
    assert client.post(reverse("mcp-servers"), {"name": "mine", "command": "x"}).status_code == 403
    for act in ("mcp-server-refresh", "mcp-server-remove"):
        client.post(reverse(act, args=[server.pk]))
        assert client.get(reverse(act, args=[server.pk])).status_code == 405
    assert McpServer.objects.values().get() == before


def test_nobody_sees_them_without_logging_in(server: McpServer, client: Client) -> None:
    for page in (reverse("mcp-servers"), reverse("mcp-server", args=[server.pk])):
        assert client.get(page).status_code == 302


def test_what_is_refused_stays_in_the_form_with_its_reason(developer: User, client_of: ClientOf) -> None:
    answer = client_of(developer).post(
        reverse("mcp-servers"), {"name": "demo", "address": "http://127.0.0.1/mcp", "command": "", "source": ""}
    )
    said = answer.content.decode()
    assert answer.status_code == 422
    assert "This address is internal" in said
    assert 'value="http://127.0.0.1/mcp"' in said
    assert not McpServer.objects.exists()


def test_a_changed_tool_is_shown_with_its_difference_and_its_words_are_data(
    developer: User, operator: User, server: McpServer, client_of: ClientOf
) -> None:
    listing.work(server.pk)
    version = ComponentVersion.objects.select_related("component").get(component__name="mcp_demo_add")
    tool_checks.work(version.pk)
    deciding.activate(version, by=operator)
    listed = [
        {"name": "add", "description": f"Adds. {NASTY}", "inputSchema": {"type": "object"}},
        {"name": NASTY * 20, "inputSchema": {"type": "object"}},
    ]
    rows = servers.take(McpServer.objects.get(), listed, by=developer)
    McpServer.objects.update(tools=rows)
    page = client_of(developer).get(reverse("mcp-server", args=[server.pk])).content.decode()
    assert "awaits review" in page
    assert "Not usable" in page
    assert NASTY not in page
    assert "<script>alert" not in page
    new = ComponentVersion.objects.filter(component__name="mcp_demo_add").latest("pk")
    review = f"{reverse('tool', args=['mcp_demo_add'])}?version={new.pk}&amp;against={version.pk}#difference"
    assert review in page
    shown = client_of(operator).get(review.replace("&amp;", "&")).content.decode()
    assert 'id="difference"' in shown
    assert "Adds two numbers." in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in shown
    assert "<script>alert" not in shown
    made_tools.refresh()
    assert registry.tools_in_use() is registry.REGISTRY


def test_removing_stops_its_tools(developer: User, operator: User, server: McpServer, client_of: ClientOf) -> None:
    listing.work(server.pk)
    version = ComponentVersion.objects.select_related("component").get(component__name="mcp_demo_add")
    tool_checks.work(version.pk)
    deciding.activate(version, by=operator)
    client_of(developer).post(reverse("mcp-server-remove", args=[server.pk]))
    version.refresh_from_db()
    assert version.status == "retired"
    assert client_of(developer).get(reverse("mcp-server", args=[server.pk])).status_code == 404
