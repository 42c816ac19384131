"""What a turn that plans costs, and that nothing it remembers from the last one is older than the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.components import rules
from agents.cycle import cycle
from agents.models import Goal, PathMapping, Transition
from agents.record import signals
from agents.record.lease import claim, hold
from agents.record.moves import move_goal
from agents.states import GoalState, MoveRefused
from agents.understanding import in_force
from library.components import services
from library.models import Component
from people.models import User
from tests.cast import person

NOTE = "Write a note named {} saying hello"
# One for the claim with the adoption, one for the plan; each with its BEGIN is among the statements.
COMMITS = 2
# One of them reads the firmware, whose checks hold for every plan.
STATEMENTS = 30
GREET = "RULE greet\nIF your task is to greet {name}\nTHEN: create the folder {name}\n"


@pytest.fixture
def starters(transactional_db: None) -> None:
    """The rules that ship with mindX."""
    call_command("load_starters", verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_planning_by_a_rule_takes_few_statements_and_gives_the_lease_back_with_the_plan(
    starters: None, owner: User, make_goal: Callable[..., Goal], monkeypatch: pytest.MonkeyPatch
) -> None:
    cycle.one(make_goal(owner, NOTE.format("one")).pk)
    goal = make_goal(owner, NOTE.format("two"))
    told: list[tuple[Any, ...]] = []
    # Who hears of the plan sees what everybody sees then. What review does with it is not counted.
    rows = Goal.objects.filter(pk=goal.pk).values_list("state", "lease_until", "lease_owner")
    taken = CaptureQueriesContext(connection)
    monkeypatch.setattr(signals, "_send", lambda *_, **__: told.append((len(taken), rows.get())))
    with taken:
        cycle.one(goal.pk)
    assert [each for _, each in told] == [("awaiting_review", None, "")]
    said = [each["sql"] for each in taken.captured_queries][: told[0][0]]
    assert said.count("COMMIT") == COMMITS
    assert len(said) <= STATEMENTS, said
    assert len(taken.captured_queries) == len(said) + 1, "nothing is left to be done but this test's own look"


@pytest.mark.django_db
def test_a_held_goal_is_as_the_table_has_it(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, "Lay the table", priority=2)
    wishes = [{"tool": "a", "value": {"n": [1, None]}}]
    Goal.objects.filter(pk=goal.pk).update(wishes=wishes, deadline=Now(), wake_at=None)
    goal.agent.tools = ["simple_coder", "git_tool"]
    goal.agent.save()
    lease = claim(goal.pk)
    assert lease is not None
    held = hold(lease)
    with CaptureQueriesContext(connection) as asked:
        beside = (held.agent, held.workspace, held.submitted_by)
    assert not asked.captured_queries
    stored = Goal.objects.select_related("agent", "workspace", "submitted_by").get(pk=goal.pk)
    for one, other in zip((held, *beside), (stored, stored.agent, stored.workspace, stored.submitted_by), strict=True):
        fields = [field.attname for field in other._meta.concrete_fields]
        assert {name: getattr(one, name) for name in fields} == {name: getattr(other, name) for name in fields}
        assert (one._state.adding, one._state.db) == (other._state.adding, other._state.db)
    assert held.wishes == wishes


@pytest.mark.django_db
def test_a_move_sets_what_comes_with_it_by_the_databases_clock_too(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, "Lay the table")
    other = make_goal(owner, "Clear the table")
    now = timezone.now()
    move_goal(goal, GoalState.PLANNING, by="me", reason="why", wake_at=Now(), deadline=now, lease_owner="x")
    goal.refresh_from_db()
    assert (goal.state, goal.reason, goal.deadline, goal.lease_owner) == ("planning", "why", now, "x")
    assert goal.wake_at is not None
    (moved,) = goal.transitions.all()
    assert (moved.old, moved.new, moved.reason, moved.by) == ("pending", "planning", "why", "me")
    other.refresh_from_db()
    assert (other.state, other.wake_at, other.deadline) == ("pending", None, None)


@pytest.mark.django_db
def test_who_comes_second_moves_nothing_and_writes_nothing(owner: User, make_goal: Callable[..., Goal]) -> None:
    goal = make_goal(owner, "Lay the table")
    late = Goal.objects.get(pk=goal.pk)
    move_goal(goal, GoalState.PLANNING, by="me")
    with pytest.raises(MoveRefused):
        move_goal(late, GoalState.DROPPED, by="you", reason="too late", wake_at=Now())
    goal.refresh_from_db()
    assert (goal.state, goal.reason, goal.wake_at) == ("planning", "", None)
    assert Transition.objects.filter(goal=goal).count() == 1


@pytest.mark.django_db
def test_the_rules_are_those_in_use_at_each_look() -> None:
    developer = person("dora", "developer")

    def bodies() -> list[tuple[str, str, str]]:
        return [(known.name, known.version, known.rule.body[0].text) for known in rules.known_rules()]

    assert bodies() == []
    first = services.publish("rule", "greet", GREET, by=developer, status="active")
    assert bodies() == [("greet", first.version, "create the folder {name}")]
    second = services.publish("rule", "greet", GREET.replace("the folder", "the folder a/"), by=developer)
    assert [version for _, version, _ in bodies()] == [first.version], "a candidate is not in use"
    services.activate(second, developer)
    assert [version for _, version, _ in bodies()] == [second.version]
    with transaction.atomic():
        services.retire(second, developer)
        assert bodies() == []
        transaction.set_rollback(True)
    assert [version for _, version, _ in bodies()] == [second.version], "what was taken back never counted"
    Component.objects.filter(name="greet").update(name="welcome")
    assert bodies() == [], "under another name it is not what was put to use"
    Component.objects.filter(name="welcome").update(name="greet")
    assert [name for name, _, _ in bodies()] == ["greet"]
    other = services.publish("rule", "part", GREET.replace("greet", "part from"), by=developer, status="active")
    assert [name for name, _, _ in bodies()] == ["greet", "part"]
    services.retire(other, developer)
    assert [name for name, _, _ in bodies()] == ["greet"]
    rules.known_rules().clear()
    assert [name for name, _, _ in bodies()] == ["greet"], "a caller's list is its own"


@pytest.mark.django_db
def test_of_each_mapping_the_newest_version_counts_however_it_is_written() -> None:
    def save(said: str, path: str, *, tool: str = "", in_use: bool = True) -> None:
        PathMapping.objects.create(said=said, path=path, tool=tool, in_use=in_use)

    def now() -> set[tuple[str, str, str]]:
        return {(one.said, one.tool, one.path) for one in in_force.mapped()}

    save("app", "a.py")
    save("figures", "f.csv")
    save("app", "b.py", tool="git_tool")
    save("app", "c.py")
    assert now() == {("app", "", "c.py"), ("figures", "", "f.csv"), ("app", "git_tool", "b.py")}
    save("APP ", "d.py")
    assert now() == {("APP ", "", "d.py"), ("figures", "", "f.csv"), ("app", "git_tool", "b.py")}
    save("figures", "f.csv", in_use=False)
    assert now() == {("APP ", "", "d.py"), ("app", "git_tool", "b.py")}
    save("app", "e.py")
    assert [one.path for one in in_force.mapped()] == ["e.py", "b.py"]
