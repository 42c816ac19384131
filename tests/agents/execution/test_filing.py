"""A step that ended is one report until it is filed: by the plan's end, its claim, the next worker, or the sweep."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.bdi.plans import document as documents
from agents.beliefs import grounds
from agents.cycle import cycle
from agents.execution import companion, database_outage, reconsidering
from agents.execution.watching import Watch
from agents.models import Agent, Attempt, Goal, IntentPlan, LogLine, StepReport, Workspace
from agents.plans import report_filing, reporting
from agents.plans.report_filing import Filer
from agents.plans.reporting import Done, Running, Said
from agents.record import logs
from agents.record.lease import Lease, LeaseLost, claim
from agents.record.logs import NewLine
from agents.record.statements import statement
from agents.states import GoalState, IntentState
from agents.workspaces import snapshot_references
from library import prepared
from mindx_web.backup import settling
from tests.agents.execution.conftest import run
from tests.agents.execution.taking import take_up
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
LS = {"tool": "simple_coder", "command": "ls", "params": {"path": "."}}
Approved = Callable[..., IntentPlan]
Until = Callable[..., None]


def _begun(plan: IntentPlan) -> tuple[Lease, IntentPlan, Running]:
    lease = claim(plan.goal_id)
    assert lease is not None
    taken = take_up(lease)
    assert taken is not None
    return lease, taken, reporting.begin(taken, lease, taken.position)


def _reported(plan: IntentPlan, steps: int) -> tuple[Lease, IntentPlan, Running]:
    """A claim that reported so many steps as ended and died before it filed them; the last try it began."""
    lease, taken, running = _begun(plan)
    for _ in range(steps):
        following = _report(taken, lease, running)
        assert following is not None
        running = following
    return lease, taken, running


def _report(plan: IntentPlan, lease: Lease, running: Running) -> Running | None:
    done = Done(IntentState.SUCCEEDED, {"status": "SUCCESS", "n": running.position}, running.before, {})
    said = Said([NewLine("x", "execute", f"end {running.position}")], [NewLine("x", "execute", "begin")])
    return reporting.advance(plan, lease, running, done, go_on=True, said=said)


def _died(goal_id: int) -> None:
    Goal.objects.filter(pk=goal_id).update(lease_until=timezone.now() - timedelta(seconds=1))


def _tries(plan: IntentPlan) -> list[tuple[int, str, bool]]:
    rows = Attempt.objects.filter(intent__intent_plan=plan).order_by("intent__position", "number")
    return [(one.intent.position, one.outcome, one.finished is not None) for one in rows.select_related("intent")]


def _states(plan: IntentPlan) -> list[str]:
    return [each.state for each in plan.intents.order_by("position")]


def test_what_was_reported_is_filed_whole(approved: Approved) -> None:
    plan = approved([LS] * 4)
    _, _, running = _reported(plan, 3)
    assert (_tries(plan), StepReport.objects.count()) == ([(1, "", False)], 3), "three rows and nothing else"
    report_filing.file(plan.pk, plan.goal_id)
    ended = [(position, "succeeded", True) for position in (1, 2, 3)]
    assert _tries(plan) == [*ended, (4, "", False)]
    assert _states(plan) == [IntentState.SUCCEEDED] * 3 + [IntentState.RUNNING]
    assert [each.result for each in plan.intents.order_by("position")[:3]] == [
        {"status": "SUCCESS", "n": number} for number in (1, 2, 3)
    ]
    assert Attempt.objects.get(finished=None).pk == running.attempt_id, "its number was given out before it was written"
    assert not StepReport.objects.exists()
    at = list(Attempt.objects.order_by("pk").values_list("started", "finished"))
    assert all(one[1] == other[0] for one, other in pairwise(at)), "at the moments it happened"


def test_a_result_that_is_filed_twice_or_in_parts_is_the_same(approved: Approved) -> None:
    plan = approved([LS] * 4)
    lease, taken, running = _reported(plan, 1)
    report_filing.file(plan.pk, plan.goal_id)
    report_filing.file(plan.pk, plan.goal_id)
    second = _report(taken, lease, running)
    assert second is not None
    report_filing.file(plan.pk, plan.goal_id)
    assert _tries(plan) == [(1, "succeeded", True), (2, "succeeded", True), (3, "", False)]
    lines = LogLine.objects.filter(goal=plan.goal_id, source="x").order_by("number")
    assert [line.text for line in lines] == ["end 1", "end 2"]


def test_a_dead_worker_leaves_its_reports_to_the_next(approved: Approved) -> None:
    plan = approved([LS] * 4)
    _reported(plan, 2)
    _died(plan.goal_id)
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert _tries(plan) == [
        (1, "succeeded", True),
        (2, "succeeded", True),
        (3, "lost", True),
        (3, "succeeded", True),
        (4, "succeeded", True),
    ]
    numbers = list(LogLine.objects.filter(goal=plan.goal_id).order_by("number").values_list("number", "at"))
    assert [number for number, _ in numbers] == list(range(1, len(numbers) + 1))
    assert [at for _, at in numbers] == sorted(at for _, at in numbers)


def test_the_worker_that_was_thought_dead_files_nothing_of_its_own(approved: Approved) -> None:
    plan = approved([LS] * 3)
    _reported(plan, 1)
    _died(plan.goal_id)
    cycle.work(plan.goal_id)
    before = (_tries(plan), _states(plan), LogLine.objects.count())
    late = Filer(plan.pk, plan.goal_id)
    late.reported()
    late.file()
    assert (_tries(plan), _states(plan), LogLine.objects.count()) == before


def test_of_two_who_file_at_once_the_second_sees_what_the_first_has_written(approved: Approved, until: Until) -> None:
    """The race: one has filed that a try began and not committed yet; the other files how that try ended."""
    plan = approved([LS] * 4)
    lease, taken, running = _reported(plan, 1)
    second = _in_thread(lambda: report_filing.file(plan.pk, plan.goal_id))
    with transaction.atomic():
        report_filing.file(plan.pk, plan.goal_id)
        second.start()
        until(_somebody_waits_for_a_lock, what="the second waiting for the first")
        assert _report(taken, lease, running) is not None
    second.join(timeout=45)
    assert _tries(plan) == [(1, "succeeded", True), (2, "succeeded", True), (3, "", False)]
    assert not StepReport.objects.exists()


def test_a_step_that_takes_its_time_is_seen_running(approved: Approved, until: Until) -> None:
    """The claim files beside its steps: nobody has to wait for a silent step's end to see that it began."""
    plan = approved([LS, run("sleep 60"), LS])
    worker = _in_thread(lambda: cycle.work(plan.goal_id))
    worker.start()
    is_seen = [IntentState.SUCCEEDED, IntentState.RUNNING]
    until(lambda: _states(plan)[:2] == is_seen, what="the second step seen running")
    assert _tries(plan)[1] == (2, "", False)
    IntentPlan.objects.filter(pk=plan.pk).update(cancel_requested=True)
    worker.join(timeout=45)
    assert not worker.is_alive()
    assert _tries(plan) == [(1, "succeeded", True), (2, "cancelled", True)]


def test_reports_that_nobody_takes_up_are_filed_by_the_sweep(approved: Approved) -> None:
    """Its worker died, and its agent is paused: no claim comes."""
    plan = approved([LS] * 3)
    _reported(plan, 1)
    _died(plan.goal_id)
    Agent.objects.update(paused=True)
    report_filing.sweep()
    assert StepReport.objects.count() == 1, "it is young: whoever reported it is most likely about to file it"
    StepReport.objects.update(at=timezone.now() - timedelta(seconds=report_filing.LEFT_BEHIND_S + 1))
    cycle.work(plan.goal_id)
    report_filing.sweep()
    assert not StepReport.objects.exists()
    assert _tries(plan) == [(1, "succeeded", True), (2, "", False)]


def test_files_of_a_report_are_kept_until_it_is_filed(approved: Approved) -> None:
    plan = approved([LS] * 2)
    lease, taken, running = _begun(plan)
    kept = "a" * 64
    done = Done(IntentState.SUCCEEDED, {}, kept, {})
    assert reporting.advance(taken, lease, running, done, go_on=True) is not None
    Workspace.objects.filter(pk=plan.workspace_id).update(head="b" * 64)
    assert kept in snapshot_references.needed_now()


def test_a_restored_dump_knows_what_was_reported(approved: Approved) -> None:
    plan = approved([LS] * 3)
    _reported(plan, 1)
    list(settling.settle("yesterday"))
    assert not StepReport.objects.exists()
    assert _tries(plan) == [(1, "succeeded", True), (2, "lost", True)]


def test_a_try_that_was_only_reported_is_closed_as_any_other(approved: Approved) -> None:
    """It has no row yet when its worker is told to stop, or loses the database."""
    told, away = approved([LS] * 3), approved([LS] * 3)
    lease, taken, running = _reported(told, 1)
    reporting.not_tried(taken, lease, running, "interrupted", "its worker was told to stop")
    assert _tries(told) == [(1, "succeeded", True), (2, "interrupted", True)]
    lease, _, _ = _reported(away, 1)
    database_outage.give_back(lease)
    assert _tries(away) == [(1, "succeeded", True), (2, "interrupted", True)]


def test_an_agent_that_looks_again_knows_the_steps_that_were_only_reported(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = approved([LS] * 3)
    _, taken, _ = _reported(plan, 2)
    seen: list[set[int]] = []
    monkeypatch.setattr(grounds, "standing_of", lambda _plan, _document, done: seen.append(done))
    document = documents.read(bytes(plan.document))
    reconsidering.Reconsiderer(taken, document, Watch(plan.goal_id, plan.pk))._standing_before(3)
    assert seen == [{1, 2}]


def test_what_a_program_printed_stands_behind_the_line_that_it_began(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it printed more than goes with its report, and was over before the companion looked."""
    plan = approved([LS] * 3)
    _reported(plan, 1)
    filer = Filer(plan.pk, plan.goal_id)
    filer.reported()
    beside = companion.Companion(
        plan.goal_id, renew=lambda: True, is_cancelled=lambda: False, before_writing=lambda wait: filer.file(wait=wait)
    )
    beside.output("stdout", b"x\n" * (companion.BATCH + 1))
    rest = beside.drain()
    assert 0 < len(rest) <= companion.BATCH
    lines = LogLine.objects.filter(goal=plan.goal_id).order_by("number").values_list("source", flat=True)
    assert list(lines).index("x") < list(lines).index("stdout")


def test_a_claim_that_cannot_file_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    filer, asked = Filer(1, 1), list[int]()

    def away(plan_id: int, goal_id: int, *, wait: bool) -> bool:
        asked.append(plan_id)
        if len(asked) == 1:
            raise DatabaseError("away")
        return wait

    monkeypatch.setattr(report_filing, "file", away)
    filer.file()
    assert asked == [], "nothing was reported"
    filer.reported()
    with pytest.raises(DatabaseError):
        filer.file()
    filer.file()
    filer.file()
    assert asked == [1, 1]


def test_who_asks_while_the_other_files_goes_on_when_that_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that refers to an earlier one must not read past what its companion is just filing."""
    filer, order = Filer(1, 1), list[str]()
    entered, go = threading.Event(), threading.Event()

    def slow(plan_id: int, goal_id: int, *, wait: bool) -> bool:
        entered.set()
        go.wait(45)
        order.append("filed")
        return wait

    def go_on() -> None:
        filer.file()
        order.append("went on")

    monkeypatch.setattr(report_filing, "file", slow)
    filer.reported()
    beside, worker = threading.Thread(target=filer.file), threading.Thread(target=go_on)
    beside.start()
    assert entered.wait(45)
    worker.start()
    worker.join(timeout=0.2)
    go.set()
    for thread in (beside, worker):
        thread.join(timeout=45)
    assert order == ["filed", "went on"]


def test_who_renews_the_lease_does_not_wait_for_the_worker_who_files(monkeypatch: pytest.MonkeyPatch) -> None:
    filer, filed = Filer(1, 1), list[bool]()
    entered, go = threading.Event(), threading.Event()

    def slow(plan_id: int, goal_id: int, *, wait: bool) -> bool:
        filed.append(wait)
        entered.set()
        return go.wait(45)

    monkeypatch.setattr(report_filing, "file", slow)
    filer.reported()
    worker = threading.Thread(target=filer.file)
    worker.start()
    assert entered.wait(45)
    filer.reported()
    beside = ThreadPoolExecutor(1)
    try:
        assert beside.submit(filer.file, wait=False).result(timeout=45) is False, "it did not wait"
        assert filed == [True], "nor did it file beside the other"
    finally:
        go.set()
        beside.shutdown()
        worker.join(timeout=45)
    assert filer.file(wait=False)
    assert filed == [True, False], "what was reported meanwhile is filed the next time"


def test_a_plan_that_cannot_be_filed_keeps_no_other_from_it(
    approved: Approved, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = [approved([LS] * 3), approved([LS] * 3)]
    for plan in plans:
        _reported(plan, 1)
    StepReport.objects.update(at=timezone.now() - timedelta(seconds=report_filing.LEFT_BEHIND_S + 1))
    real, tried = report_filing.file, list[int]()

    def refuse_the_first(plan_id: int, goal_id: int) -> None:
        tried.append(plan_id)
        if len(tried) == 1:
            raise DatabaseError("refused")
        real(plan_id, goal_id)

    monkeypatch.setattr(report_filing, "file", refuse_the_first)
    report_filing.sweep()
    assert list(StepReport.objects.values_list("intent_plan_id", flat=True)) == tried[:1]
    assert sorted(tried) == sorted(plan.pk for plan in plans)


def _in_thread(work: Callable[[], object]) -> threading.Thread:
    def closing() -> None:
        work()
        connection.close()

    return threading.Thread(target=closing)


def _somebody_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        return bool(cursor.fetchone()[0])


def test_who_renews_the_lease_does_not_wait_for_a_step_whose_statement_takes_long(
    approved: Callable[..., IntentPlan],
) -> None:
    plan = approved([LS, LS])
    lease, taken, running = _begun(plan)
    done = Done(IntentState.SUCCEEDED, {"status": "SUCCESS"}, running.before, {})
    reporting.advance(taken, lease, running, done, go_on=True)
    filer, found = Filer(plan.pk, plan.goal_id), list[bool]()
    filer.reported()

    def beat() -> None:
        found.append(filer.file(wait=False))
        connection.close()

    with transaction.atomic():
        IntentPlan.objects.select_for_update(no_key=True).get(pk=plan.pk)
        beside = threading.Thread(target=beat)
        beside.start()
        beside.join(timeout=45)
        assert found == [False], "it did not wait"
        assert StepReport.objects.count() == 1
    beat()
    assert found == [False, True], "and it is still to be done"
    assert not StepReport.objects.exists()


def test_a_person_who_wrote_a_line_and_then_needs_the_plan_is_not_deadlocked_with_who_files(
    approved: Callable[..., IntentPlan],
) -> None:
    plan = approved([LS, LS])
    _reported(plan, 1)
    filer, said = Filer(plan.pk, plan.goal_id), list[bool]()
    filer.reported()
    worker = _in_thread(lambda: said.append(filer.file()))
    beside = _in_thread(lambda: said.append(filer.file(wait=False)))
    with transaction.atomic():
        Goal.objects.select_for_update(no_key=True).get(pk=plan.goal_id)
        logs.say(plan.goal_id, "person", "revise", "takes back what was so")
        beside.start()
        beside.join(timeout=45)
        assert said == [False], "who renews the lease waits for nobody's line either"
        worker.start()
        wait_until(_somebody_waits_for_a_lock)
        IntentPlan.objects.select_for_update(no_key=True, nowait=True).get(pk=plan.pk)
    worker.join(timeout=45)
    assert said == [False, True]
    assert not StepReport.objects.exists()


def test_a_late_end_files_nothing_of_what_its_successor_reports(approved: Callable[..., IntentPlan]) -> None:
    """It locks no row, so it would see half of what another is about to file."""
    plan = approved([LS])
    lease, taken, running = _begun(plan)
    _report(taken, lease, running)
    Goal.objects.filter(pk=plan.goal_id).update(lease_fence=lease.fence + 1)
    IntentPlan.objects.filter(pk=plan.pk).update(fence=lease.fence + 1)
    done = Done(IntentState.SUCCEEDED, {"status": "SUCCESS"}, running.before, {})
    goal = {"goal_state": "achieved", "goal_reason": "", "goal_ends": True, "goal_outcome": "", "check_results": "[]"}
    with pytest.raises(LeaseLost):
        reporting.complete(taken, lease, running, done, [], goal)
    assert StepReport.objects.count() == 1


def test_behind_the_plans_end_nobody_files_again_though_who_filed_beside_it_could_not(approved: Approved) -> None:
    """The race: it found the rows locked by the statement that ends the plan, and says so after that was done."""
    plan = approved([LS])
    filer = Filer(plan.pk, plan.goal_id)
    filer.reported()
    filer.filed()
    filer.reported()  # as the other thread leaves it
    with CaptureQueriesContext(connection) as asked:
        assert filer.file()
    assert len(asked) == 0


def test_an_emptied_table_is_not_taken_for_a_short_one(approved: Approved) -> None:
    """A plan that was made while it is empty is used while thousands of rows come and go."""
    plan = approved([LS])
    told = {"attempt": 0, "outcome": "succeeded", "reason": "", "after": "", "fence": 1, "worker": "", "begins": "[]"}
    at = timezone.now()
    StepReport.objects.bulk_create(
        StepReport(intent_plan=plan, position=one, said="x" * 1_500, at=at, **told) for one in range(200)
    )
    StepReport.objects.all().delete()
    text, names = prepared._numbered(statement("file"))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE agents_stepreport")
        cursor.execute("SET plan_cache_mode = force_generic_plan")
        try:
            cursor.execute(f"PREPARE to_file ({', '.join(['bigint'] * len(names))}) AS {text}")
            cursor.execute(f"EXPLAIN EXECUTE to_file ({', '.join(['0'] * len(names))})")
            shown = "\n".join(line for (line,) in cursor.fetchall())
        finally:
            cursor.execute("RESET plan_cache_mode")
            cursor.execute("DEALLOCATE ALL")
    assert "Scan using agents_stepreport_pkey" in shown, shown
