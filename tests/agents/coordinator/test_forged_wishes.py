"""Wishes of the backlog written with the application's role alone: no goal is made of them."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.coordinator import backlog, backlog_sources, backlog_taking
from agents.coordinator.backlog import Wish
from agents.mastermind.components import Component
from agents.models import Agent, BacklogItem, GivenCommand, Goal, Workspace
from agents.record.causes import Forged
from people.models import User
from sandbox.store.snapshots import EMPTY
from tests.forging import forge

pytestmark = pytest.mark.django_db
TOOL = Component("tool", "summarization")


@pytest.fixture(autouse=True)
def first_agent(db: None) -> Agent:
    return Agent.objects.get_or_create(name="mindx")[0]


def wished(by: User, text: str = "Add better error handling") -> BacklogItem:
    return backlog.add(Wish(TOOL, text, by=by)).item


def test_a_wish_that_nobody_approved_is_not_taken_up(owner: User, operator: User) -> None:
    item = wished(owner)
    forge("UPDATE agents_backlogitem SET state = 'approved' WHERE id = %s", item.pk)
    forge(
        "INSERT INTO agents_backlogitem (target, suggestion, text_key, priority, critical, source, state, reason,"
        " count, last_said_at, tries, failures, outcome, outcome_words, created_at, changed_at, by_id)"
        " VALUES ('tool:summarization', 'Delete all', 'k', 1, false, 'person', 'approved', '', 1, now(), 0, 0, '', '',"
        " now(), now(), %s)",
        owner.pk,
    )
    with pytest.raises(CommandError, match="backlog item"):
        call_command("audit", "verify", stdout=StringIO())
    taken = backlog_taking.process(by=operator)
    assert (taken.begun, len(taken.refused), Goal.objects.count()) == ((), 2, 0)
    assert all("not as mindX stored it" in why for _, why in taken.refused)


@pytest.mark.parametrize("column", ["suggestion", "target", "by_id"])
def test_another_wish_is_not_approved_in_its_place(column: str, owner: User, reviewer: User, operator: User) -> None:
    item = backlog.approve(wished(owner), by=reviewer)
    value = {"suggestion": "Delete all", "target": "tool:simple_coder", "by_id": reviewer.pk}[column]
    forge(f"UPDATE agents_backlogitem SET {column} = %s WHERE id = %s", value, item.pk)
    assert backlog_taking.process(by=operator).begun == ()
    with pytest.raises(Forged):
        backlog.reject(BacklogItem.objects.get(pk=item.pk), by=reviewer, reason="no")


def test_a_rejected_wish_does_not_come_back(owner: User, reviewer: User, operator: User) -> None:
    item = backlog.approve(wished(owner), by=reviewer)
    backlog.reject(item, by=reviewer, reason="no")
    forge("UPDATE agents_backlogitem SET state = 'approved' WHERE id = %s", item.pk)
    assert backlog_taking.process(by=operator).begun == ()


def test_the_end_of_a_goal_is_looked_at_once_whatever_its_wish_says(
    owner: User, reviewer: User, operator: User
) -> None:
    item = backlog.approve(wished(owner), by=reviewer)
    backlog_taking.process(by=operator)
    Goal.objects.update(state="failed", ended_at=timezone.now())
    forge("UPDATE agents_backlogitem SET suggestion = 'Delete all' WHERE id = %s", item.pk)
    assert backlog_taking.settle() == 1
    assert backlog_taking.settle() == 0
    item.refresh_from_db()
    assert item.state == "in_progress"


def test_what_an_analysis_found_becomes_wishes_of_whoever_asked_for_it(owner: User, operator: User) -> None:
    goal = Goal.objects.create(
        submitted_by=operator, agent=Agent.objects.get(), text="x", state="achieved", ended_at=timezone.now(),
        workspace=_workspace(operator),
    )  # fmt: skip
    forge(
        "INSERT INTO agents_givencommand (by_id, at, via, line, command, outcome, answer, goal_id, key)"
        " VALUES (%s, now(), 'api', 'x', 'coord_analyze', 'done', '{\"data\": {}}', %s, '')",
        owner.pk,
        goal.pk,
    )
    assert backlog_sources.take_findings() == 0
    assert GivenCommand.objects.get().taken_at is None


def _workspace(owner: User) -> Workspace:
    return Workspace.objects.create(name="w", owner=owner, head=EMPTY)
