"""Plans whose steps run beside a started program: in the real jail, and after their worker died."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from agents.cycle import cycle
from agents.execution import beginning
from agents.execution.watching import Watch
from agents.execution.workplace import Desk, WouldEndPrograms
from agents.models import Attempt, Goal, IntentPlan
from agents.plans import reporting as records
from agents.record import draining
from agents.record.lease import claim
from agents.recovery import recovery_learning
from agents.states import GoalState, IntentState
from sandbox.contract import Limits
from tests.agents.execution.conftest import run, write
from tests.agents.execution.taking import take_up

pytestmark = pytest.mark.django_db(transaction=True)

_SERVER = (
    "import http.server\n"
    "server = http.server.ThreadingHTTPServer(('127.0.0.1', 8000), http.server.SimpleHTTPRequestHandler)\n"
    "print('up', flush=True)\nserver.serve_forever()\n"
)
# Asks until there is an answer: nothing else says that a server, which is a step of its own, listens by now.
_ASK = """
import time, urllib.request
while True:
    try:
        print("answered", urllib.request.urlopen("http://127.0.0.1:8000/server.py").status)
        break
    except OSError:
        time.sleep(0.05)
"""
_FILES = [write("server.py", _SERVER), write("ask.py", _ASK)]


def _of(command: str, **params: Any) -> dict[str, Any]:
    return {"tool": "simple_coder", "command": command, "params": params}


_START = _of("start", name="server", command_line="python server.py")


def _goal(plan: IntentPlan) -> Goal:
    return Goal.objects.get(pk=plan.goal_id)


def _log(plan: IntentPlan) -> str:
    return "\n".join(plan.goal.log_lines.values_list("text", flat=True))


def _states(plan: IntentPlan) -> list[str]:
    return list(plan.intents.order_by("position").values_list("state", flat=True))


def test_steps_run_beside_a_program_until_it_is_stopped(approved: Callable[..., IntentPlan]) -> None:
    steps = [*_FILES, _START, run("python ask.py"), _of("process_log", name="server"), _of("stop", name="server")]
    plan = approved([*steps, write("after.txt")])
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.ACHIEVED, _log(plan)
    assert "answered 200" in _log(plan)
    result = plan.intents.get(position=6).result or {}
    assert "GET /server.py" in result["output"]


def test_what_nothing_stops_ends_with_the_plan_and_the_log_says_so(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([*_FILES, _START, run("python ask.py")])
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.ACHIEVED, _log(plan)
    assert "ended with the plan: server" in _log(plan)


def test_a_step_that_fails_beside_a_program_is_not_tried_again(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)
    plan = approved(
        [*_FILES, _START, run("python -c 'raise SystemExit(3)'"), write("never.txt")], cleanup=[write("tidy.txt")]
    )
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.FAILED
    assert Attempt.objects.filter(intent__intent_plan=plan, intent__position=4).count() == 1
    assert "without the programs started before (server)" in _log(plan)
    assert file_of(plan, "tidy.txt") == b"x"


def _die_at(plan: IntentPlan, position: int) -> None:
    """A worker that has run the steps before this one, and dies with its try just begun."""
    dead = claim(plan.goal_id)
    assert dead is not None
    taken = take_up(dead)
    assert taken is not None
    for each in range(1, position + 1):
        begun = records.begin(taken, dead, each)
        if each < position:
            done = records.Done(IntentState.SUCCEEDED, {"status": "SUCCESS"}, begun.before, {})
            records.advance(taken, dead, begun, done, go_on=False)
    Goal.objects.filter(pk=plan.goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_plan_whose_worker_died_beside_a_program_does_not_go_on(
    approved: Callable[..., IntentPlan], file_of: Callable[..., bytes]
) -> None:
    plan = approved([_of("start", name="idle", command_line="sleep 60"), run("true")], cleanup=[write("tidy.txt")])
    _die_at(plan, 2)
    cycle.work(plan.goal_id)
    goal = _goal(plan)
    assert goal.state == GoalState.FAILED
    assert "programs_gone: step 2 was to run beside idle" in goal.reason
    assert _states(plan) == [IntentState.SUCCEEDED, IntentState.FAILED, IntentState.SUCCEEDED]
    assert file_of(plan, "tidy.txt") == b"x"


def test_a_plan_whose_worker_died_behind_the_stop_goes_on(approved: Callable[..., IntentPlan]) -> None:
    idle = _of("start", name="idle", command_line="sleep 60")
    plan = approved([idle, _of("stop", name="idle"), run("true")])
    _die_at(plan, 3)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.ACHIEVED, _log(plan)


def test_a_worker_that_died_in_the_start_itself_leaves_a_question(approved: Callable[..., IntentPlan]) -> None:
    plan = approved([_of("start", name="idle", command_line="sleep 60"), run("true")])
    _die_at(plan, 1)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.MANUAL
    assert _states(plan)[0] == IntentState.OUTCOME_UNKNOWN


def test_another_jail_is_refused_while_a_program_lives() -> None:
    class Living:
        living = ("server",)

    desk = Desk(Living(), None, "", Limits(), None)  # type: ignore[arg-type]
    desk.under(Limits(), ())
    with pytest.raises(WouldEndPrograms, match="stop it before this step"):
        desk.under(Limits(processes=9), ())


def _looked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each look between two steps come after those of the companion, which looks once a second."""
    real = Watch.first

    def first(watch: Watch) -> object:
        for _ in range(4):
            watch.is_cancelled()
        return real(watch)

    monkeypatch.setattr(Watch, "first", first)


def test_while_a_program_lives_in_the_session_no_other_goal_goes_first(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program would end with the session, and the plan with it; behind its stop the urgent one goes first."""
    idle = _of("start", name="idle", command_line="sleep 60")
    plan = approved([idle, run("true"), _of("stop", name="idle"), write("after.txt")])
    urgent = approved([write("urgent.txt")], priority=1)
    _looked(monkeypatch)
    cycle.work(plan.goal_id)
    assert [_goal(one).state for one in (plan, urgent)] == [GoalState.ACHIEVED] * 2, _log(plan)
    order = list(Attempt.objects.order_by("started").values_list("intent__intent_plan_id", flat=True))
    assert order == [plan.pk, plan.pk, plan.pk, urgent.pk, plan.pk]


def test_a_worker_that_is_told_to_stop_goes_on_until_the_program_is_stopped(
    approved: Callable[..., IntentPlan],
) -> None:
    idle = _of("start", name="idle", command_line="sleep 60")
    plan = approved([idle, run("true"), _of("stop", name="idle"), write("after.txt")])
    lease = claim(plan.goal_id)
    assert lease is not None
    begun = beginning.begin(lease)
    draining.finish()
    try:
        cycle.turn(lease, lambda: begun)
    finally:
        draining.forget()
    assert _states(plan) == ["succeeded"] * 3 + ["pending"], _log(plan)
    cycle.work(plan.goal_id)
    assert _goal(plan).state == GoalState.ACHIEVED
