"""The laws of work under a lease, for every kind of it: one worker at a time, and no more than it may cost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from agents.models import (
    Agent,
    CandidateSearch,
    EnvironmentPolicy,
    EnvironmentRun,
    Goal,
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
Make = Callable[[], LeasedWork]


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
        if kind is McpServer:
            name = f"s{McpServer.objects.count()}"
            return {"name": name, "command": "python3 x", "added_by": operator, "asked_by": operator}
        agent = Agent.objects.get_or_create(name="worker")[0]
        if kind is ModularRun:
            files = Workspace.objects.create(name=f"w{Workspace.objects.count()}", owner=owner)
            return {"by": owner, "agent": agent, "workspace": files, "task": "task"}
        if kind is EnvironmentRun:
            return {"by": owner, "agent": agent, "environment": "e", "task": "t", "variation": 1}
        return {"environment": "e", "task": f"t{EnvironmentPolicy.objects.count()}", "by": operator, "episodes_left": 3}

    def made() -> LeasedWork:
        with transaction.atomic():
            row = kind._default_manager.create(**{**columns(), "state": kind.free.value})
            sealing.seal(row)
        return row

    return made


def begin(kind: type[LeasedWork]) -> LeasedWork | None:
    with transaction.atomic():
        return leased.begin(kind._default_manager.filter(leased.free(kind)).order_by("pk"))


def run_out(row: LeasedWork) -> None:
    """As if the worker that has it had died some time ago."""
    type(row)._default_manager.filter(pk=row.pk).update(lease_until="2020-01-01T00:00Z")


def test_there_are_kinds_and_each_table_has_its_states(kind: type[LeasedWork]) -> None:
    assert len(kinds()) >= 8
    assert RUNNING in kind.moves[kind.free], "what is free can be begun"
    assert RUNNING in kind.moves[RUNNING], "and begun again when its worker died"
    assert kind.given_up in kind.moves[RUNNING]


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
    late = begin(kind)
    assert late is not None
    run_out(late)
    now = begin(kind)
    assert now is not None
    assert (now.pk, now.lease_fence) == (late.pk, late.lease_fence + 1)
    assert (leased.renew(late), leased.is_ours(late)) == (False, False)
    leased.give_back(late)
    with pytest.raises(MoveRefused):
        leased.to(late, kind.given_up, reason="late")
    now.refresh_from_db()
    assert leased.is_ours(now)
    assert now.lease_until is not None
    assert now.lease_until > timezone.now(), "its lease is not the late one's to end"


def test_nobody_begins_what_a_worker_has_and_what_is_given_back_goes_on_at_once(
    kind: type[LeasedWork], make: Make
) -> None:
    make()
    row = begin(kind)
    assert row is not None
    assert begin(kind) is None
    assert leased.renew(row)
    leased.give_back(row)
    assert begin(kind) is not None


def test_what_costs_too_many_workers_is_given_up_with_the_reason(kind: type[LeasedWork], make: Make) -> None:
    made = make()
    for _ in range(kind.lost_most):
        row = begin(kind)
        assert row is not None, "it is retried until the limit"
        run_out(row)
    assert begin(kind) is None
    made.refresh_from_db()
    assert (made.state, made.reason) == (kind.given_up.value, f"{kind.lost_most} workers died while it ran")
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


def test_a_worker_that_dies_before_its_claim_is_stored_has_begun_nothing(kind: type[LeasedWork], make: Make) -> None:
    made = make()

    def dies() -> None:
        with transaction.atomic():
            assert leased.begin(kind._default_manager.filter(leased.free(kind))) is not None
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        dies()
    made.refresh_from_db()
    assert (made.state, made.lease_fence) == (kind.free.value, 0)


# A dry run is of a plan, which has a seal and a digest of its own.
@pytest.mark.parametrize("kind", [one for one in kinds() if one is not ShadowRun], indirect=True)
def test_what_was_forged_is_not_begun(kind: type[LeasedWork], make: Make, outsider: User) -> None:
    made = make()
    (who,) = {"by_id", "asked_by_id"} & set(sealing.fields_of(kind))
    forge(f"UPDATE {kind._meta.db_table} SET {who} = %s WHERE id = %s", outsider.pk, made.pk)
    assert begin(kind) is None
    made.refresh_from_db()
    assert made.state == kind.given_up.value
    assert "not as mindX stored it" in made.reason


def test_goals_have_a_lease_of_their_own() -> None:
    """Goal, plan and step keep the executor's one statement (`agents.record.lease`)."""
    assert not issubclass(Goal, LeasedWork)
