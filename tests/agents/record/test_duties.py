"""One process of all does a duty: a lease by the database's clock."""

from __future__ import annotations

import pytest

from agents.models import Duty
from agents.record import duties

pytestmark = pytest.mark.django_db


def test_one_holds_it_and_another_only_after_its_lease() -> None:
    assert duties.hold("sweep", "a")
    assert duties.hold("sweep", "a"), "it is kept"
    assert not duties.hold("sweep", "b")
    Duty.objects.update(until="2020-01-01T00:00:00Z")
    assert duties.hold("sweep", "b")
    assert not duties.hold("sweep", "a"), "one that was stopped and wakes up has lost it"


def test_what_is_given_up_is_free_at_once() -> None:
    duties.hold("sweep", "a")
    duties.hold("decisions", "b")
    duties.release("a")
    assert duties.hold("sweep", "b")
    assert not duties.hold("decisions", "a")


def test_when_it_was_done_last_is_known() -> None:
    assert duties.states(["sweep"]) == {}
    duties.hold("sweep", "a")
    assert duties.states(["sweep"])["sweep"].since_s is None
    duties.done("sweep", took_ms=7)
    state = duties.states(["sweep", "audit"])["sweep"]
    assert (state.holder, state.took_ms) == ("a", 7)
    assert state.since_s is not None
    assert state.since_s < 60
