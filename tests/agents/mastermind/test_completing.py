"""What the Tab key offers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.mastermind.completing import offers
from agents.mastermind.components import Component

KNOWN = [Component("tool", "summarization"), Component("tool", "git_tool"), Component("agent", "mindx")]


def test_commands_come_first_and_then_what_they_are_about() -> None:
    assert offers("ag", KNOWN) == ["agent_create", "agent_list", "agent_evolve", "agent_delete"]
    assert offers("evolve s", KNOWN) == ["summarization"]
    assert offers("EVOLVE S", KNOWN) == ["summarization"]
    assert offers("introspect ", KNOWN) == ["mindx"]
    assert offers("agent_create ", KNOWN) == ["bdi_agent"]
    assert offers("agent_create bdi_agent scout max", KNOWN) == ["max_repair_attempts="]
    assert offers("agent_evolve mindx mo", KNOWN) == ["model="]
    assert offers("coord_backlog a", KNOWN, ["open", "approved"]) == ["approved"]
    assert offers("help coord_a", KNOWN) == ["coord_analyze", "coord_approve"]


def test_in_words_of_ones_own_nothing_is_offered() -> None:
    assert offers("deploy an agent named s", KNOWN) == []
    assert offers("evolve summarization to s", KNOWN) == []
    assert offers("nonsense s", KNOWN) == []


@given(st.text(max_size=60))
def test_whatever_is_typed_each_offer_begins_with_it(typed: str) -> None:
    last = typed.lstrip().rpartition(" ")[2]
    assert all(word.casefold().startswith(last.casefold()) for word in offers(typed, KNOWN))
