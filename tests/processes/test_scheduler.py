"""A duty is done again and again by whoever holds it, and outlives errors and outages."""

from __future__ import annotations

import threading

import pytest
from django.db import OperationalError

from agents.models import Duty
from agents.record import duties
from mindx_web.processes.duties import Duty as Task
from mindx_web.processes.duties import of_pool, of_scheduler
from mindx_web.processes.scheduler import Keeping
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def test_only_the_holder_does_it() -> None:
    done: list[str] = []

    def keeping(name: str) -> Keeping:
        return Keeping(Task("sweep", 1.0, lambda: done.append(name)), name, threading.Event())

    keeping("first").once()
    keeping("second").once()
    assert done == ["first"]
    Duty.objects.update(until="2020-01-01T00:00:00Z")
    keeping("second").once()
    assert done == ["first", "second"]


def test_it_comes_back_when_something_is_due_sooner() -> None:
    keeping = Keeping(Task("decisions", 1.0, lambda: None, lambda: 0.2), "a", threading.Event())
    assert 0.1 < keeping.once() <= 0.2


@pytest.mark.parametrize("error", [RuntimeError("a bug"), OperationalError("connection is lost")])
def test_an_error_ends_neither_the_thread_nor_the_duty(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindx_web.processes.scheduler._AGAIN_AFTER_AN_OUTAGE_S", 0.01)
    stop, tried = threading.Event(), list[int]()

    def do() -> None:
        tried.append(1)
        if len(tried) < 3:
            raise error
        stop.set()

    thread = threading.Thread(target=Keeping(Task("sweep", 0.01, do), "a", stop).run)
    thread.start()
    wait_until(stop.is_set, what="the duty done in the end")
    thread.join(10)
    assert len(tried) == 3


def test_every_duty_has_a_name_of_its_own() -> None:
    names = [duty.name for duty in (*of_scheduler(), *of_pool())]
    assert len(set(names)) == len(names)
    assert all(duty.every_s > 0 for duty in (*of_scheduler(), *of_pool()))
    assert duties.states(names) == {}
