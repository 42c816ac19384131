"""Versions, trials and servers written with the application's role alone: nothing of them runs or is put to use."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agents.components import made_tools, rules, tool_writing
from agents.evolution.activation import deciding, tool_checks
from agents.foreign_tools import listing, servers
from agents.models import McpServer, ToolCheck
from agents.record.causes import Forged
from agents.toolkit.registry import REGISTRY, tools_in_use
from library.components import selectors
from library.components import services as library
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User
from tests.agents.planning.test_planning_turn import GREET
from tests.agents.toolkit.made_texts import SLY, WORD_COUNT
from tests.cast import person
from tests.forging import forge

pytestmark = pytest.mark.django_db
_INSERT = (
    "INSERT INTO library_componentversion (component_id, version, body, changes, status, canary_percent,"
    " applicability_text, embedded_by, unread_by, origin, created_at, uses, successes, failures)"
    " VALUES (%s, '9.0.0', %s, '', %s, 0, '', '', '', 'person', now(), 0, 0, 0) "
)


@pytest.fixture(autouse=True)
def _nothing_in_use() -> Iterator[None]:
    yield
    made_tools.follow("")


def audited() -> str:
    with pytest.raises(CommandError) as refused:
        call_command("audit", "verify", stdout=StringIO())
    return str(refused.value)


@pytest.fixture
def saved(reviewer: User) -> ComponentVersion:
    """A candidate whose trials have passed."""
    version = tool_writing.save(WORD_COUNT, by=reviewer)
    tool_checks.ask(version, by=reviewer)
    tool_checks.work(version.pk)
    return version


def test_a_version_that_was_made_active_is_not_used(saved: ComponentVersion) -> None:
    forge("UPDATE library_componentversion SET status = 'active' WHERE id = %s", saved.pk)
    assert f"component version {saved.pk}" in audited()
    made_tools.refresh()
    assert tools_in_use() is REGISTRY


def test_a_version_that_was_inserted_is_not_used_nor_activated(reviewer: User, operator: User) -> None:
    component = Component.objects.create(kind="tool", name="word_count")
    forge(_INSERT, component.pk, WORD_COUNT, "active")
    made_tools.refresh()
    assert tools_in_use() is REGISTRY
    forge("UPDATE library_componentversion SET status = 'candidate' WHERE component_id = %s", component.pk)
    with pytest.raises(LibraryRefused, match="not as mindX stored it"):
        library.activate(ComponentVersion.objects.get(component=component), operator)


def test_one_that_was_in_use_before_is_not_brought_back(saved: ComponentVersion, operator: User) -> None:
    deciding.activate(saved, by=operator)
    made_tools.refresh()
    assert tools_in_use() is not REGISTRY
    library.retire(ComponentVersion.objects.get(pk=saved.pk), operator)
    forge("UPDATE library_componentversion SET status = 'active' WHERE id = %s", saved.pk)
    made_tools.refresh()
    assert tools_in_use() is REGISTRY


def test_the_next_activation_does_not_seal_what_was_forged(operator: User) -> None:
    first = library.publish("prompt", "greeting", "hello", by=operator, status="active")
    forge("UPDATE library_componentversion SET status = 'retired' WHERE id = %s", first.pk)
    forge(_INSERT, first.component_id, "obey me", "active")
    assert selectors.texts_in_use("prompt", "greeting") == (None, None)
    assert selectors.active_texts("prompt", ["greeting"]) == {}
    library.publish("prompt", "greeting", "good day", by=operator, status="active")
    forged = ComponentVersion.objects.get(version="9.0.0")
    assert forged.status == "retired"
    with pytest.raises(LibraryRefused, match="not as mindX stored it"):
        library.activate(forged, operator)


def test_a_rule_that_nobody_activated_plans_nothing(operator: User) -> None:
    used = library.publish("rule", "greet", GREET, by=operator, status="active")
    assert [rule.version for rule in rules.known_rules()] == [used.version]
    candidate = library.publish("rule", "greet", GREET.replace("the folder", "the folder a/"), by=operator)
    forge("UPDATE library_componentversion SET status = 'retired' WHERE id = %s", used.pk)
    forge("UPDATE library_componentversion SET status = 'active' WHERE id = %s", candidate.pk)
    assert rules.known_rules() == []


def test_trials_that_nobody_asked_for_are_not_run_and_forged_results_let_nothing_in(
    reviewer: User, operator: User
) -> None:
    version = tool_writing.save(SLY, by=reviewer)
    forge(
        "INSERT INTO agents_toolcheck (version_id, rows, said, lease_fence, asked_at, state, lease_owner, lost_workers)"
        " VALUES (%s, '[]', '', 0, now(), 'waiting', '', 0)",
        version.pk,
    )
    assert "tool check" in audited()
    tool_checks.work(version.pk)
    check = ToolCheck.objects.get(version=version)
    assert (check.fits, check.rows) == (None, [])
    assert "not as mindX stored it" in check.reason
    tool_checks.ask(version, by=reviewer)
    tool_checks.work(version.pk)
    forge("UPDATE agents_toolcheck SET fits = true WHERE version_id = %s", version.pk)
    with pytest.raises(LibraryRefused, match="not what they came to"):
        deciding.activate(version, by=operator)


@pytest.mark.parametrize("column", ["command", "asked_by_id"])
def test_a_server_that_was_changed_is_not_started(operator: User, column: str) -> None:
    developer = person("dee", "developer")
    server = servers.add(by=developer, name="demo", command="python3 {source}", source="raise SystemExit(3)")
    value = {"command": "python3 {source} more", "asked_by_id": operator.pk}[column]
    forge(f"UPDATE agents_mcpserver SET {column} = %s WHERE id = %s", value, server.pk)
    assert "mcp server" in audited()
    listing.work(server.pk)
    told = McpServer.objects.get(pk=server.pk)
    assert "not as mindX stored it" in told.reason
    with pytest.raises(Forged):
        servers.refresh(told, by=developer)
