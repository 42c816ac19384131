"""Whoever dies, comes late or comes twice: a request is kept, and answered once."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents import tasks
from agents.actors import pauses
from agents.bus import answering, breakers, in_step, moves, providers, requests, routing, settings, settling
from agents.bus.providers import Answer
from agents.cycle import cycle
from agents.models import Attempt, BusBreaker, BusCapability, BusEntry, BusRequest, Goal, IntentPlan, Workspace
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours, RequestRefused
from agents.states import GoalState, RequestState
from agents.workspaces import workspaces
from people.models import User
from review.deciding import decisions

pytestmark = pytest.mark.django_db(transaction=True)
S = RequestState
Connect = Callable[..., Any]
PAST = timedelta(seconds=-1)


def _now(asked: BusRequest) -> BusRequest:
    return BusRequest.objects.get(pk=asked.pk)


def _say(by: User, **more: Any) -> BusRequest:
    return requests.request(by=by, capability="say", content=more.pop("content", {}), **more)


def _lease_runs_out(asked: BusRequest) -> None:
    BusRequest.objects.filter(pk=asked.pk).update(lease_until=timezone.now() + PAST)


def _at_once() -> None:
    """What waits for its next try may be tried now."""
    BusRequest.objects.update(wake_at=None)
    BusBreaker.objects.filter(until__isnull=False).update(until=timezone.now() + PAST)


def _turn(asked: BusRequest) -> None:
    """This request's turn, and no other's."""
    claimed = moves.claim(asked.pk)
    assert claimed is not None
    answering.take_turn(claimed)


def _events(asked: BusRequest) -> list[str]:
    return list(BusEntry.objects.filter(request=asked).order_by("pk").values_list("event", flat=True))


def test_a_late_answer_behind_the_fence_is_refused(owner: User, connect: Connect) -> None:
    echo, asked = connect(), _say(owner)

    def slow(request: Any) -> Answer:
        if len(echo.asked) == 1:
            _lease_runs_out(asked)
            answering.work(asked.pk)  # another worker takes it over
        return Answer({"said": len(echo.asked), "try": request.attempt})

    echo.does = slow
    answering.work(asked.pk)
    assert len(echo.asked) == 2
    assert _now(asked).answer == {"said": 2, "try": 2}
    assert _events(asked) == ["lost", "answered", "late"]
    assert BusCapability.objects.get(name="say").succeeded == 1


def test_an_answer_after_a_cancellation_is_refused(owner: User, connect: Connect) -> None:
    echo, asked = connect(), _say(owner)

    def cancelled_meanwhile(request: Any) -> Answer:
        requests.cancel(asked, by=owner)
        return Answer({"said": 1})

    echo.does = cancelled_meanwhile
    answering.work(asked.pk)
    assert (_now(asked).state, _now(asked).answer) == (S.CANCELLED, None)
    assert _events(asked) == ["cancelled", "late"]


def test_a_deadline_that_passes_while_routing_asks_nobody(
    owner: User, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    echo, asked = connect(), _say(owner, deadline=timezone.now() + timedelta(hours=1))
    route = routing.route

    def slowly(request: BusRequest) -> Any:
        BusRequest.objects.filter(pk=asked.pk).update(deadline=timezone.now() + PAST)
        return route(request)

    monkeypatch.setattr(routing, "route", slowly)
    answering.work(asked.pk)
    assert echo.asked == []
    settling.sweep()
    assert (_now(asked).state, _now(asked).reason) == (S.EXPIRED, "its deadline has passed")


def test_deadlines_are_kept_while_wake_ups_hold_the_sweep_up(
    owner: User, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10,000 requests behind each other none was ended for minutes: the sweep stood in the same queue."""
    connect("echo", "say")
    late, asked = (_say(owner, deadline=timezone.now() + timedelta(hours=1)) for _ in range(2))
    BusRequest.objects.filter(pk=late.pk).update(deadline=timezone.now() + PAST, wake_at=timezone.now() + timedelta(1))
    monkeypatch.setattr(settling, "_expired_at", time.monotonic())
    monkeypatch.setattr(settling, "_EXPIRES_EVERY_S", 3_600.0)
    tasks.bus_request(asked.pk)
    assert _now(late).state == S.WAITING, "it has looked a moment ago"
    monkeypatch.setattr(settling, "_EXPIRES_EVERY_S", 0.0)
    tasks.bus_request(asked.pk)
    assert _now(late).state == S.EXPIRED


def test_an_answer_after_the_deadline_is_refused(owner: User, connect: Connect) -> None:
    echo, asked = connect(), _say(owner, deadline=timezone.now() + timedelta(hours=1))

    def slow(request: Any) -> Answer:
        BusRequest.objects.filter(pk=asked.pk).update(deadline=timezone.now() + PAST)
        return Answer()

    echo.does = slow
    answering.work(asked.pk)
    settling.sweep()
    assert (_now(asked).state, _now(asked).answer) == (S.EXPIRED, None)


@pytest.mark.parametrize("effect", ["idempotent", "keyed", "once"])
def test_a_request_whose_worker_was_killed_is_kept_and_repeated_only_where_that_is_safe(
    effect: str, owner: User, connect: Connect
) -> None:
    echo, asked = connect(effect=effect), _say(owner)
    claimed = moves.claim(asked.pk)
    assert claimed is not None
    offered = BusCapability.objects.get(name="say")
    moves.note(claimed.request, member=offered.member, offered=offered)
    _lease_runs_out(asked)
    assert list(settling.free()) == [asked]
    answering.work(asked.pk)
    if effect == "once":
        assert echo.asked == []
        assert _now(asked).state == S.FAILED
        assert _now(asked).reason.startswith("outcome_unknown")
    else:
        assert (_now(asked).state, len(echo.asked)) == (S.ANSWERED, 1)


def test_what_has_cost_three_workers_is_ended(owner: User, connect: Connect) -> None:
    echo, asked = connect(), _say(owner)
    for _ in range(3):
        assert moves.claim(asked.pk) is not None
        _lease_runs_out(asked)
    answering.work(asked.pk)
    assert (_now(asked).state, echo.asked) == (S.FAILED, [])


def test_a_provider_that_dies_has_its_request_given_to_another(owner: User, connect: Connect) -> None:
    dead, well = connect("dead", confidence=0.9), connect("well", confidence=0.5)

    def dies(request: Any) -> Answer:
        raise RuntimeError("it broke")

    dead.does = dies
    asked = _say(owner)
    answering.work(asked.pk)
    assert (_now(asked).state, _now(asked).reason) == (S.WAITING, "RuntimeError: it broke")
    _at_once()
    answering.work(asked.pk)
    assert _now(asked).state == S.ANSWERED
    assert (len(dead.asked), len(well.asked)) == (1, 1)
    assert _events(asked) == ["tried", "answered"]


def test_what_cannot_be_repeated_is_not_given_to_another(owner: User, connect: Connect) -> None:
    dead, well = connect("dead", confidence=0.9, effect="once"), connect("well", confidence=0.5)
    dead.does = lambda request: 1 / 0
    asked = _say(owner)
    answering.work(asked.pk)
    assert (_now(asked).state, well.asked) == (S.FAILED, [])
    assert _now(asked).reason == "outcome_unknown: ZeroDivisionError: division by zero"


def test_a_caller_that_dies_and_comes_again_finds_the_request_that_it_made(owner: User, connect: Connect) -> None:
    inner, outer = connect("inner", "inner"), connect("outer", "outer")
    made: list[int] = []

    def asks(request: Any) -> Answer:
        made.append(requests.request(by=request.by, capability="inner", key=f"step-{request.id}").pk)
        if len(made) == 1:
            raise SystemError("killed")
        return Answer()

    outer.does = asks
    asked = requests.request(by=owner, capability="outer")
    answering.work(asked.pk)
    _at_once()
    answering.work(asked.pk)
    assert (made[0], _now(asked).state) == (made[1], S.ANSWERED)
    answering.work()
    (below,) = BusRequest.objects.filter(within=asked)
    assert (below.state, below.caller.name if below.caller else "", len(inner.asked)) == (S.ANSWERED, "outer", 1)


def test_a_goal_that_ends_answers_once_however_often_it_is_told(owner: User, reviewer: User) -> None:
    asked = requests.request(by=owner, capability="simple_coder.write", content={"path": "a", "content": "x"})
    answering.work(asked.pk)
    plan = IntentPlan.objects.get(goal__bus_request=asked)
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    seen_before = BusRequest.objects.get(pk=asked.pk)
    assert seen_before.state == S.ANSWERED
    for _ in range(3):
        settling.goal_ended(plan.goal_id)
        settling.settle(asked.pk)
        settling.sweep()
    assert _events(asked) == ["answered"]
    assert BusCapability.objects.get(name="simple_coder.write").succeeded == 1


def test_a_worker_that_dies_behind_the_goal_makes_no_second_one(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = requests.request(by=owner, capability="simple_coder.write", content={"path": "a", "content": "x"})
    move = moves.move

    def dies(request: BusRequest, new: RequestState, **more: Any) -> None:
        if new == S.WITH_GOAL and not monkeypatch_is_over:
            raise KeyboardInterrupt
        move(request, new, **more)

    monkeypatch_is_over = False
    monkeypatch.setattr(moves, "move", dies)
    with pytest.raises(KeyboardInterrupt):
        answering.work(asked.pk)
    monkeypatch_is_over = True
    assert Goal.objects.count() == 1
    _lease_runs_out(asked)
    answering.work(asked.pk)
    assert (Goal.objects.count(), _now(asked).state) == (1, S.WITH_GOAL)


def test_a_goal_that_nobody_waits_for_any_more_is_cancelled(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its worker died behind the goal, and the deadline passed before the next one came."""
    asked = requests.request(
        by=owner,
        capability="simple_coder.write",
        content={"path": "a", "content": "x"},
        deadline=timezone.now() + timedelta(hours=1),
    )
    monkeypatch.setattr(moves, "move", lambda *a, **b: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        answering.work(asked.pk)
    monkeypatch.undo()
    BusRequest.objects.filter(pk=asked.pk).update(deadline=timezone.now() + PAST)
    settling.sweep()
    goal = Goal.objects.get()
    assert (_now(asked).state, _now(asked).goal, goal.state) == (S.EXPIRED, goal, GoalState.DROPPED)


def test_three_failures_open_the_breaker_and_one_of_two_tries_it(owner: User, operator: User, connect: Connect) -> None:
    echo = connect(effect="idempotent")
    echo.does = lambda request: 1 / 0
    for _ in range(3):
        _turn(_say(owner))
    row = BusBreaker.objects.get()
    assert (row.state, row.failures) == ("open", 0)
    kept = _say(owner)
    _turn(kept)
    assert (len(echo.asked), _now(kept).state, _now(kept).attempts) == (3, S.WAITING, 0)
    assert _now(kept).wake_at == row.until
    _at_once()
    second = _say(owner)

    def meanwhile(request: Any) -> Answer:
        _turn(second)  # finds it half open, and waits
        return Answer()

    echo.does = meanwhile
    _turn(kept)
    assert (_now(kept).state, _now(second).state, len(echo.asked)) == (S.ANSWERED, S.WAITING, 4)
    row.refresh_from_db()
    assert (row.state, row.trial) == ("closed", None)
    events = BusEntry.objects.filter(side="system", event__startswith="breaker").order_by("pk")
    assert list(events.values_list("event", flat=True)) == ["breaker_open", "breaker_half_open", "breaker_closed"]


def test_a_trial_that_is_cancelled_or_whose_worker_died_lets_another_one_try(owner: User, connect: Connect) -> None:
    connect()
    in_step.refresh()
    member = BusCapability.objects.get(name="say").member
    for _ in range(3):
        breakers.failed(member.pk, 0, "down")
    _at_once()
    first = _say(owner)
    assert breakers.admit(member.pk, first)
    assert not breakers.admit(member.pk, _say(owner))
    requests.cancel(first, by=owner)
    breakers.sweep()
    assert BusBreaker.objects.get().state == "open"
    assert breakers.admit(member.pk, _say(owner))


def test_only_operators_close_a_breaker_and_set_the_bus(owner: User, operator: User, connect: Connect) -> None:
    connect()
    member = BusCapability.objects.get(name="say").member
    for _ in range(3):
        breakers.failed(member.pk, 0, "down")
    values: dict[str, Any] = {"failures": 1, "cooldown_s": 60, "depth": 2, "requests": 3}
    with pytest.raises(NotYours):
        breakers.close(member, by=owner)
    with pytest.raises(NotYours):
        settings.change(by=owner, **values)
    breakers.close(member, by=operator)
    assert BusBreaker.objects.get().state == "closed"
    with pytest.raises(GoalRefused, match="from 1 to 100"):
        settings.change(by=operator, **{**values, "failures": 0})
    settings.change(by=operator, **values)
    breakers.failed(member.pk, 0, "down")
    assert BusBreaker.objects.get().state == "open"


def test_many_requests_to_a_dead_provider_are_neither_lost_nor_answered_twice(owner: User, connect: Connect) -> None:
    echo, most = connect(), 40
    answers: list[int] = []

    def dead(request: Any) -> Answer:
        raise ConnectionError("nobody there")

    echo.does = dead
    asked = [_say(owner, content={"n": number}) for number in range(most)]
    answering.work()
    assert len(echo.asked) == 3, "the breaker spares the others"
    assert BusRequest.objects.filter(state=S.WAITING).count() == most

    def well(request: Any) -> Answer:
        answers.append(request.id)
        return Answer()

    echo.does = well
    for _ in range(6):
        _at_once()
        settling.sweep()
        answering.work()
    assert sorted(answers) == sorted(one.pk for one in asked)
    assert BusRequest.objects.filter(state=S.ANSWERED).count() == most
    assert BusEntry.objects.filter(event="answered").count() == most


def test_a_capability_that_calls_itself_comes_to_an_end(owner: User, connect: Connect) -> None:
    echo = connect()
    refused: list[str] = []

    def again(request: Any) -> Answer:
        number = request.content["n"]
        for content in ({"n": number}, {"n": number + 1}):
            try:
                inner = requests.request(by=request.by, capability="say", content=content)
            except RequestRefused as error:
                refused.append(error.message)
            else:
                answering.work(inner.pk)
        return Answer()

    echo.does = again
    answering.work(_say(owner, content={"n": 0}).pk)
    assert [one.content["n"] for one in echo.asked] == [0, 1, 2, 3, 4]
    assert sum("asks for the same thing" in one for one in refused) == 5
    assert sum("within too many others" in one for one in refused) == 1


def test_agents_that_call_each_other_through_goals_come_to_an_end(owner: User, operator: User) -> None:
    settings.change(by=operator, failures=3, cooldown_s=300, depth=2, requests=50)
    goal = None
    for depth in range(2):
        asked = requests.request(by=owner, capability="achieve_goal", content={"text": f"do {depth}"}, parent=goal)
        assert asked.depth == depth
        answering.work(asked.pk)
        goal = Goal.objects.get(bus_request=asked)
    with pytest.raises(RequestRefused, match="within too many others"):
        requests.request(by=owner, capability="achieve_goal", content={"text": "do 3"}, parent=goal)


def test_one_request_leads_to_a_bounded_number_of_others(owner: User, operator: User, connect: Connect) -> None:
    settings.change(by=operator, failures=3, cooldown_s=300, depth=5, requests=4)
    connect()
    first = _say(owner)
    for number in range(4):
        _say(owner, content={"n": number}, within=first)
    with pytest.raises(RequestRefused, match="led to too many others"):
        _say(owner, content={"n": 9}, within=first)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer({"text": "x" * 300_000}), "more than 200,000"),
        (Answer({"text": "a\0b"}), "no JSON"),
        (Answer({"text": object()}), "no JSON"),
        (Answer({"text": 7}), "not what was promised"),
        (Answer.refused("not my line"), "not my line"),
    ],
)
def test_an_answer_that_cannot_be_kept_or_was_not_promised_is_a_failure_of_the_member(
    answer: Answer, says: str, owner: User, connect: Connect
) -> None:
    connect(gives={"type": "object", "properties": {"text": {"type": "string"}}}).does = lambda request: answer
    asked = _say(owner)
    answering.work(asked.pk)
    assert _now(asked).state == S.FAILED
    assert says in _now(asked).reason
    assert BusCapability.objects.get(name="say").failed == 1
    assert not BusBreaker.objects.exists(), "it could answer"


def test_a_replay_works_in_a_copy_and_is_reviewed_anew(owner: User, reviewer: User, make_goal: Any) -> None:
    workspace = make_goal(owner).workspace
    workspaces.put_file(workspace, by=owner, path="a.txt", source=io.BytesIO(b"before"))
    workspace.refresh_from_db()
    content = {"path": "a.txt", "content": "after"}
    asked = requests.request(by=owner, capability="simple_coder.write", content=content, workspace=workspace)
    with pytest.raises(NotPossibleNow, match="No member has received"):
        requests.replay(asked, by=owner)
    answering.work(asked.pk)
    plan = IntentPlan.objects.get(goal__bus_request=asked)
    decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
    cycle.work(plan.goal_id)
    workspace.refresh_from_db()
    after, tries = workspace.head, Attempt.objects.count()
    again = requests.replay(_now(asked), by=reviewer)
    answering.work(again.pk)
    again = _now(again)
    copied = IntentPlan.objects.get(goal__bus_request=again)
    assert (again.state, again.by, copied.state) == (S.WITH_GOAL, reviewer, "awaiting_review")
    assert (again.member, copied.workspace.owner) == (_now(asked).member, reviewer)
    assert copied.workspace_id != workspace.pk
    assert copied.workspace.head != after, "it begins with the files of then"
    assert Attempt.objects.count() == tries
    workspace.refresh_from_db()
    assert workspace.head == after
    assert Workspace.objects.count() == 2


def test_while_everything_stands_still_nothing_is_taken_up(owner: User, operator: User, connect: Connect) -> None:
    echo, asked = connect(), _say(owner)
    pauses.stop_all(by=operator, reason="maintenance")
    answering.work(asked.pk)
    assert (_now(asked).state, echo.asked) == (S.WAITING, [])


def test_a_provider_learns_whom_it_answers_and_nothing_of_rights(owner: User, connect: Connect) -> None:
    echo = connect()
    answering.work(_say(owner).pk)
    assert echo.asked[0].by == owner
    assert providers.being_answered() is None


def test_a_late_worker_cannot_answer_while_the_next_one_has_it(owner: User, connect: Connect) -> None:
    echo, asked = connect(), _say(owner)
    taken_over: list[Any] = []

    def slow(request: Any) -> Answer:
        _lease_runs_out(asked)
        taken_over.append(moves.claim(asked.pk))
        return Answer({"by": "the late one"})

    echo.does = slow
    answering.work(asked.pk)
    assert (_now(asked).state, _now(asked).answer, _events(asked)) == (S.RUNNING, None, ["late"])
    echo.does = lambda request: Answer({"by": "the next one"})
    answering.take_turn(taken_over[0])
    assert _now(asked).answer == {"by": "the next one"}


def test_a_trial_that_waits_for_review_lets_another_one_try(owner: User) -> None:
    content = {"path": "a", "content": "x"}
    first = requests.request(by=owner, capability="simple_coder.write", content=content)
    member = BusCapability.objects.get(name="simple_coder.write").member
    for _ in range(3):
        breakers.failed(member.pk, 0, "down")
    _at_once()
    _turn(first)
    breakers.sweep()
    assert (_now(first).state, BusBreaker.objects.get().state) == (S.WITH_GOAL, "half_open")
    BusBreaker.objects.update(changed_at=timezone.now() - timedelta(seconds=301))
    breakers.sweep()
    assert BusBreaker.objects.get().state == "open"
    second = requests.request(by=owner, capability="simple_coder.write", content={**content, "path": "b"})
    _turn(second)
    assert (_now(second).state, BusBreaker.objects.get().trial) == (S.WITH_GOAL, second)
