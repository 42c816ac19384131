from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.toolkit.wording.slots import Match, TemplateError, compile_template, render
from agents.toolkit.wording.words import quote, read_text, unescape

# Processor time, so that a busy machine does not count. What does not backtrack takes about a second.
PATIENCE_S = 40.0

NAMED = "create a python project named {name} [with a (virtual environment|venv)] [and a readme]"


def match(template: str, goal: str, **kinds: str) -> Match | None:
    return compile_template(template).match(read_text(goal), kinds)


def value(template: str, goal: str, slot: str, **kinds: str) -> str | None:
    found = match(template, goal, **kinds)
    return found.values[slot].raw if found else None


@pytest.mark.parametrize(
    "goal",
    [
        "create a python project named weather",
        "Create the Python project named weather.",
        "please create python project called weather",
        "Could you please create a Python project named “weather” for me?",
        "I'd like you to create a python project named 'weather', thanks!",
        "CREATE PYTHON PROJECT NAMED weather with a venv and a README",
    ],
)
def test_a_trigger_tolerates_case_articles_politeness_quotes_and_punctuation(goal: str) -> None:
    found = match(NAMED, goal, name="path")
    assert found is not None
    assert found.values["name"].raw == "weather"
    start, end = found.values["name"].span
    assert goal[start:end] == "weather"


# Parts of a pattern, and ways in which people say each of them.
_PARTS = {
    "tidy": ["tidy"], "{name}": ["x", "the x"], "[the] folder": ["folder", "the directory"],
    "[with (care|love) [now]]": ["", "with love", "with care now"], "(red|blue {colour})": ["red", "blue sky"],
    "(a | b [c] d)": ["", "b d", "b c d", "b"],
}  # fmt: skip
_said = st.sampled_from(sorted(_PARTS)).flatmap(lambda part: st.tuples(st.just(part), st.sampled_from(_PARTS[part])))


@given(st.lists(_said, min_size=1, max_size=5, unique_by=lambda one: one[0]))
def test_no_match_is_missed_for_a_word_that_a_text_lacks(said: list[tuple[str, str]]) -> None:
    try:
        template = compile_template(" ".join(part for part, _ in said))
    except TemplateError:  # nothing but slots
        return
    text = read_text(" ".join(way for _, way in said))
    assert template.match(text) == replace(template, needed=frozenset()).match(text)


@pytest.mark.parametrize(
    "goal",
    [
        "create a python project named weather with a database",
        "create a java project named weather",
        "do not create a python project named weather",
        "create a python project named",
        "create a python project named weather and then delete everything",
        "",
    ],
)
def test_what_no_part_covers_is_not_ignored(goal: str) -> None:
    assert match(NAMED, goal, name="path") is None


def test_a_one_word_slot_takes_quoted_text_whole_and_never_a_piece_of_it() -> None:
    assert value(NAMED, 'create a python project named "my own thing"', "name", name="path") == "my own thing"
    assert match(NAMED, "create a python project named my own thing", name="path") is None


def test_a_one_word_slot_never_takes_a_function_word_unless_quoted() -> None:
    template = "create a python project {name} [[with] a venv]"
    assert match(template, "create a python project with a venv", name="path") is None
    assert value(template, "create a python project 'with' with a venv", "name", name="path") == "with"


def test_a_text_slot_ends_at_the_first_place_where_the_rest_fits() -> None:
    template = "write {text} to the file {file}"
    goal = "write send this to the file clerk to the file todo.txt"
    assert value(template, goal, "text", file="path") == "send this to the file clerk"
    assert value(template, "write buy milk to the file todo.txt", "text", file="path") == "buy milk"


def test_a_text_slot_keeps_what_was_written_except_the_full_stop_of_the_goal() -> None:
    template = "note that {text}"
    assert value(template, "Note that  Ann's  “red” car (old) is here.", "text") == "Ann's  “red” car (old) is here"
    assert value(template, "note that is it raining?", "text") == "is it raining?"
    assert value(template, 'note that "a, b. c"', "text") == "a, b. c"


def test_a_name_keeps_dots_and_slashes_but_not_the_full_stop() -> None:
    template = "show the file {file}"
    assert value(template, "show the file .venv/pyvenv.cfg.", "file", file="path") == ".venv/pyvenv.cfg"
    assert value(template, "show the file ../x", "file", file="path") == "../x"
    assert value(template, "show the file _private_.py", "file", file="path") == "_private_.py"
    assert value(template, "show the file ..", "file", file="path") == ".."


def test_numbers_and_switches_take_only_what_they_are() -> None:
    template = "wait {n} seconds"
    assert value(template, "wait 20 seconds", "n", n="number") == "20"
    assert match(template, "wait twenty seconds", n="number") is None
    assert match("turn it {on}", "turn it maybe", on="switch") is None


def test_more_of_the_patterns_words_count_when_optional_parts_are_there() -> None:
    short, long = (
        match(NAMED, "create a python project named x", name="path"),
        match(NAMED, "create a python project named x with a venv and a readme", name="path"),
    )
    assert short is not None
    assert long is not None
    assert (short.literal_words, long.literal_words) == (4, 8)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("create [the {name}", "never closed"),
        ("create {name} (a|b", "never closed"),
        ("create {name})", "closes nothing"),
        ("create {name} []", "empty part"),
        ("create {Name}", "not a slot"),
        ("create {name}.txt", "not a slot"),
        ("move {a} to {a}", "stands twice"),
        ("{anything}", "at least one word"),
        ("[please do] {anything}", "at least one word"),
    ],
)
def test_a_pattern_that_cannot_be_read_says_what_to_write(template: str, words: str) -> None:
    with pytest.raises(TemplateError, match=words):
        compile_template(template)


def test_a_hostile_goal_is_searched_in_linear_time() -> None:
    template = "a {x} b {y} b {z} b [c {w} d] [e {v} f] g"
    goal = "a " + "b c e " * 1200
    started = time.process_time()
    assert match(template, goal) is None
    assert time.process_time() - started < PATIENCE_S


@pytest.mark.parametrize("piece", [" 'a", ' "a', " 'a “b \"c", "'", '" '])
def test_quotation_marks_that_never_close_cost_no_more_than_other_characters(piece: str) -> None:
    started = time.process_time()
    read_text(piece * 20_000)
    read_text(piece * 20_000, exact=True)
    assert time.process_time() - started < PATIENCE_S


def test_a_goal_of_more_words_than_people_write_matches_nothing() -> None:
    assert match("note {text}", "note " + "x " * 5000) is None


@given(st.text(max_size=60))
def test_any_value_survives_being_quoted_and_taken_whole(text: str) -> None:
    said = quote(text)
    assert "\n" not in said
    found = compile_template("write {text} now").match(read_text(f"write {said} now", exact=True))
    assert found is not None
    taken = found.values["text"]
    assert (unescape(taken.raw) if taken.quoted else taken.raw) == text


@given(st.lists(st.sampled_from(["write", "to", "file", "{", "}", '"', "'", "x", "“", "”", ".", "\\"]), max_size=14))
def test_spans_always_lie_in_the_goal(pieces: list[str]) -> None:
    goal = " ".join(pieces)
    found = match("write {text} to [file] {name}", goal, name="path")
    for taken in found.values.values() if found else ():
        start, end = taken.span
        assert goal[start:end] == taken.raw


def test_hidden_characters_never_stand_bare_in_a_sentence() -> None:
    assert quote("a\u202eb") == '"a\\u202eb"'
    assert unescape(quote("a\u202eb")[1:-1]) == "a\u202eb"


def test_saying_a_pattern_takes_the_first_choice_and_drops_open_optional_parts() -> None:
    pattern = "(remove|delete) the file {path} [within {n} seconds]"
    assert render(pattern, {"path": "x"}) == "remove the file x"
    assert render(pattern, {"path": "x", "n": "5"}) == "remove the file x within 5 seconds"
    assert render(pattern, {}) == "remove the file {path}"
