"""The lines of goals lie in partitions: made ahead, dropped when all of their goals ended long enough ago."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agents.models import Goal, LogCounter, LogExpiry, LogLine
from agents.pages.goals import goal_log
from agents.record import log_retention, logs
from mindx_web.doctor import records
from mindx_web.doctor.finding import Grade
from mindx_web.operations.grants import grant
from mindx_web.supervisor.postgres import APP
from people.models import User

if TYPE_CHECKING:
    from django.test import Client

pytestmark = pytest.mark.django_db

KEEP = 30
ALL_LINES = "SELECT goal_id, number, at, source, stage, level, text, data::text FROM agents_logline ORDER BY 1, 2"
MakeGoal = Callable[..., Goal]


def partitions() -> list[tuple[str, int, int]]:
    return rows("SELECT name, low, high FROM agents_logpartition ORDER BY low")


def rows(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall()) if cursor.description else []


def place(goal: Goal) -> str:
    """The table that the goal's lines lie in."""
    return str(rows("SELECT tableoid::regclass::text FROM agents_logline WHERE goal_id = %s LIMIT 1", goal.pk)[0][0])


@pytest.fixture
def goal_at(make_goal: MakeGoal, owner: User) -> Callable[..., Goal]:
    """`goal_at(number, ended=days)`: a goal of that number with three lines; it ended so many days ago, or goes on."""

    like = make_goal(owner)

    def made(number: int, ended: int | None = None, said: int | None = None) -> Goal:
        Goal.objects.create(
            pk=number, text="Write a note", submitted_by=owner, agent=like.agent, workspace=like.workspace
        )
        logs.write(number, [logs.NewLine("worker", "execute", f"line {n} of {number}") for n in (1, 2, 3)])
        days = ended if said is None else said
        if days is not None:
            LogLine.objects.filter(goal_id=number).update(at=timezone.now() - timedelta(days=days))
        if ended is not None:
            at = timezone.now() - timedelta(days=ended)
            Goal.objects.filter(pk=number).update(ended_at=at, state="achieved")
        return Goal.objects.get(pk=number)

    return made


@pytest.fixture
def base(goal_at: Callable[..., Goal]) -> int:
    """The first number of a partition that no goal has had yet, with another one after it."""
    log_retention.keep()
    high = partitions()[-1][2]
    goal_at(high - 1)
    log_retention.keep()
    return high


def test_partitions_lie_ahead_of_the_newest_goal(base: int) -> None:
    newest = Goal.objects.latest("pk").pk
    known = partitions()
    assert known[-1][2] > newest + 2 * 1000, "two more of them have room"
    assert all(before[2] == after[1] for before, after in pairwise(known)), "no number between two"
    before = len(known)
    assert log_retention.keep() == 0
    assert len(partitions()) == before, "made once"


def test_lines_that_came_while_nothing_lay_ahead_move_into_their_partition(goal_at: Callable[..., Goal]) -> None:
    log_retention.keep()
    late = goal_at(partitions()[-1][2] + 5)
    assert place(late) == "agents_logline_rest"
    assert next(iter(records.logs())).grade is Grade.WARN
    log_retention.keep()
    assert place(late) != "agents_logline_rest"
    assert [line.number for line in late.log_lines.all()] == [1, 2, 3]
    assert next(iter(records.logs())).grade is Grade.OK


def test_the_doctor_says_when_nothing_lies_ahead(goal_at: Callable[..., Goal], base: int) -> None:
    goal_at(partitions()[-1][2] - 1)
    found = next(iter(records.logs()))
    assert (found.grade, "no partition" in found.says) == (Grade.WARN, True)


def test_a_partition_goes_when_all_its_goals_ended_long_ago(goal_at: Callable[..., Goal], base: int) -> None:
    old = [goal_at(base, ended=KEEP + 1), goal_at(base + 7, ended=90)]
    (name,) = {place(goal) for goal in old}
    high = next(high for known, _, high in partitions() if known == name)
    young = goal_at(high, ended=KEEP - 1)
    assert log_retention.expire(KEEP) > 0
    assert not LogLine.objects.filter(goal__in=old).exists()
    assert name not in [known for known, _, _ in partitions()]
    assert young.log_lines.count() == 3
    expiry = LogExpiry.objects.get(first_goal__lte=base, last_goal__gte=base + 7)
    assert expiry.keep_days == KEEP
    assert LogCounter.objects.get(goal=old[0]).last == 3, "a later line will be the fourth"


def test_nothing_goes_without_the_setting(goal_at: Callable[..., Goal], base: int) -> None:
    goal = goal_at(base, ended=10_000)
    assert log_retention.keep() == 0
    assert goal.log_lines.count() == 3


@pytest.mark.parametrize("how", [{}, {"ended": KEEP - 1}, {"ended": 90, "said": 3}])
def test_a_goal_that_goes_on_or_had_a_word_lately_keeps_its_partition(
    goal_at: Callable[..., Goal], base: int, how: dict[str, int]
) -> None:
    kept = goal_at(base, **how)
    behind = goal_at(base + 1, ended=90)
    name = place(kept)
    log_retention.expire(KEEP)
    assert name in [known for known, _, _ in partitions()]
    assert kept.log_lines.count() == behind.log_lines.count() == 3


def test_a_partition_with_few_younger_lines_is_put_in_its_place_with_just_these(
    goal_at: Callable[..., Goal], base: int
) -> None:
    old, young = goal_at(base, ended=90), goal_at(base + 500)
    before = next(one for one in partitions() if one[0] == place(old))
    goal_at(before[2])
    log_retention.expire(KEEP)
    assert not old.log_lines.exists()
    assert list(young.log_lines.values_list("number", "text")) == [(n, f"line {n} of {young.pk}") for n in (1, 2, 3)]
    after = next(one for one in partitions() if one[0] == place(young))
    assert after[1:] == (young.pk, before[2]), "room for the same numbers, from the first goal that is left on"


def test_a_partition_is_not_made_smaller_for_each_goal_that_ends(goal_at: Callable[..., Goal], base: int) -> None:
    old, _ = goal_at(base, ended=KEEP + 1), goal_at(base + 500)
    log_retention.expire(KEEP)
    assert old.log_lines.count() == 3


def test_a_late_word_about_a_goal_whose_log_went_is_kept_until_it_is_old(
    goal_at: Callable[..., Goal], base: int
) -> None:
    old = goal_at(base, ended=90)
    goal_at(partitions()[-1][1])
    assert log_retention.expire(KEEP) > 0
    assert logs.say(old.pk, "review", "review", "a late word") == 4
    assert [line.number for line in goal_log.tail(old).lines] == [4]
    log_retention.keep()
    assert next(iter(records.logs())).grade is Grade.OK, "it belongs to no partition any more"
    log_retention.expire(KEEP)
    assert old.log_lines.count() == 1
    LogLine.objects.filter(goal=old).update(at=timezone.now() - timedelta(days=KEEP + 1))
    log_retention.expire(KEEP)
    assert not old.log_lines.exists()


def test_the_page_and_the_api_say_when_and_why_a_log_went(
    goal_at: Callable[..., Goal], base: int, owner: User, client_of: Callable[[User], Client], api_of: Any
) -> None:
    goal = goal_at(base, ended=90)
    assert "removed on" not in client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert api_of(owner).get(f"goals/{goal.pk}/log").json().get("removed_at") is None
    goal_at(partitions()[-1][1])
    log_retention.expire(KEEP)
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    at = LogExpiry.objects.latest("id").at
    assert f"The log of this goal was removed on {at.day} {at:%B %Y, %H:%M}" in page
    assert "MINDX_LOG_KEEP_DAYS" in page
    assert "30 days" in page
    assert api_of(owner).get(f"goals/{goal.pk}/log").json()["removed_at"] is not None
    logs.say(goal.pk, "review", "review", "a late word")
    page = client_of(owner).get(f"/goals/{goal.pk}/").content.decode()
    assert "Earlier lines of this log were removed" in page
    assert "a late word" in page


def test_every_page_of_a_goal_whose_log_went_answers(
    goal_at: Callable[..., Goal], base: int, owner: User, client_of: Callable[[User], Client], api_of: Any
) -> None:
    goal = goal_at(base, ended=90)
    goal_at(partitions()[-1][1])
    log_retention.expire(KEEP)
    assert not goal.log_lines.exists()
    client, page = client_of(owner), f"/goals/{goal.pk}/"
    asked = ("", "?line=2", "?line=1", "?before=3", "?find=line", "?error=first", "?source=worker")
    parts = (
        "plans/",
        "beliefs/",
        "attempts/",
        "session/",
        "files/",
        "decisions/",
        "log",
        "log?after=1",
        "log?before=9",
    )
    for address in (*asked, *parts, "log.txt"):
        assert client.get(page + address).status_code == 200, address
    assert client.get(f"{page}log/1.txt").status_code == 404
    assert api_of(owner).get(f"goals/{goal.pk}/log?after=1").json()["lines"] == []


def test_the_doctor_says_what_is_kept_and_what_went(goal_at: Callable[..., Goal], base: int, settings: Any) -> None:
    settings.LOG_KEEP_DAYS = 0
    goal_at(base, ended=90)
    goal_at(partitions()[-1][1])
    *_, said = records.logs()
    assert "kept for ever (MINDX_LOG_KEEP_DAYS is 0)" in said.says
    assert f" MB in {len(partitions())} partitions" in said.says
    assert "removed" not in said.says
    settings.LOG_KEEP_DAYS = KEEP
    log_retention.keep()
    *_, said = records.logs()
    assert f"kept for {KEEP} days after a goal's end; the last that were removed went on " in said.says


# -- rights ---------------------------------------------------------------------------------------------------------
def test_the_application_may_call_the_two_functions_and_drop_nothing_itself(
    goal_at: Callable[..., Goal], base: int
) -> None:
    old, young = goal_at(base, ended=90), goal_at(partitions()[-1][1], ended=2)
    name = place(young)
    grant(connection, APP)
    rows(f"SET LOCAL ROLE {APP}")
    for statement in (
        f"DROP TABLE {name}",
        f"TRUNCATE {name}",
        f"DELETE FROM agents_logline WHERE goal_id = {young.pk}",
        f"ALTER TABLE agents_logline DETACH PARTITION {name}",
        "DELETE FROM agents_logexpiry",
        f"SELECT text FROM {name}",
    ):
        with pytest.raises(Exception, match=r"must be owner|permission denied"), transaction.atomic():
            rows(statement)
    for days in (0, -1, None):
        with pytest.raises(Exception, match="a day at least"), transaction.atomic():
            rows("SELECT agents_log_expire(%s)", days)
    assert log_retention.expire(KEEP) > 0
    assert (old.log_lines.count(), young.log_lines.count()) == (0, 3)
    rows("RESET ROLE")


def test_nobody_else_may_call_them() -> None:
    found = rows("SELECT proname, prosecdef, proacl::text FROM pg_proc WHERE proname LIKE 'agents_log_%%' ORDER BY 1")
    assert [name for name, _, _ in found] == ["agents_log_ahead", "agents_log_expire"]
    for name, is_definer, acl in found:
        assert is_definer
        assert "{=X" not in acl, name
        assert ",=X" not in acl, name
