"""What rules cover: past goals planned again for whoever may see them, and how firmly rules really held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.cycle import cycle
from agents.insights import rule_health
from agents.models import Goal, Plan
from agents.tuning.trials import Clock
from library.components import services
from library.models import ComponentVersion
from people.models import User
from tests.library.vectors import install
from tests.web.test_rules import GREET, ClientOf, text_of, words_of

pytestmark = pytest.mark.django_db(transaction=True)
WAVE = "RULE wave\nIF your task is to greet {name}\nTHEN: create the folder wave\n"
NEVER = "RULE never\nIF your task is to paint {name}\nTHEN: create the folder {name}\n"


@pytest.fixture
def library(operator: User, monkeypatch: pytest.MonkeyPatch) -> ComponentVersion:
    install(monkeypatch)
    versions = [
        services.publish("rule", name, body, by=operator, status="active")
        for name, body in (("greet somebody", GREET), ("wave", WAVE), ("never", NEVER))
    ]
    return versions[0]


def planned(goal: Goal) -> Goal:
    cycle.one(goal.pk)
    return Goal.objects.get(pk=goal.pk)


def test_served_goals_unserved_ones_and_rules_that_quarrel_are_shown(
    library: ComponentVersion, owner: User, make_goal: Callable[..., Goal], client_of: ClientOf
) -> None:
    goals = [planned(make_goal(owner, text)) for text in ("greet Ada", "greet Bob", "pay the invoices")]
    words = words_of(text_of(client_of(owner), "/rules/coverage/"))
    assert "A rule serves 2 of 3 goals 67 %" in words
    assert "greet somebody 2 2 0.9" in words
    assert "wave 0 2 never chosen" in words
    first, second = goals[1], goals[0]
    quarrel = f"greet somebody is chosen before wave Goal {first.pk}: greet Bob Goal {second.pk}: greet Ada"
    assert quarrel in words
    assert "give the other a higher PRIORITY" in words
    assert f"Goal {goals[2].pk}: pay the invoices no relevant rule" in words
    assert "Rules that apply to none of these goals 1 Names never" in words
    assert Plan.objects.count() == 3, "nothing is planned in earnest"


def test_nobody_sees_what_came_of_other_peoples_goals(
    library: ComponentVersion, owner: User, outsider: User, make_goal: Callable[..., Goal], client_of: ClientOf
) -> None:
    planned(make_goal(owner, "greet Ada"))
    assert "No goal was planned yet" in text_of(client_of(outsider), "/rules/coverage/")


def test_when_the_time_is_over_it_says_how_many_were_tried(
    library: ComponentVersion,
    owner: User,
    make_goal: Callable[..., Goal],
    client_of: ClientOf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("Ada", "Bob"):
        planned(make_goal(owner, f"greet {name}"))
    calls = iter([False, True])
    monkeypatch.setattr(Clock, "is_over", property(lambda _: next(calls)))
    words = words_of(text_of(client_of(owner), "/rules/coverage/"))
    assert "1 of 2 goals were tried" in words


def test_the_weakest_entailment_of_a_rule_is_that_of_its_real_choices(
    library: ComponentVersion, owner: User, make_goal: Callable[..., Goal], client_of: ClientOf
) -> None:
    planned(make_goal(owner, "greet Ada"))
    found = rule_health.weakest()
    assert set(found) == {library.pk}
    assert 0.9 < found[library.pk].score < 1
    plan = Plan.objects.get()
    evidence: dict[str, Any] = plan.evidence
    evidence["relevant"][0]["minimum"] = 0.5
    Plan.objects.create(goal=plan.goal, number=2, source="rule", steps=[], evidence=evidence)
    assert (rule_health.weakest()[library.pk].score, rule_health.weakest()[library.pk].choices) == (0.5, 2)
    for address in ("/rules/", f"/rules/{library.component_id}/"):
        assert "weakest entailment 0.50" in words_of(text_of(client_of(owner), address))


def test_evidence_that_names_no_version_is_left_out(owner: User, make_goal: Callable[..., Goal]) -> None:
    one = {"rule": {"component_version_id": "id of greet"}, "chosen": True, "minimum": 0.1}
    Plan.objects.create(
        goal=make_goal(owner, "x"), number=1, source="rule", steps=[], evidence={"relevant": [one], "subgoals": []}
    )
    assert rule_health.weakest() == {}
