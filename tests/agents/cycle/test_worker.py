"""What a worker's process takes first, and what it hands over to the background pool instead of waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from celery import current_app
from django.core.management import call_command

from agents.bdi.intentions.shares import Work
from agents.cycle import cycle, waiting, worker
from agents.execution import shadow
from agents.goals import goals
from agents.models import Goal, IntentPlan, ShadowRun
from agents.planning import model_planning
from agents.plans import shadowing
from agents.record import lease, wake_ups
from agents.record.lease import Turn
from agents.states import GoalState
from library.language import may_wait
from library.language.may_wait import NotHere
from people.models import User
from tests.agents.execution.conftest import approved, write  # noqa: F401  # the first is a fixture

PROJECT = "Create a Python project named {}"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def starters(transactional_db: None) -> None:
    """The rules that ship with mindX."""
    call_command("load_starters", verbosity=0)


@pytest.fixture
def in_a_worker() -> Iterator[None]:
    """This process is one of a worker's, which do not wait."""
    may_wait.forbid()
    yield
    may_wait.allow()


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kinds of turns, in the order in which they were taken. The numbering begins anew."""
    taken: list[str] = []
    one = cycle.one

    def noted(goal_id: int | None = None, of: Turn = Turn.ANY) -> int | None:
        done = one(goal_id, of)
        taken.extend([of.value] if done is not None else [])
        return done

    monkeypatch.setattr(cycle, "one", noted)
    monkeypatch.setattr(worker, "_turns", iter(range(0, 4_000, 4)))  # no turn of another kind's share
    return taken


def test_an_approved_plan_begins_before_goals_that_are_planned(
    approved: Callable[..., IntentPlan],  # noqa: F811
    owner: User,
    make_goal: Callable[..., Goal],
    turns: list[str],
) -> None:
    backlog = [make_goal(owner, PROJECT.format(f"p{number}")) for number in range(3)]
    plan = approved([write("a.txt")])
    worker.work(backlog[0].pk)  # whatever goal the message names
    assert turns[0] == "approved"
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert {goal.state for goal in Goal.objects.filter(pk__in=[each.pk for each in backlog])} == {"awaiting_review"}
    assert turns.index("planning") < turns.index("learning")


def test_dry_runs_go_before_remembering_and_one_that_is_looked_at_before_planning(
    owner: User, make_goal: Callable[..., Goal], turns: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (make_goal(owner, PROJECT.format(name)) for name in ("one", "two"))
    for goal in (first, second):
        cycle.one(goal.pk)
    runs = {run.intent_plan.goal_id: run.pk for run in ShadowRun.objects.select_related("intent_plan")}
    wanted = wake_ups.goal_group(second.pk)
    monkeypatch.setattr(shadowing, "listened_to", lambda groups, _: {wanted} & set(groups))
    tried: list[int | None] = []

    def try_it(run_id: int | None = None) -> bool:
        tried.append(run_id)
        return False

    monkeypatch.setattr(shadow, "one", try_it)
    make_goal(owner, PROJECT.format("three"))
    worker.work()
    assert tried[0] == runs[second.pk], "somebody has its page open"


def test_typed_commands_and_requests_are_taken_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_turns", iter(range(100)))
    taken: list[Work] = []

    def noted(kind: Work) -> Callable[[], bool]:
        def take() -> bool:
            taken.append(kind)
            return False

        return take

    for kind in (Work.TYPED, Work.REQUESTS):
        monkeypatch.setitem(worker._TAKE, kind, noted(kind))
    monkeypatch.setattr(waiting, "for_workers", lambda: {Work.TYPED, Work.REQUESTS})
    worker.work()
    assert taken == [Work.TYPED, Work.REQUESTS]


def test_a_turn_that_asks_a_model_is_the_pools_and_is_done_there_from_its_beginning(
    owner: User, make_goal: Callable[..., Goal], in_a_worker: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.MODEL = "openai/some"
    told: list[tuple[str, int]] = []
    monkeypatch.setattr(wake_ups, "wake_background", lambda kind, number: told.append((kind, number)))
    monkeypatch.setattr(model_planning, "plan", lambda *_: may_wait.check())
    goal = make_goal(owner, "Reconcile the ledger")
    worker.work()
    goal.refresh_from_db()
    assert (goal.state, goal.in_background, goal.lease_owner) == ("planning", True, "")
    assert told == [("goal", goal.pk)]
    assert lease.claimable(10) == []
    assert cycle.one(goal.pk) is None, "no worker takes it"
    assert waiting.counts(10)[waiting.BACKGROUND] == 1
    taken = lease.claim(of=Turn.BACKGROUND)
    assert taken is not None
    assert not Goal.objects.get(pk=goal.pk).in_background, "who takes over from the pool finds out for itself"


def test_a_goal_that_kills_the_pool_each_time_ends_with_a_person(
    owner: User, make_goal: Callable[..., Goal], in_a_worker: None, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.MODEL = "openai/some"
    monkeypatch.setattr(model_planning, "plan", lambda *_: may_wait.check())
    goal = make_goal(owner, "Reconcile the ledger")
    for _ in range(lease.LOST_WORKERS_MAX):
        worker.work()
        assert lease.claim(of=Turn.BACKGROUND) is not None
        Goal.objects.filter(pk=goal.pk).update(lease_until="2020-01-01T00:00:00Z")  # the pool died
    worker.work()
    goal.refresh_from_db()
    assert goal.state == GoalState.MANUAL
    assert "worker_died_3_times" in goal.reason


def test_nothing_is_sent_where_a_process_may_not_wait(in_a_worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from library.language import calls, generation
    from library.language.asking import Ask, Message

    monkeypatch.setattr(calls, "open_call", lambda *_: pytest.fail("a call was opened"))
    with pytest.raises(NotHere):
        generation.ask(Ask("a test", (Message("user", "Hello"),), ("openai/some",)))
    assert not issubclass(NotHere, Exception), "what catches errors lets it pass"


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the sweep wakes workers for: goals by number, 0 for whatever else waits."""
    found: list[int] = []
    monkeypatch.setattr(wake_ups, "wake", found.append)
    monkeypatch.setattr(wake_ups, "wake_worker", lambda: found.append(0))
    monkeypatch.setattr(wake_ups, "untaken", lambda: 0)  # whatever other tests have sent
    return found


@pytest.mark.parametrize(("untaken", "sent"), [(0, 3), (6, 2), (8, 0), (99, 0)])
def test_a_sweep_sends_no_wake_ups_that_workers_do_not_take(
    owner: User, woken: list[int], monkeypatch: pytest.MonkeyPatch, untaken: int, sent: int
) -> None:
    goals_of = [goals.submit(by=owner, text=PROJECT.format(name), paced=False).pk for name in ("a", "b", "c")]
    monkeypatch.setattr(wake_ups, "untaken", lambda: untaken)
    woken.clear()
    cycle.sweep()
    assert woken == goals_of[:sent]


def test_a_sweep_wakes_workers_for_what_is_no_goal(
    owner: User,
    approved: Callable[..., IntentPlan],  # noqa: F811
    woken: list[int],
) -> None:
    plan = approved([write("a")])  # its dry run waits as well
    woken.clear()
    cycle.sweep()
    assert woken == [plan.goal_id, 0]


def test_what_the_broker_holds_is_counted(valkey: object, monkeypatch: pytest.MonkeyPatch) -> None:
    # A queue of its own: the tests that run beside this one send wake-ups, too.
    monkeypatch.setattr(current_app.conf, "task_default_queue", "counted")
    monkeypatch.setattr(wake_ups, "_skip_until", float("-inf"))  # tests without a broker have missed it
    assert wake_ups.untaken() == 0, "there is no queue yet"
    for _ in range(2):
        current_app.send_task("agents.work", queue="counted")
    assert wake_ups.untaken() == 2
