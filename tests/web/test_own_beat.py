"""A worker's own sweeps: beat's own tasks, each in its time, and none that a dead broker could stop for good."""

from __future__ import annotations

import pytest
from celery import current_app

from mindx_web.celery import app
from mindx_web.operations import own_beat
from mindx_web.operations.own_beat import Due


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, **_: names.append(name))
    return names


def test_every_task_of_its_table_is_one_of_beats() -> None:
    app.finalize()
    app.loader.import_default_modules()
    of_beat = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {one.task for one in own_beat.table()} <= of_beat


def test_each_is_asked_for_when_its_time_has_come_and_not_before(sent: list[str]) -> None:
    due = [Due("often", 2), Due("seldom", 10)]
    for now in range(13):
        own_beat.ask(due, float(now))
    assert sent == ["often", "seldom", *["often"] * 4, "often", "seldom", "often"]


def test_a_broker_that_is_away_is_asked_again(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object, **__: object) -> None:
        raise ConnectionError("away")

    due = [Due("often", 2)]
    with monkeypatch.context() as patch:
        patch.setattr(current_app, "send_task", away)
        own_beat.ask(due, 0)
    own_beat.ask(due, 2)
    assert sent == ["often"]
