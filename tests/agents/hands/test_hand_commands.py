"""Who may type commands, what is taken, and that the audit hears of everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from agents.hands import hand_commands
from agents.models import Goal, HandCommand
from agents.record import audit
from agents.record.errors import CommandRefused, NotYours
from people.models import User
from review.audit import command_chain
from review.models import TypedEvent
from tests.cast import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def typist(db: None) -> User:
    return person("tyra", "submitter", "operator")


@pytest.fixture
def goal(typist: User, make_goal: Callable[..., Goal]) -> Goal:
    return make_goal(typist)


def _refused(goal: Goal, by: User) -> str:
    with pytest.raises(NotYours) as refusal:
        hand_commands.submit(goal, by, "mkdir x")
    assert not HandCommand.objects.exists()
    row = TypedEvent.objects.order_by("-pk")[0]
    assert (row.what, row.by, row.goal, row.text, row.command) == ("refused", by, goal, "mkdir x", None)
    assert row.why == str(refusal.value)
    return row.why


def test_an_operator_types_into_their_own_workspace_and_an_admin_into_every_one(
    goal: Goal, typist: User, admin: User
) -> None:
    command = hand_commands.submit(goal, typist, "mkdir x")
    assert (command.command, command.params, command.by) == ("mkdir", {"path": "x"}, typist)
    hand_commands.cancel(command, typist)
    assert hand_commands.submit(goal, admin, "ls").by == admin


def test_who_is_no_operator_is_refused_in_their_own_goal_too(owner: User, make_goal: Callable[..., Goal]) -> None:
    assert "operator" in _refused(make_goal(owner), owner)


@pytest.mark.parametrize("role", ["reviewer", "developer", "submitter"])
def test_no_other_role_does(role: str, goal: Goal) -> None:
    assert "operator" in _refused(goal, person("other", role))


def test_an_operator_is_refused_in_the_workspace_of_somebody_else(goal: Goal, operator: User) -> None:
    assert "belongs to somebody else" in _refused(goal, operator)


def test_somebody_who_was_disabled_is_refused(goal: Goal, typist: User) -> None:
    typist.is_active = False
    typist.save()
    assert _refused(goal, typist)


def test_with_four_eyes_nobody_types_not_even_an_admin(goal: Goal, typist: User, admin: User, settings: Any) -> None:
    settings.FOUR_EYES = True
    assert "MINDX_FOUR_EYES" in _refused(goal, typist)
    assert "MINDX_FOUR_EYES" in _refused(goal, admin)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Type a command"),
        ("  \n ", "Type a command"),
        ("mkdir x\x00", "U\\+0000"),
        ("run " + "x" * 8_000, "at most 8,000"),
        ("frobnicate", "There is no command 'frobnicate'; the \\? beside"),
        ("mkdir", "Usage: mkdir PATH"),
        ("rm 'x", "cannot be split"),
        ("read x length=many", "Usage: read"),
        ("start server python", "its own sandbox"),
        ("process_log server", "its own sandbox"),
        ("stop server", "its own sandbox"),
        ("help", "the \\? next to"),
        ("env", "Environment"),
        ("exit", "nothing to exit"),
    ],
)
def test_what_is_no_command_here_is_said_and_not_stored(goal: Goal, typist: User, text: str, said: str) -> None:
    with pytest.raises(CommandRefused, match=said):
        hand_commands.submit(goal, typist, text)
    assert not HandCommand.objects.exists()
    assert not TypedEvent.objects.exists()


def test_without_an_audit_nothing_is_taken(goal: Goal, typist: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "_record", None)
    with pytest.raises(audit.NothingWired):
        hand_commands.submit(goal, typist, "ls")
    assert not HandCommand.objects.exists()


def test_the_audit_is_a_chain_that_shows_a_changed_row(goal: Goal, typist: User, reviewer: User) -> None:
    command = hand_commands.submit(goal, typist, "mkdir x")
    _not_yours(goal, reviewer)
    hand_commands.cancel(command, typist)
    assert list(TypedEvent.objects.values_list("what", "why")) == [
        ("submitted", ""),
        ("refused", hand_commands.why_not(reviewer, goal)),
        ("cancelled", "cancelled by tyra"),
    ]
    found = command_chain.walk()
    assert (found.rows, found.broken) == (3, None)
    _forge(TypedEvent.objects.order_by("pk")[1], text="something else")
    broken = command_chain.walk().broken
    assert broken is not None
    assert (broken.row, broken.reason) == (
        TypedEvent.objects.order_by("pk")[1].pk,
        "its content is not what was signed",
    )


def test_the_database_refuses_to_change_or_remove_what_the_audit_holds(goal: Goal, typist: User) -> None:
    hand_commands.submit(goal, typist, "ls")
    for change in (lambda: TypedEvent.objects.update(text="x"), lambda: TypedEvent.objects.all().delete()):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()


def _not_yours(goal: Goal, by: User) -> None:
    with pytest.raises(NotYours):
        hand_commands.submit(goal, by, "ls")


def _forge(row: TypedEvent, **columns: Any) -> None:
    """What only the owner of the database can do."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE review_typedevent DISABLE TRIGGER review_typedevent_is_append_only")
        TypedEvent.objects.filter(pk=row.pk).update(**columns)
        cursor.execute("ALTER TABLE review_typedevent ENABLE TRIGGER review_typedevent_is_append_only")
