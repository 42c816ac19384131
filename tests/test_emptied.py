"""What a test committed is gone for the next one, however it was written, and the guards stand again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Permission
from django.db import DatabaseError, connection
from django.test import TransactionTestCase
from django.utils import timezone

from agents.models import IntentPlan
from library.models import Experience
from people.models import User
from review.models import AuditEntry
from tests.emptied import Emptying
from tests.library.vectors import WordVectors

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def flushes() -> list[str]:
    """One entry for each time that all tables were flushed."""
    return []


@pytest.fixture
def emptying(flushes: list[str]) -> Callable[[], None]:
    """Empties as at the end of a test; what Django does at the first end of a process is behind it."""
    one = Emptying(lambda _: flushes.append("flushed"))
    one(TransactionTestCase())
    flushes.clear()
    return lambda: one(TransactionTestCase())


def test_nothing_is_left_but_what_a_flush_brings_back(
    emptying: Callable[[], None], flushes: list[str], owner: User, propose_plan: Callable[..., IntentPlan]
) -> None:
    before = _rows("auth_permission"), _rows("django_content_type")
    propose_plan(owner)
    _journal(owner)
    _experiences(owner)
    emptying()
    assert {name: count for name in _tables() if (count := _rows(name))} == {
        "auth_permission": before[0],
        "django_content_type": before[1],
    }
    assert flushes == []


def test_a_guard_that_was_passed_by_stands_again(emptying: Callable[[], None], owner: User) -> None:
    _journal(owner)
    emptying()
    _journal(User.objects.create_user("after"))
    with pytest.raises(DatabaseError, match="append-only"):
        AuditEntry.objects.update(subject="another")


def test_no_room_of_many_rows_nor_of_what_neighbours_lead_to_is_left(emptying: Callable[[], None], owner: User) -> None:
    _journal(owner, rows=9_000)
    _experiences(owner)
    emptying()
    assert _bytes("review_auditentry") == 0
    assert _bytes("library_experience") == 0


def test_changed_permissions_are_brought_back_by_a_flush(emptying: Callable[[], None], flushes: list[str]) -> None:
    one = Permission.objects.all()[0]
    one.name += " "
    one.save()
    emptying()
    assert flushes == ["flushed"]
    emptying()
    assert flushes == ["flushed"]
    one.delete()
    emptying()
    assert flushes == ["flushed", "flushed"]


def _journal(by: User, rows: int = 1) -> None:
    AuditEntry.objects.bulk_create(
        AuditEntry(version=1, event="a test", by=by, subject="a test", at=timezone.now(), hash=f"{number:064}")
        for number in range(rows)
    )


def _experiences(owner: User) -> None:
    Experience.objects.create(
        goal_ref="1",
        owner=owner,
        primary_goal_description="one",
        final_outcome="success",
        timestamp=timezone.now(),
        initiating_agent_id="mindx",
        primary_goal_description_embedding=WordVectors()(["one"])[0],
    )


def _tables() -> list[str]:
    return connection.introspection.django_table_names(only_existing=True, include_views=False)


def _rows(table: str) -> int:
    return _number(f"SELECT count(*) FROM {table}")


def _bytes(table: str) -> int:
    return _number(f"SELECT pg_relation_size('{table}')")


def _number(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return int(cursor.fetchone()[0])
