"""The benchmark of modular agents sees what it is there to see."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.modular import kills, ours
from people.models import User
from tests.models.conftest import provider as provider
from tests.models.server import Provider

STEP = {
    "number": 3,
    "now": "2026-01-01T00:00:00+00:00",
    "head": {"at": 2, "usage": {"tokens": 40, "cost": "0.1", "time_s": 1.5}, "next_step": {"module_type": "actor"}},
    "nodes": [
        {"id": 2, "at": "2026-01-01T00:00:00+00:00", "message": {"content": '{"duration_s": 0.25, "text": "a"}'}}
    ],
}


def _changed(change: Callable[[Any], None]) -> Any:
    again = copy.deepcopy(STEP)
    change(again)
    return kills.compared(again)


@pytest.mark.parametrize(
    "change",
    [
        lambda step: step["head"].update(at=1),
        lambda step: step["head"]["usage"].update(tokens=41),
        lambda step: step["head"]["next_step"].update(module_type="prompter"),
        lambda step: step["nodes"][0]["message"].update(content='{"duration_s": 0.25, "text": "b"}'),
        lambda step: step["nodes"].append(step["nodes"][0]),
    ],
    ids=["the present node", "the tokens counted", "what comes next", "what a tool answered", "a node more"],
)
def test_a_run_that_went_another_way_differs(change: Callable[[Any], None]) -> None:
    assert _changed(change) != kills.compared(STEP)


def test_moments_and_durations_do_not_make_a_difference() -> None:
    def later(step: Any) -> None:
        step["now"] = step["nodes"][0]["at"] = "2026-01-02T00:00:00+00:00"
        step["head"]["usage"]["time_s"] = 9.0
        step["nodes"][0]["message"]["content"] = '{"duration_s": 7.5e-05, "text": "a"}'

    assert _changed(later) == kills.compared(STEP)


@pytest.mark.django_db(transaction=True)
def test_steps_are_measured_without_the_model(provider: Provider, owner: User) -> None:
    provider.will_say(lambda one: one.stream(ours.says(len(one.server.asked))))
    run = ours.prepared(4, "aware", owner)
    found = ours.stepped(run, 9, by=owner)
    assert (len(found.cold), len(found.warm), len(found.cpu)) == (1, 8, 8)
    assert min(found.warm) > 0
    run.refresh_from_db()
    assert (run.at_step, run.nodes.count() > 4) == (10, True)
    assert provider.asked, "a generator's step was among them"
