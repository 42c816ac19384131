"""What people decided does not wait behind work: with a backlog, silent models, lost messages and dead workers."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.ledger import Ledger
from tests.faults.oracle import at_most_once
from tests.faults.system import (
    PATIENCE_S,
    Written,
    beside_worker,
    broker,
    end,
    finished,
    gone,
    hands,
    masters,
    more_hands,
    rows,
    stopped,
    submitted,
    written,
)
from tests.faults.table import Results
from tests.faults.test_clocks_and_schedulers import faketime  # noqa: F401  # a fixture
from tests.models.server import Provider, hanging, serving
from tests.supervisor.processes import children
from tests.waiting import wait_until
from tests.whole.started import Whole, started

pytestmark = [pytest.mark.xdist_group("whole"), pytest.mark.faults]

BACKLOG = 300
# How late a held decision may take effect, and how late a plan may begin that only a message could have named.
EFFECT_S, TAKEOVER_S = 1.0, 2.0

# As the browser's form does: each of these plans is approved, held for two seconds.
_HOLD = """
import json
from django.conf import settings
from agents.models import IntentPlan
from people.models import User
from review.deciding import holding
from review.deciding.ruling import APPROVE, Ruling
from review.models import HeldDecision
settings.HOLD_S = 2.0
admin = User.objects.get(username="admin")
for plan in IntentPlan.objects.filter(pk__in={plans}):
    holding.decide(plan, Ruling(APPROVE, plan.digest), by=admin)
print("due", json.dumps({{held.intent_plan_id: held.due_at.timestamp() for held in HeldDecision.objects.all()}}))
"""


def hold(whole: Whole, plans: list[Written]) -> dict[int, float]:
    """Approve the plans as a browser does; when each is due, in seconds since 1970 by the database's clock."""
    numbers = [int(plan.plan["id"]) for plan in plans]
    said = whole.running.manage("shell", "-c", _HOLD.format(plans=numbers))
    line = next(line for line in said.splitlines() if line.startswith("due "))
    return {int(plan): due for plan, due in json.loads(line.removeprefix("due ")).items()}


def late_by(whole: Whole, due: dict[int, float]) -> list[float]:
    """Wait until all have taken effect; by how many seconds each was late."""
    plans = list(due)
    wait_until(
        lambda: (
            rows(whole, "SELECT count(*) FROM review_decision WHERE intent_plan_id = ANY(%s)", plans) == [(len(plans),)]
        ),
        within=PATIENCE_S,
        what="every held decision in effect",
    )
    question = (
        "SELECT intent_plan_id, extract(epoch FROM min(at))::float8 FROM review_decision"
        " WHERE intent_plan_id = ANY(%s) GROUP BY 1"
    )
    return [at - due[plan] for plan, at in rows(whole, question, plans)]


def first_starts(whole: Whole, plans: list[Written]) -> list[float]:
    """Wait until each has begun; how many seconds after its approval, by the database's clock."""
    goals = [int(plan.goal) for plan in plans]
    question = (
        "SELECT extract(epoch FROM min(attempt.started) - max(approval.at))::float8 FROM agents_attempt attempt"
        " JOIN agents_intent intent ON intent.id = attempt.intent_id"
        " JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id"
        " JOIN review_approval approval ON approval.intent_plan_id = plan.id"
        " WHERE plan.goal_id = ANY(%s) GROUP BY plan.id"
    )
    wait_until(lambda: len(rows(whole, question, goals)) == len(goals), within=PATIENCE_S, what="every plan begun")
    return [float(row[0]) for row in rows(whole, question, goals)]


def all_ended(whole: Whole, plans: list[Written]) -> None:
    """Wait until each has ended, and look that none of its steps ran twice."""
    for plan in plans:
        finished(whole, plan)
    at_most_once(whole, *(plan.goal for plan in plans))


def test_held_decisions_take_effect_behind_a_backlog_and_an_emptied_broker(
    system: Whole, book: Ledger, results: Results
) -> None:
    with results.case(f"{BACKLOG} goals wait and the broker is emptied while decisions are held") as case:
        plans = [written(system, book, "a") for _ in range(10)]
        submitted(system, BACKLOG)
        due = hold(system, plans)
        broker(system).flushall()
        case.landed = len(plans)
        late = late_by(system, due)
        starts = first_starts(system, plans)
        all_ended(system, plans)
        case.note = (
            f"in effect {max(late):.2f} s after they were due (longest), first step {max(starts):.2f} s after that"
        )
        assert max(late) <= EFFECT_S
        for _ in plans:
            case.held()


def test_a_host_that_dies_with_messages_delays_nothing(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("one of two worker hosts killed with messages prefetched, five times") as case:
        starts: list[float] = []
        for _ in range(5):
            with more_hands(system, 2) as second:
                plans = [written(system, book, "ab") for _ in range(4)]
                for plan in plans:
                    system.approve(plan.plan)
                family = [second, *children(second)]
                # At once, so that nothing of it can hand anything over.
                for pid in family:
                    end(pid)
                for pid in family:
                    gone(pid)
                case.landed += 1
                starts += first_starts(system, plans)
                all_ended(system, plans)
                case.held()
        case.note = f"first step {max(starts):.2f} s after the approval (longest)"
        assert max(starts) <= system.lease_s + TAKEOVER_S


def test_hosts_whose_clocks_differ_by_half_a_minute(
    system: Whole,
    book: Ledger,
    results: Results,
    faketime: Path,  # noqa: F811
) -> None:
    shifted = {"LD_PRELOAD": str(faketime), "FAKETIME": "+30s", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    with results.case("two hosts whose clocks are 30 s apart") as case, more_hands(system, 2, **shifted):
        plans = [written(system, book, "a") for _ in range(10)]
        late = late_by(system, hold(system, plans))
        starts = first_starts(system, plans)
        all_ended(system, plans)
        case.landed = len(plans)
        case.note = f"in effect {max(late):.2f} s after they were due, first step {max(starts):.2f} s after that"
        assert max(late) <= EFFECT_S
        for _ in plans:
            case.held()


def test_the_scheduler_is_killed_again_and_again(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("scheduler killed while decisions are held") as case:
        late: list[float] = []
        for _ in range(3):
            plans = [written(system, book, "a") for _ in range(3)]
            due = hold(system, plans)
            for pid in beside_worker("mindx-scheduler", *masters(system)):
                assert end(pid)
                gone(pid)
                case.landed += 1
            late += late_by(system, due)
            all_ended(system, plans)
            case.held()
        # Another one begins at once, and has the duties when the dead one's lease has run out.
        case.note = f"in effect {max(late):.2f} s after they were due (longest)"
        assert max(late) <= 6.0


def test_a_stopped_scheduler_is_replaced(system: Whole, book: Ledger, results: Results) -> None:
    with results.case("scheduler stopped (SIGSTOP): it is killed and replaced") as case:
        (pid,) = beside_worker("mindx-scheduler", *masters(system))
        with stopped(also=[pid]):
            os.kill(pid, signal.SIGSTOP)
            case.landed = 1
            plans = [written(system, book, "a")]
            late = late_by(system, hold(system, plans))
            gone(pid)
        all_ended(system, plans)
        case.note = f"in effect {max(late):.1f} s after it was due"
        case.held()


# -- with a model -------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def silent() -> Iterator[Provider]:
    """A provider that takes questions and says nothing."""
    for provider in serving():
        provider.will_say(hanging)
        yield provider


@pytest.fixture(scope="module")
def asking(silent: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """A mindX whose model is silent."""
    model = {"MINDX_MODEL": "openai/silent", "OPENAI_API_BASE": silent.address, "OPENAI_API_KEY": "none"}
    with started(tmp_path_factory.mktemp("silent") / "data", lease_s=2, **model) as found:
        yield found


def prepared_plans(whole: Whole, number: int) -> list[str]:
    """Goals whose plan a rule made, awaiting review."""
    goals = []
    for at in range(number):
        name = f"ready-{time.monotonic_ns()}-{at}"
        whole.api.post("workspaces", json={"name": name}).raise_for_status()
        asked = {"text": f"Create a Python project named ready{at}", "workspace": name, "priority": 1}
        goals.append(whole.api.post("goals", json=asked).raise_for_status().json()["id"])
    for goal in goals:
        whole.wait_for(goal, "awaiting_review", within=PATIENCE_S)
    return goals


def test_a_pool_that_is_stopped_while_a_model_is_asked_is_replaced(
    asking: Whole, silent: Provider, results: Results
) -> None:
    with results.case("SIGSTOP during a model's answer: the pool is replaced, and the model is asked again") as case:
        goal = asking.api.post("goals", json={"text": "Balance the books of the house"}).raise_for_status().json()["id"]
        question = "SELECT count(*) FROM library_modelcall WHERE goal = %s"
        wait_until(lambda: rows(asking, question, str(goal))[0][0] >= 1, within=PATIENCE_S, what="the model asked")
        (pid,) = beside_worker("mindx-pool", *masters(asking))
        with stopped(also=[pid]):
            os.kill(pid, signal.SIGSTOP)
            case.landed = 1
            gone(pid)
        wait_until(lambda: rows(asking, question, str(goal))[0][0] >= 2, within=PATIENCE_S, what="it is asked again")
        assert hands(*masters(asking)), "the worker's own processes live on"
        case.held()


def test_silent_models_hold_nobody_up(asking: Whole, silent: Provider, results: Results) -> None:
    with results.case("every place of the pool taken by a silent provider") as case:
        ready = prepared_plans(asking, 5)
        submitted(asking, 40, text="Reconcile the ledger of the year")
        wait_until(lambda: len(silent.asked) >= 16, within=PATIENCE_S, what="every place taken")
        case.landed = 16
        began = time.monotonic()
        later = prepared_plans(asking, 3)
        planned_s = time.monotonic() - began
        for goal in [*ready, *later]:
            number = asking.goal(goal)["intent_plan"]
            asking.approve(asking.api.get(f"intent-plans/{number}").raise_for_status().json())
        for goal in [*ready, *later]:
            asking.wait_for(goal, "achieved", within=PATIENCE_S)
        case.note = (
            f"three goals that a rule knows were planned within {planned_s:.1f} s, and eight plans ran to their end"
        )
        for _ in range(16):
            case.held()
