"""Two machines that share nothing but the network: one is killed, or its link is cut, in the middle of a plan."""

from __future__ import annotations

import os
import re
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests import rabbitmq
from tests.faults.apart import Machine, apart
from tests.faults.ledger import Ledger, Visit, ledger
from tests.faults.network import HUB, Network, network
from tests.faults.oracle import everything_holds
from tests.faults.system import PATIENCE_S, begun, finished, gone, rows, worker_of, written
from tests.faults.table import Results
from tests.waiting import wait_until
from tests.whole.started import Whole

pytestmark = [pytest.mark.xdist_group("machines"), pytest.mark.faults]

LEASE_S = 3
Apart = tuple[Network, Whole, dict[str, Machine], Ledger, str]


@pytest.fixture(scope="module", params=["Valkey", "RabbitMQ"])
def three(request: pytest.FixtureRequest) -> Iterator[Apart]:
    """The hub and the machines `a` and `b`, with this broker; a ledger that both reach."""
    if request.param == "RabbitMQ" and not rabbitmq.IS_INSTALLED:
        pytest.skip("rabbitmq-server is not installed")
    # Short: the path of a socket has room for 107 letters.
    with (
        tempfile.TemporaryDirectory(prefix="mx-", dir="/tmp", ignore_cleanup_errors=True) as place,
        ExitStack() as stack,
    ):
        net = stack.enter_context(network("a", "b"))
        broker = ""
        if request.param == "RabbitMQ":
            (Path(place) / "rabbit").mkdir()
            broker = stack.enter_context(rabbitmq.rabbitmq(Path(place) / "rabbit", HUB))
        system, machines = stack.enter_context(apart(Path(place), net, broker, LEASE_S))
        yield net, system, machines, stack.enter_context(ledger(HUB)), request.param


def _whose(machines: dict[str, Machine], system: Whole, goal: str) -> Machine:
    """The machine whose worker has the goal."""
    wait_until(lambda: worker_of(system, goal), within=PATIENCE_S, what="a worker on the goal")
    pid = worker_of(system, goal)
    return next(machine for machine in machines.values() if pid in machine.hands())


def _tries(system: Whole, goal: str, position: int) -> list[str]:
    found = rows(
        system,
        "SELECT attempt.outcome FROM agents_attempt attempt JOIN agents_intent intent ON intent.id = attempt.intent_id"
        " JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id"
        " WHERE plan.goal_id = %s AND intent.position = %s ORDER BY attempt.number",
        int(goal),
        position,
    )
    return [row[0] for row in found]


def test_a_plan_goes_on_at_the_other_machine_when_one_dies(three: Apart, results: Results) -> None:
    _, system, machines, book, broker = three
    with results.case(f"two machines, {broker}: SIGKILL in the middle, the other goes on with identical bytes") as case:
        for second in ("2", "3"):
            plan = written(system, book, "abcd")
            middle = plan.key(int(second))
            book.held = partial(_is_of, middle)
            system.approve(plan.plan)
            begun(book, middle)
            away = _whose(machines, system, plan.goal)
            pid = worker_of(system, plan.goal)
            assert pid is not None
            os.kill(away.pid, signal.SIGSTOP)  # so that the same machine starts nobody in its place
            try:
                os.kill(pid, signal.SIGKILL)
                gone(pid)
                case.landed += 1
                begun(book, middle, times=2)
                assert _whose(machines, system, plan.goal) is not away
                book.of(middle)[1].go.set()
                finished(system, plan)
            finally:
                os.kill(away.pid, signal.SIGCONT)
            everything_holds(system, plan, book)
            assert _tries(system, plan.goal, int(second)) == ["lost", "succeeded"]
            case.held()
            wait_until(partial(_has_both, away), within=PATIENCE_S, what="the machine's two processes")


def test_a_machine_whose_link_is_cut_is_taken_over_and_refused_when_it_is_back(three: Apart, results: Results) -> None:
    net, system, machines, book, broker = three
    with results.case(f"two machines, {broker}: link cut in a step, back after the other has gone on") as case:
        for back in ("while the other runs the step", "after the plan has ended"):
            book.held = lambda visit: True
            plan = written(system, book, "abc")
            system.approve(plan.plan)
            begun(book, plan.key(1))
            book.of(plan.key(1))[0].go.set()
            begun(book, plan.key(2))
            late = book.of(plan.key(2))[0]
            away = _whose(machines, system, plan.goal)
            said = _times_told(away)
            net.cut(away.name)
            try:
                begun(book, plan.key(2), times=2)
                case.landed += 1
                assert _whose(machines, system, plan.goal) is not away
                book.held = lambda visit: False
                if back.startswith("after"):
                    book.of(plan.key(2))[1].go.set()
                    finished(system, plan)
                late.go.set()
            finally:
                net.join(away.name)
            wait_until(
                partial(_was_told, away, said), within=PATIENCE_S, what=f"the late worker to be told; see {away.said}"
            )
            book.of(plan.key(2))[1].go.set()
            finished(system, plan)
            everything_holds(system, plan, book)
            assert _tries(system, plan.goal, 2) == ["lost", "succeeded"]
            case.held()


def _is_of(key: str, visit: Visit) -> bool:
    return visit.key == key


def _has_both(machine: Machine) -> bool:
    return len(machine.hands()) == 2


def _was_told(machine: Machine, before: int) -> bool:
    return _times_told(machine) > before


def _times_told(machine: Machine) -> int:
    """How often it learned that another one has a goal: with its report, or by whatever failed for that reason."""
    return len(re.findall("went on elsewhere|continued on another worker", machine.said.read_text(errors="replace")))
