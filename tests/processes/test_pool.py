"""Places of the background pool: so many at once, no row twice, and an error costs one row its turn and no more."""

from __future__ import annotations

import threading

import pytest

from mindx_web.processes.pool import Kind, Pool, kinds
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


class Work:
    """Work that lasts until it is let go."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.go = threading.Event()

    def __call__(self, number: int) -> None:
        self.begun.append(number)
        self.go.wait(30)


def test_no_more_than_its_places_and_the_rest_in_order() -> None:
    work = Work()
    pool = Pool([Kind("goal", 2, work)])
    for number in range(1, 6):
        pool.tell(f"goal {number}")
    wait_until(lambda: pool.running() == 2, what="both places taken")
    assert sorted(work.begun) == [1, 2]
    work.go.set()
    wait_until(lambda: not pool.running() and len(work.begun) == 5, what="the others")
    assert sorted(work.begun) == [1, 2, 3, 4, 5]


def test_full_places_of_one_kind_keep_no_other_waiting() -> None:
    silent, quick = Work(), Work()
    quick.go.set()
    pool = Pool([Kind("goal", 1, silent), Kind("delivery", 1, quick)])
    pool.tell("goal 1")
    pool.tell("goal 2")
    pool.tell("delivery 7")
    wait_until(lambda: quick.begun == [7], what="the delivery")
    silent.go.set()


def test_a_row_that_waits_already_is_not_taken_twice_and_one_under_way_is_looked_at_again() -> None:
    work = Work()
    pool = Pool([Kind("goal", 1, work)])
    pool.tell("goal 1")
    wait_until(lambda: work.begun == [1], what="the first")
    for _ in range(5):
        pool.tell("goal 1")
    work.go.set()
    wait_until(lambda: not pool.running() and len(work.begun) == 2, what="once more")
    assert work.begun == [1, 1]


def test_an_error_ends_no_place(caplog: pytest.LogCaptureFixture) -> None:
    done: list[int] = []

    def work(number: int) -> None:
        if number == 1:
            raise RuntimeError("a bug")
        done.append(number)

    pool = Pool([Kind("goal", 1, work)])
    pool.tell("goal 1")
    pool.tell("goal 2")
    wait_until(lambda: done == [2], what="the next one")
    assert "Work of the kind goal ended" in caplog.text


@pytest.mark.parametrize("payload", ["", "goal", "goal x", "goal -1", "goal ٣", "rm 1", "goal 1 2", "goal " + "9" * 40])
def test_what_else_is_sent_to_the_channel_is_forgotten(payload: str) -> None:
    work = Work()
    work.go.set()
    pool = Pool([Kind("goal", 1, work)])
    pool.tell(payload)
    assert not pool.running()
    assert work.begun == []


def test_each_kind_that_is_woken_has_places() -> None:
    names = {kind.name for kind in kinds()}
    woken = {"goal", "request", "modular", "search", "replay", "environment_run", "training", "tool_check"}
    assert names == woken | {"mcp_listing", "delivery", "card"}
    assert all(kind.most >= 1 for kind in kinds())


def test_what_finds_no_room_to_wait_is_left_to_the_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindx_web.processes.pool.WAITING_MAX", 2)
    work = Work()
    pool = Pool([Kind("goal", 1, work)])
    pool.tell("goal 1")
    wait_until(lambda: work.begun == [1], what="the first")
    for number in range(2, 6):
        pool.tell(f"goal {number}")
    work.go.set()
    wait_until(lambda: not pool.running() and len(work.begun) >= 3, what="those that had room")
    assert work.begun == [1, 2, 3]
