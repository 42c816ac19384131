"""No belief is of no goal, as if each row referred to it; the database looks once a statement (migration 0002)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agents.models import Belief, Goal
from people.models import User

Maker = Callable[..., Goal]


def _belief(goal_id: int, sentence: str = "The tea is hot.") -> Belief:
    return Belief(goal_id=goal_id, sentence=sentence, source="person", at=timezone.now())


def _delete(goal: Goal) -> None:
    with connection.cursor() as cursor:
        # What refers to a goal by itself and would keep it, so that beliefs alone are what is left.
        cursor.execute("DELETE FROM agents_logcounter WHERE goal_id = %s", [goal.pk])
        cursor.execute("DELETE FROM agents_transition WHERE goal_id = %s", [goal.pk])
        cursor.execute("DELETE FROM agents_goal WHERE id = %s", [goal.pk])
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.django_db
def test_a_belief_of_no_goal_is_refused_among_others_that_are_of_one(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    with pytest.raises(IntegrityError, match="which is not there"), transaction.atomic():
        Belief.objects.bulk_create([_belief(goal.pk), _belief(goal.pk + 1_000), _belief(goal.pk)])
    assert not Belief.objects.exists()
    Belief.objects.bulk_create([_belief(goal.pk), _belief(make_goal(owner).pk)])
    with pytest.raises(IntegrityError, match="which is not there"), transaction.atomic():
        Belief.objects.filter(goal=goal).update(goal_id=goal.pk + 1_000)
    assert Belief.objects.filter(goal=goal).count() == 1


@pytest.mark.django_db
def test_a_goal_does_not_go_while_beliefs_are_of_it(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    _belief(goal.pk).save()
    with pytest.raises(IntegrityError, match="is referred to by beliefs"), transaction.atomic():
        _delete(goal)
    with transaction.atomic():  # in any order, as long as none is left at the end
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM agents_goal WHERE id = -1")
        Belief.objects.all().delete()
        _delete(goal)
    assert not Goal.objects.filter(pk=goal.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_a_goal_cannot_go_between_the_look_and_the_commit(owner: User, make_goal: Maker) -> None:
    goal = make_goal(owner)
    other = psycopg.connect(**{**connection.get_connection_params(), "cursor_factory": psycopg.Cursor})
    with closing(other), transaction.atomic():
        _belief(goal.pk).save()
        other.execute("SET lock_timeout = '200ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("DELETE FROM agents_goal WHERE id = %s", [goal.pk])
