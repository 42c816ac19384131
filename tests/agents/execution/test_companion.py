"""When a claim gets a thread beside it: not when it is over within a moment, at once when a program says something."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from agents.execution import companion as companions
from agents.execution.companion import Companion
from agents.record import logs
from agents.record.logs import NewLine
from tests.waiting import wait_until

LONG_S = 3600.0


class Claim:
    """A companion, and what it did."""

    def __init__(self) -> None:
        self.renewed = 0
        self.companion = Companion(1, renew=self._renew, is_cancelled=lambda: False)
        self.companion._renew_every_s = 0.01

    def _renew(self) -> bool:
        self.renewed += 1
        return True

    def is_renewed(self) -> bool:
        return self.renewed > 0


@pytest.fixture
def attendants(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], companions._Attendants]:
    """Others than those of this process, who look as often as is said."""

    def look_every(seconds: float) -> companions._Attendants:
        monkeypatch.setattr(companions, "ALONE_S", seconds)
        made = companions._Attendants()
        monkeypatch.setattr(companions, "_attendants", made)
        return made

    return look_every


def test_a_claim_that_is_over_within_a_moment_gets_no_thread(
    attendants: Callable[[float], companions._Attendants],
) -> None:
    made, claim = attendants(LONG_S), Claim()
    with claim.companion:
        pass
    made.begin(claim.companion)  # who looked a moment before it ended
    assert claim.companion._running is None
    assert not made._alone


def test_a_claim_that_lasts_gets_one(
    attendants: Callable[[float], companions._Attendants], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, claim = attendants(0.005), Claim()
    begun, submit = list[bool](), made._threads.submit

    def counted(run: Callable[[], None]) -> Future[None]:
        begun.append(True)
        return submit(run)

    monkeypatch.setattr(made._threads, "submit", counted)
    with claim.companion:
        wait_until(lambda: claim.renewed >= 3, what="the lease renewed three times")
    assert begun == [True], "and no other one however often somebody looks"


def test_what_a_program_says_is_not_kept_waiting_for_it(
    attendants: Callable[[float], companions._Attendants], monkeypatch: pytest.MonkeyPatch
) -> None:
    attendants(LONG_S)
    written: list[str] = []

    def write(goal_id: int, lines: list[NewLine]) -> None:
        written.extend(line.text for line in lines)

    monkeypatch.setattr(logs, "write", write)
    with Claim().companion as companion:
        companion.output("stdout", b"here\n")
        wait_until(lambda: written == ["here"], what="the line written while the program runs")


def test_between_claims_nobody_looks_and_the_next_one_gets_its_thread(
    attendants: Callable[[float], companions._Attendants],
) -> None:
    made = attendants(0.005)
    for _ in range(2):
        claim = Claim()
        with claim.companion:
            wait_until(claim.is_renewed, what="the lease renewed")
        wait_until(lambda: not made._is_looking, what="nobody looking any more")


def test_a_claim_for_which_no_thread_could_be_had_gets_the_next_one(
    attendants: Callable[[float], companions._Attendants],
) -> None:
    made, claim = attendants(0.005), Claim()
    threads, refused = made._threads, list[bool]()

    class Short:
        def submit(self, run: Callable[[], None]) -> Future[Any]:
            if not refused:
                refused.append(True)
                raise RuntimeError("can't start new thread")
            return threads.submit(run)

    made._threads = Short()  # type: ignore[assignment]  # as far as it is asked
    with claim.companion:
        wait_until(claim.is_renewed, what="the lease renewed")
    assert refused
