"""A missing value that the real client of a model finds in the goal's own words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.models import Goal, LogLine, ParameterSettings
from agents.toolkit.registry import REGISTRY
from agents.understanding import extraction
from people.models import User
from tests.models.server import Provider

pytestmark = pytest.mark.django_db(transaction=True)


def _worked(goal: Goal) -> Goal:
    cycle.work(goal.pk)
    return Goal.objects.get(pk=goal.pk)


def test_a_model_gives_a_missing_value_with_the_words_it_took_it_from(
    provider: Provider, owner: User, make_goal: Callable[..., Goal]
) -> None:
    provider.will_say(json.dumps({"message": {"value": "everything", "quote": "everything"}}))
    goal = _worked(make_goal(owner, "commit everything"))
    spec = documents.read(bytes(goal.intent_plans.get().document)).at(1)
    (message,) = [one for one in spec.parameters if one.name == "message"]
    assert (message.value, message.origin, message.span) == ("everything", "model", (7, 17))
    assert provider.asked[0]["temperature"] == 0.0
    said = list(LogLine.objects.filter(goal=goal).order_by("number").values_list("text", flat=True))
    assert "openai/test-model is asked what the goal says of message" in said


def test_a_secret_is_found_by_its_mark_and_never_sent(
    provider: Provider, owner: User, make_goal: Callable[..., Goal]
) -> None:
    token = "ghp_" + "a1B2" * 9

    def reply(asked: Any) -> None:
        mark = re.search(r"MASKED_SECRET_[0-9a-f]{8}", asked.server.asked[-1]["messages"][1]["content"])
        assert mark is not None
        asked.stream(json.dumps({"message": {"value": mark[0], "quote": f"everything {mark[0]}"}}))

    provider.will_say(reply)
    goal = make_goal(owner, f"commit everything {token}")
    found = extraction.values_for(goal, REGISTRY.command("git_tool", "commit"), ["message"])
    assert found.params["message"].value == token
    assert token not in json.dumps(provider.asked)
    lines = LogLine.objects.filter(goal=goal).values_list("text", flat=True)
    assert any("is hidden from the model (GitHub token)" in line for line in lines)


def test_the_stage_switched_off_asks_no_model_for_values(
    provider: Provider, owner: User, make_goal: Callable[..., Goal]
) -> None:
    ParameterSettings.objects.create(use_llm_extraction=False)
    provider.will_say("Certainly!")
    _worked(make_goal(owner, "commit everything"))
    assert all("parameters" not in asked["messages"][-1]["content"][:300] for asked in provider.asked)
