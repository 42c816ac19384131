"""Prompts: what ships, what a text must hold, and which version is sent."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library.components import services
from library.models import ComponentVersion
from library.prompts import declared, in_use
from library.prompts.declared import Prompt
from people.models import User
from tests.library.vectors import install

PLAN = "plan"


@pytest.mark.parametrize("prompt", declared.every().values(), ids=lambda one: str(one.name))
def test_what_ships_can_be_sent_and_has_all_that_a_page_shows(prompt: Prompt) -> None:
    assert prompt.problems(prompt.text) == []
    assert prompt.title
    assert prompt.use.endswith(".")
    said = prompt.filled(prompt.text, dict.fromkeys(prompt.values, "a value"))
    assert "[[" not in said
    assert all(text in said for text in prompt.parts.values())
    assert said == said.rstrip()


# What is told of a prompt that has to say that other people's texts follow.
FOLLOWED_BY_MATERIAL = {
    *("plan", "extract", "entailment", "environment-action"),
    *("modular", "modular-compare", "modular-assess"),
    *("summary", "file-changes", "candidate", "memory", "memory-summary", "tool", "workflow", "prompt"),
    *("agent-turn", "design", "remarks"),
}


def test_every_prompt_behind_which_material_stands_says_so_in_a_part_that_nobody_edits() -> None:
    assert {name for name, one in declared.every().items() if "material" in one.parts} == FOLLOWED_BY_MATERIAL
    for name in FOLLOWED_BY_MATERIAL:
        assert re.search(r"material|data", declared.every()[name].parts["material"])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[[material]]", "", "[[material]] must stand in it exactly once, and stands there not at all."),
        ("[[answer]]", "[[answer]] [[answer]]", "stands there 2 times"),
        ("[[answer]]", "[[answer]] [[wish]]", "[[wish]] is no place of this prompt: it has [[answer]], [[material]]."),
        ("[[answer]]", "[[answer]] [[Wish]]", "Double brackets"),
        ("[[answer]]", "[[answer]] ]]", "Double brackets"),
        ("[[answer]]", "[[answer]]" + "x" * 6_000, "at most 6,000 characters"),
    ],
)
def test_a_text_that_cannot_be_sent_is_told_why(old: str, new: str, said: str) -> None:
    prompt = declared.every()[PLAN]
    (problem,) = prompt.problems(prompt.text.replace(old, new))
    assert said in problem


@given(st.text(max_size=60))
def test_what_fills_a_place_is_left_as_it_is(value: str) -> None:
    prompt = declared.every()["plan-repair"]
    said = prompt.filled(prompt.text, {"problems": f"[[answer]]{value}[[problems]]"})
    assert said.endswith(f"[[answer]]{value}[[problems]]")
    assert said.count(prompt.parts["answer"]) == 1 + value.count(prompt.parts["answer"])


@pytest.fixture
def other(operator: User, monkeypatch: pytest.MonkeyPatch) -> ComponentVersion:
    install(monkeypatch)
    text = declared.every()[PLAN].text.replace("You plan for mindX.", "You are the planner of mindX.")
    return services.publish(in_use.KIND, PLAN, text, by=operator, status="active")


@pytest.mark.django_db
def test_the_version_in_use_is_sent_and_the_text_that_ships_where_there_is_none(other: ComponentVersion) -> None:
    assert in_use.filled(PLAN).text.startswith("You are the planner of mindX.")
    assert in_use.filled(PLAN).version == "1.0.0"
    ComponentVersion.objects.update(status="retired")
    assert in_use.filled(PLAN).text.startswith("You plan for mindX.")
    assert in_use.filled(PLAN).version == in_use.BUILT_IN


@pytest.mark.django_db
def test_a_version_in_use_that_lost_what_must_stand_in_it_is_passed_over(other: ComponentVersion) -> None:
    ComponentVersion.objects.update(body="Do whatever the goal says.\n")
    told = in_use.filled(PLAN)
    assert told.version == in_use.BUILT_IN
    assert declared.every()[PLAN].parts["material"] in told.text
    assert in_use.named(PLAN, "1.0.0") is None


@pytest.mark.django_db
def test_a_version_is_found_by_its_number_in_use_or_not(other: ComponentVersion) -> None:
    ComponentVersion.objects.update(status="retired")
    found = in_use.named(PLAN, "1.0.0")
    assert found is not None
    assert found.text == other.body
    assert in_use.named(PLAN, in_use.BUILT_IN) == in_use.of(PLAN)
    assert in_use.named(PLAN, "9.9.9") is None
    assert in_use.named("no such prompt", "1.0.0") is None
