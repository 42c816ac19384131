"""The laws of work under a lease, for every kind of it: one worker at a time, and no more than it may cost."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from agents.bus import answering, moves
from agents.bus.requests import digest_of
from agents.models import (
    Agent,
    BusRequest,
    CandidateSearch,
    CardReading,
    EnvironmentPolicy,
    EnvironmentRun,
    Goal,
    HandCommand,
    McpServer,
    ModularRun,
    Replay,
    ShadowRun,
    ToolCheck,
    Workspace,
)
from agents.models.leased import RUNNING, LeasedWork
from agents.record import leased
from agents.states import MoveRefused
from library.components import services as library
from people import sealing
from people.models import User
from tests.forging import forge
from tests.review.plans import goal_of, proposed, step

pytestmark = pytest.mark.django_db(transaction=True)
Make = Callable[..., LeasedWork]


def kinds() -> list[type[LeasedWork]]:
    def below(kind: type[LeasedWork]) -> Iterator[type[LeasedWork]]:
        for one in kind.__subclasses__():
            yield from below(one) if one._meta.abstract else [one]

    # Its own columns are abstract, and it is asked for its subclasses only.
    return sorted(below(LeasedWork), key=lambda kind: kind.__name__)  # type: ignore[type-abstract]


@pytest.fixture(params=kinds(), ids=lambda kind: kind.__name__)
def kind(request: pytest.FixtureRequest) -> type[LeasedWork]:
    found: type[LeasedWork] = request.param
    return found


@pytest.fixture
def make(kind: type[LeasedWork], owner: User, operator: User) -> Make:
    """`make()`: a row that any worker may begin, asked for by a person."""

    def columns() -> dict[str, Any]:
        if kind is ShadowRun:
            plan = proposed(goal_of(owner), [step("ls", path=".")])
            plan.shadow_runs.all().delete()
            return {"intent_plan": plan, "number": 1}
        if kind in (Replay, CandidateSearch, ToolCheck):
            first = library.publish("prompt", f"p{timezone.now().timestamp()}", "one", by=operator, status="active")
            if kind is CandidateSearch:
                return {"parent": first, "by": operator, "why": "why", "most_texts": 2}
            if kind is ToolCheck:
                return {"version": first, "by": operator}
            second = library.publish("prompt", first.component.name, "two", by=operator)
            return {"version": second, "parent": first, "by": operator}
        if kind is CardReading:
            return {"by": operator, "address": "https://agents.example.org/card.json"}
        if kind is McpServer:
            name = f"s{McpServer.objects.count()}"
            return {"name": name, "command": "python3 x", "added_by": operator, "asked_by": operator}
        if kind is HandCommand:
            goal = goal_of(owner)
            goal.workspace = Workspace.objects.create(name=f"w{Workspace.objects.count()}", owner=owner)
            goal.save()
            typed = {"by": owner, "goal": goal, "workspace": goal.workspace, "text": "ls", "command": "ls"}
            return typed | {"params": {}, "limits": {}, "session_before": {}, "snapshot_before": ""}
        if kind is BusRequest:
            return {"by": owner, "capability": "say", "digest": digest_of("say", "", {})}
        agent = Agent.objects.get_or_create(name="worker")[0]
        if kind is ModularRun:
            files = Workspace.objects.create(name=f"w{Workspace.objects.count()}", owner=owner)
            return {"by": owner, "agent": agent, "workspace": files, "task": "task"}
        if kind is EnvironmentRun:
            return {"by": owner, "agent": agent, "environment": "e", "task": "t", "variation": 1}
        return {"environment": "e", "task": f"t{EnvironmentPolicy.objects.count()}", "by": operator, "episodes_left": 3}

    def made(*, is_sealed: bool = True) -> LeasedWork:
        with transaction.atomic():
            row = kind._default_manager.create(**{**columns(), "state": kind.free.value})
            if is_sealed:
                sealing.seal(row)
        return row

    return made


def begin(kind: type[LeasedWork]) -> LeasedWork | None:
    if kind is BusRequest:  # by statements of its own
        claimed = moves.claim()
        return claimed.request if claimed is not None and not answering.is_refused(claimed) else None
    with transaction.atomic():
        return leased.begin(kind._default_manager.filter(leased.free(kind)).order_by("pk"))


def limit(kind: type[LeasedWork]) -> int:
    """How many workers it may cost."""
    return kind.lost_most if RUNNING in kind.moves[RUNNING] else 1


def begun(kind: type[LeasedWork]) -> LeasedWork:
    row = begin(kind)
    assert row is not None
    return row


def run_out(row: LeasedWork) -> None:
    """As if the worker that has it had died some time ago."""
    type(row)._default_manager.filter(pk=row.pk).update(lease_until="2020-01-01T00:00Z")


def test_there_are_kinds_and_each_table_has_its_states(kind: type[LeasedWork]) -> None:
    assert len(kinds()) >= 11
    assert RUNNING in kind.moves[kind.free], "what is free can be begun"
    assert kind.given_up in kind.moves[RUNNING]
    assert (RUNNING in kind.moves[RUNNING]) == (kind is not HandCommand), "what people typed runs at most once"
    assert all(targets <= set(kind.moves) for targets in kind.moves.values())


def test_two_workers_never_have_the_same_row(kind: type[LeasedWork], make: Make) -> None:
    rows = {make().pk, make().pk}
    begun: list[int | None] = []
    together = threading.Barrier(4)

    def claims() -> None:
        together.wait()
        row = begin(kind)
        begun.append(row.pk if row else None)
        connection.close()

    workers = [threading.Thread(target=claims) for _ in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert {one for one in begun if one} <= rows
    had = [one for one in begun if one]
    assert len(had) == len(set(had)), "each by one"
    while (row := begin(kind)) is not None:
        had.append(row.pk)
    assert sorted(had) == sorted(rows), "none is left over"


def test_a_late_worker_changes_nothing(kind: type[LeasedWork], make: Make) -> None:
    make()
    late = begun(kind)
    run_out(late)
    now = begin(kind)
    assert (now is None) == (limit(kind) == 1)
    changes_nothing(late)
    if now is not None:
        assert (now.pk, now.lease_fence) == (late.pk, late.lease_fence + 1)
        assert leased.is_ours(now)


def changes_nothing(late: LeasedWork) -> None:
    """Whatever a worker does that has it no longer."""
    rows = type(late)._default_manager.filter(pk=late.pk)
    before = rows.values().get()
    assert (leased.renew(late), leased.is_ours(late)) == (False, False)
    leased.give_back(late)
    for new in late.moves[RUNNING]:
        with pytest.raises(MoveRefused):
            leased.to(late, new, reason="late")
    assert rows.values().get() == before


def test_whoever_ends_it_in_whatever_state_is_heeded_by_the_worker_that_has_it(
    kind: type[LeasedWork], make: Make
) -> None:
    """Cancelled, stopped, asked for again, given up: each from where it is free, and from where it runs."""
    for new in kind.moves[RUNNING] - {RUNNING}:
        make()
        row = begun(kind)
        leased.to(kind._default_manager.get(pk=row.pk), new, reason="a person")
        changes_nothing(row)
        kind._default_manager.filter(pk=row.pk).delete()
    for new in kind.moves[kind.free] - {RUNNING, kind.free}:
        seen = make()
        leased.to(kind._default_manager.get(pk=seen.pk), new, reason="a person")
        assert begin(kind) is None
        with pytest.raises(MoveRefused):
            leased.to(seen, RUNNING)
        kind._default_manager.filter(pk=seen.pk).delete()


@pytest.mark.parametrize("hours", [1, -1], ids=["ahead", "behind"])
def test_a_worker_whose_clock_jumps_takes_nothing_and_keeps_what_it_has(
    kind: type[LeasedWork], make: Make, hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leases go by the database's clock."""
    make()
    row = begun(kind)
    clock = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: clock() + timedelta(hours=hours))
    assert begin(kind) is None
    assert leased.renew(row)
    row.refresh_from_db()
    assert row.lease_until is not None
    assert timedelta() < row.lease_until - clock() < timedelta(seconds=settings.LEASE_S + 60)
    run_out(row)
    assert (begin(kind) is None) == (limit(kind) == 1)


def test_nobody_begins_what_a_worker_has_and_what_is_given_back_goes_on_at_once(
    kind: type[LeasedWork], make: Make
) -> None:
    make()
    row = begin(kind)
    assert row is not None
    assert begin(kind) is None
    assert leased.renew(row)
    leased.give_back(row)
    assert (begin(kind) is None) == (limit(kind) == 1)


def test_what_costs_too_many_workers_is_given_up_with_the_reason(kind: type[LeasedWork], make: Make) -> None:
    made = make()
    for _ in range(limit(kind)):
        run_out(begun(kind))
    assert begin(kind) is None
    made.refresh_from_db()
    why = kind.lost_words.format(lost=limit(kind)) if limit(kind) > 1 else "its worker died while it ran"
    assert (made.state, made.reason) == (kind.given_up.value, why)
    assert made.lease_until is None


def test_a_move_that_the_table_does_not_have_is_refused(kind: type[LeasedWork], make: Make) -> None:
    make()
    row = begin(kind)
    assert row is not None
    for new in set(kind.moves) - set(kind.moves[RUNNING]):
        with pytest.raises(MoveRefused):
            leased.to(row, new)
    row.refresh_from_db()
    assert row.state == RUNNING


@pytest.mark.parametrize("is_last", [False, True], ids=["begins", "gives up"])
def test_a_worker_that_is_killed_at_any_write_of_its_claim_has_changed_nothing(
    kind: type[LeasedWork], make: Make, is_last: bool
) -> None:
    rows = kind._default_manager.filter(pk=make().pk)
    for _ in range(limit(kind) if is_last else 0):
        run_out(begun(kind))
    before = rows.values().get()
    for writes in range(1, 10):
        try:
            with transaction.atomic(), killed_at(writes):
                begin(kind)
        except Killed:
            assert rows.values().get() == before
        else:
            break
    assert writes > 1, "it was killed at least once"
    assert rows.values().get()["state"] == (kind.given_up if is_last else RUNNING)


class Killed(Exception):
    pass


@contextmanager
def killed_at(write: int) -> Iterator[None]:
    """The worker dies when it has made so many writes."""
    left = [write]

    def run(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        done = execute(sql, params, many, context)
        if re.match(r"\s*(UPDATE|INSERT|WITH)", sql):
            left[0] -= 1
            if not left[0]:
                raise Killed
        return done

    with connection.execute_wrapper(run):
        yield


@pytest.mark.parametrize("kind", [one for one in kinds() if one.is_sealed_when_asked], indirect=True)
def test_what_nobody_sealed_is_not_begun(kind: type[LeasedWork], make: Make) -> None:
    given_up_as_forged(kind, make(is_sealed=False))


def given_up_as_forged(kind: type[LeasedWork], made: LeasedWork) -> None:
    assert begin(kind) is None
    made.refresh_from_db()
    assert made.state == kind.given_up.value
    assert re.search("not as mindX stored it|not what was asked", made.reason)


# A dry run is of a plan, which has a seal and a digest of its own. A trigger keeps what was typed.
@pytest.mark.parametrize("kind", [one for one in kinds() if one not in (ShadowRun, HandCommand)], indirect=True)
def test_what_was_forged_is_not_begun(kind: type[LeasedWork], make: Make, outsider: User) -> None:
    made = make()
    (who,) = {"by_id", "asked_by_id"} & set(sealing.fields_of(kind))
    forge(f"UPDATE {kind._meta.db_table} SET {who} = %s WHERE id = %s", outsider.pk, made.pk)
    given_up_as_forged(kind, made)


def test_work_that_is_said_to_run_already_is_begun_by_none_for_longer_than_a_lease(
    kind: type[LeasedWork], make: Make
) -> None:
    """Somebody with the application's role sets the state; nothing is done twice that runs once."""
    made = make()
    forge(
        f"UPDATE {kind._meta.db_table} SET state = 'running', lease_until = '2020-01-01T00:00Z' WHERE id = %s", made.pk
    )
    assert (begin(kind) is None) == (limit(kind) == 1)


def test_goals_have_a_lease_of_their_own() -> None:
    """Goal, plan and step keep the executor's one statement (`agents.record.lease`)."""
    assert not issubclass(Goal, LeasedWork)
