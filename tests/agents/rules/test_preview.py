from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.rules.preview import form, preview, say_goal
from agents.rules.selection import match_rule
from agents.toolkit.registry import REGISTRY
from agents.toolkit.wording.words import read_text
from tests.agents.bdi.worlds import STARTER

RULES = tuple(known.rule for known in STARTER)


def test_a_goal_that_a_rule_understands_shows_the_rule_with_its_slots_filled() -> None:
    goal = "Create a Python project named weather"
    first = preview(goal, STARTER)[0]
    assert (first.known.name, first.matches, first.missing) == ("start a python project", True, ())
    (slot,) = first.slots
    assert (slot.name, slot.value, slot.kind, slot.required) == ("name", "weather", "path", True)
    assert slot.span == (30, 37)


def test_a_goal_that_is_only_begun_shows_what_is_missing() -> None:
    for typed in ("cre", "create a python pro", "Create a Python project", "create a python project named"):
        first = preview(typed, STARTER)[0]
        assert (first.known.name, first.matches, first.missing) == ("start a python project", False, ("name",)), typed
        assert first.sentence == "Create a python project named {name}"


def test_a_value_that_cannot_be_used_is_said_beside_its_slot() -> None:
    first = preview("remove the file ../x", STARTER)[0]
    assert first.matches
    assert "leads out of the workspace" in first.problems[0]


def test_nothing_is_shown_for_nothing_for_other_things_and_for_books() -> None:
    for goal in ("", "  ", "c", "bake a cake for the whole team", "x " * 9000):
        assert preview(goal, STARTER) == []


def test_the_rules_that_match_come_before_those_that_are_near() -> None:
    found = preview("run the tests", STARTER)
    assert [one.matches for one in found] == sorted((one.matches for one in found), reverse=True)
    assert found[0].known.name == "run the tests of the workspace with pytest"
    assert len(preview("run the tests", STARTER, limit=2)) == 2


def test_every_rule_can_be_filled_as_a_form_and_understands_what_the_form_says() -> None:
    for known in STARTER:
        empty = form(known, RULES)
        assert not any(slot.value for slot in empty.slots)
        filled = {slot.name: "http://ab/" if slot.kind == "address" else "ab" for slot in empty.slots}
        said = say_goal(empty.trigger, filled)
        match = match_rule(known, read_text(said), RULES, REGISTRY)
        assert match is not None, said
        assert match.values().items() <= filled.items()


@given(st.text(alphabet="ab .-_'()é", min_size=1, max_size=20).filter(lambda value: value.strip() == value))
def test_a_form_hands_over_exactly_the_name_that_was_typed(value: str) -> None:
    (known,) = [one for one in STARTER if one.name == "remove a file"]
    match = match_rule(known, read_text(say_goal("remove the file {file}", {"file": value})), RULES, REGISTRY)
    assert match is not None
    assert match.values() == {"file": value}


@given(st.text(max_size=80))
def test_any_text_can_be_previewed(goal: str) -> None:
    for one in preview(goal, STARTER):
        assert one.sentence
