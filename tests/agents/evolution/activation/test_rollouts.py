"""A version that was put to use is watched on the goals planned since, and taken back when it proves worse."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.db import IntegrityError
from django.test import Client

from agents.components import rules
from agents.cycle import cycle
from agents.evolution import replaying
from agents.evolution.activation import deciding, rollouts
from agents.evolution.replays import replays
from agents.models import Goal, Plan, Replay, Rollout
from agents.record.moves import move_rollout
from agents.states import GoalState, MoveRefused, RolloutState
from agents.workspaces import workspaces
from library.components import canary
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User
from review.models import AuditEntry
from tests.agents.evolution.conftest import LENIENT, PICKY, STRICT, rule

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "total a list"
Planned = Callable[[str], Goal]


@pytest.fixture
def planned(owner: User, make_goal: Callable[..., Goal]) -> Planned:
    """`planned("1\n2\n")`: a goal about these numbers that was planned and that nobody has approved."""

    def made(numbers: str) -> Goal:
        goal = make_goal(owner, "total the list numbers.txt")
        programs = {"strict.py": STRICT, "lenient.py": LENIENT, "picky.py": PICKY, "numbers.txt": numbers}
        for path, text in programs.items():
            workspaces.put_file(goal.workspace, by=owner, path=path, source=io.BytesIO(text.encode()))
        cycle.work(goal.pk)
        goal.refresh_from_db()
        return goal

    return made


def put_to_use(by: User, body: str, admin: User) -> tuple[ComponentVersion, Rollout]:
    """An active version that nothing was proven of: its rule has no case yet."""
    version = library.publish("rule", NAME, body, by=by, changes="another program")
    deciding.activate(version, by=admin, reason="there is nothing to measure it by yet")
    version.refresh_from_db()
    return version, Rollout.objects.get(version=version)


def look() -> None:
    """What the sweep and a worker do."""
    rollouts.sweep()
    replaying.work()


def statuses() -> dict[str, str]:
    return dict(ComponentVersion.objects.filter(component__name=NAME).values_list("version", "status"))


def test_a_version_that_breaks_five_goals_is_taken_back_before_anybody_approves(
    planned: Planned, strict: ComponentVersion, reviewer: User, admin: User, client_of: Callable[[User], Client]
) -> None:
    picky, rollout = put_to_use(reviewer, rule("picky"), admin)
    goals = [planned(f"{number}\n7\n") for number in range(4)]
    look()
    assert rollouts.judgement(rollout).broken == 4
    assert statuses() == {"1.0.0": "retired", "1.1.0": "active"}
    page = client_of(reviewer).get(f"/rules/{picky.component_id}/?version={picky.pk}").content.decode()
    assert "4 goals compared, 0 fixed, 4 broken" in page

    goals.append(planned("5\n7\n"))
    look()
    assert statuses() == {"1.0.0": "active", "1.1.0": "retired"}
    rollout.refresh_from_db()
    assert rollout.state == RolloutState.RETURNED
    assert "breaks 5 and fixes 0 (chance 3.1%)" in rollout.reason
    picky.refresh_from_db()
    assert "taken back automatically" in picky.changes
    entry = AuditEntry.objects.filter(event="component").latest("pk")
    assert (entry.data["what"], entry.data["to"], entry.data["broken"]) == ("took back", "1.0.0", 5)
    assert {goal.state for goal in goals} == {GoalState.AWAITING_REVIEW}, "only copies were run"
    # What was taken back is no version that was in use: it comes in by the gate only.
    assert not deciding.may_return_to(picky)


def test_goals_that_the_version_no_longer_plans_count_as_broken(
    planned: Planned, strict: ComponentVersion, reviewer: User, admin: User
) -> None:
    narrow = rule("strict").replace("THEN:", "CONSIDERING there is a file named never.txt\nTHEN:")
    _, rollout = put_to_use(reviewer, narrow, admin)
    assert [planned(f"{number}\n").state for number in range(5)] == [GoalState.MANUAL] * 5
    look()
    assert rollouts.judgement(rollout).broken == 5
    assert statuses() == {"1.0.0": "active", "1.1.0": "retired"}


def test_a_version_that_fixes_more_is_kept_and_each_plan_is_looked_at_once(
    planned: Planned, strict: ComponentVersion, reviewer: User, admin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollouts, "CASES_MOST", 3)
    _, rollout = put_to_use(reviewer, rule("lenient"), admin)
    planned("1\n\n2\n")
    planned("7\n")
    look()
    look()
    judged = rollouts.judgement(rollout)
    assert (judged.fixed, judged.broken, judged.unchanged) == (1, 0, 1)
    assert Replay.objects.filter(rollout=rollout).count() == 1
    planned("2\n\n2\n")
    look()
    rollout.refresh_from_db()
    assert (rollout.state, rollout.reason) == (RolloutState.KEPT, "3 goals: 2 fixed, 0 broken")
    assert statuses() == {"1.0.0": "retired", "1.1.0": "active"}
    with pytest.raises(MoveRefused):
        move_rollout(rollout, RolloutState.RETURNED)


def test_a_canary_plans_its_share_of_goals_and_the_active_version_the_others(
    planned: Planned, strict: ComponentVersion, reviewer: User, operator: User, owner: User
) -> None:
    lenient = library.publish("rule", NAME, rule("lenient"), by=reviewer, changes="blank lines")
    with pytest.raises(LibraryRefused, match="roles do not let you start"):
        deciding.begin_canary(lenient, by=owner, percent=50)
    for percent in (0, 51):
        with pytest.raises(LibraryRefused, match="1 to 50 percent"):
            deciding.begin_canary(lenient, by=operator, percent=percent)
    deciding.begin_canary(lenient, by=operator, percent=50)
    assert statuses() == {"1.0.0": "active", "1.1.0": "canary"}
    goals = [planned("1\n\n2\n")]
    while len({canary.takes(NAME, goal.pk, 50) for goal in goals}) < 2:
        goals.append(planned("1\n\n2\n"))
    by_version = {goal.pk: Plan.objects.get(goal=goal).evidence["rule"]["version"] for goal in goals}
    assert by_version == {goal.pk: "1.1.0" if canary.takes(NAME, goal.pk, 50) else "1.0.0" for goal in goals}
    look()
    rollout = rollouts.latest(lenient)
    assert rollout is not None
    cases = set(rollout.replays.get().cases.values_list("goal", flat=True))
    assert cases == {pk for pk, version in by_version.items() if version == "1.1.0"}
    # What its own goals say stands beside what earlier ones said.
    assert rollouts.judgement(rollout).fixed == len(cases)
    lenient.refresh_from_db()
    deciding.activate(lenient, by=operator)
    assert statuses() == {"1.0.0": "retired", "1.1.0": "active"}
    assert [one.state for one in Rollout.objects.order_by("pk")] == [RolloutState.ENDED, RolloutState.WATCHED]


def test_a_share_is_as_large_as_it_says_and_a_larger_one_holds_the_smaller() -> None:
    taken = {percent: {goal for goal in range(10_000) if canary.takes(NAME, goal, percent)} for percent in (5, 10, 50)}
    assert [round(len(goals) / 100) for goals in taken.values()] == [5, 10, 50]
    assert taken[5] < taken[10] < taken[50]
    assert taken[50] != {goal for goal in range(10_000) if canary.takes("another rule", goal, 50)}


def test_there_is_one_canary_and_a_retired_one_comes_in_by_the_gate_only(
    planned: Planned, strict: ComponentVersion, reviewer: User, operator: User
) -> None:
    lenient = library.publish("rule", NAME, rule("lenient"), by=reviewer, changes="blank lines")
    picky = library.publish("rule", NAME, rule("picky"), by=reviewer, changes="no sevens")
    deciding.begin_canary(lenient, by=operator, percent=10)
    with pytest.raises(LibraryRefused, match=r"1\.1\.0 is the canary"):
        deciding.begin_canary(picky, by=operator, percent=10)
    with pytest.raises(IntegrityError):
        ComponentVersion.objects.filter(pk=picky.pk).update(status="canary", canary_percent=10)
    ComponentVersion.objects.filter(pk=lenient.pk).update(uses=3)
    deciding.reject(ComponentVersion.objects.get(pk=lenient.pk), by=operator, reason="slower than before")
    lenient.refresh_from_db()
    assert (lenient.status, lenient.canary_percent) == ("retired", 0)
    assert not deciding.may_return_to(lenient)
    rollouts.sweep()
    assert Rollout.objects.get().state == RolloutState.ENDED
    assert [one.version for one in rules.known_rules(for_goal=1)] == ["1.0.0"]


def test_the_watch_ends_when_somebody_else_decides(
    planned: Planned, strict: ComponentVersion, reviewer: User, operator: User, admin: User
) -> None:
    _, rollout = put_to_use(reviewer, rule("lenient"), admin)
    deciding.activate(strict, by=operator)
    assert not Rollout.objects.filter(version=strict).exists(), "going back is not watched"
    rollouts.sweep()
    rollout.refresh_from_db()
    assert (rollout.state, rollout.reason) == (RolloutState.ENDED, "version 1.1.0 is retired")


def test_a_replay_that_somebody_asked_for_does_not_lose_the_goals_planned_meanwhile(
    planned: Planned, strict: ComponentVersion, reviewer: User, admin: User
) -> None:
    lenient, rollout = put_to_use(reviewer, rule("lenient"), admin)
    replays.ask(lenient, by=reviewer)
    planned("1\n\n2\n")
    rollouts.sweep()
    assert not Replay.objects.filter(rollout=rollout).exists()
    replaying.work()
    look()
    assert rollouts.judgement(rollout).fixed == 1
