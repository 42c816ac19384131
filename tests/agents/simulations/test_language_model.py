"""A language model as fallback of a run: asked once for each action, also where another worker goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.models import EnvironmentAction, EnvironmentRun
from library.models import ModelCall
from tests.agents.simulations.test_runs import acted, again, dies_before, lose_the_worker
from tests.models.conftest import provider as provider
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_replay_asks_for_nothing_that_was_answered(
    provider: Provider, started: Callable[..., EnvironmentRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reply(asked: Any) -> None:
        actions = json.loads(asked.server.asked[-1]["messages"][-1]["content"])["actions"]
        wanted = ("put key in box", "take key", "go to kitchen")
        number = next(number for want in wanted for number, action in actions.items() if action == want)
        asked.stream(json.dumps({"action": int(number)}))

    provider.will_say(reply)
    run = started(variation=9, share=0, fallback="language_model")
    with monkeypatch.context() as patch:
        dies_before(3, patch)
        with pytest.raises(KeyboardInterrupt):
            again(run)
    lose_the_worker(run)
    again(run)
    assert (run.outcome, run.score) == ("over", 1.0)
    assert acted(run) == ["take key", "go to kitchen", "put key in box"]
    assert set(EnvironmentAction.objects.filter(run=run).values_list("by", flat=True)) == {"language_model"}
    # Three actions, of which the third was chosen twice: its first answer died with the worker.
    assert ModelCall.objects.filter(purpose="environment_action").count() == 4
