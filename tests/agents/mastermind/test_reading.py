"""What a typed line means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.mastermind.commands import BY_NAME, COMMANDS, NAMES, help_of, overview
from agents.mastermind.components import Component, find
from agents.mastermind.reading import MOST_CHARS, read

KNOWN = [
    Component("tool", "simple_coder", "SimpleCoder"),
    Component("tool", "audit_and_improve", "Audit and improve"),
    Component("tool", "base_gen_agent", "Documentation writer"),
    Component("tool", "git_tool", "Git"),
    Component("tool", "note_taking", "Notes"),
    Component("tool", "summarization", "Summarization"),
    Component("tool", "system_analyzer", "System analyzer"),
    Component("agent", "mindx"),
    Component("agent", "scout"),
    Component("rule", "create a python project"),
]


def test_every_command_is_read_by_its_name_and_its_other_names_in_any_spelling() -> None:
    for name, command in NAMES.items():
        if command.name == "help":
            continue
        for spelt in (name, name.upper(), name.replace("_", "-"), name.replace("_", " ")):
            assert read(f"{spelt} {_REST.get(command.name, '')}", KNOWN).command == command.name, spelt


_REST = {
    "evolve": "summarization",
    "deploy": "a web page",
    "agent_create": "bdi_agent test_agent",
    "agent_evolve": "scout repairs=1",
    "agent_delete": "scout",
    "coord_query": "what is there",
    "coord_improve": "summarization_tool Add better error handling",
    "coord_approve": "12",
    "coord_reject": "12 no",
}


@pytest.mark.parametrize(
    ("line", "command", "component", "wish"),
    [
        ("evolve the summarization tool", "evolve", "tool:summarization", ""),
        ("Evolve the summarisation tool", "evolve", "tool:summarization", ""),
        ("evolve the summarizer", "evolve", "tool:summarization", ""),
        ("improve the base generator", "evolve", "tool:base_gen_agent", ""),
        ("enhance base_gen_agent", "evolve", "tool:base_gen_agent", ""),
        (
            "coord_improve summarization tool Make it clear",
            "coord_improve",
            "tool:summarization",
            "Make it clear",
        ),
        (
            "coord_improve summarization Mend the tool",
            "coord_improve",
            "tool:summarization",
            "Mend the tool",
        ),
        ("optimize note taking", "evolve", "tool:note_taking", ""),
        ("evolve Summarization_Tool", "evolve", "tool:summarization", ""),
        ("evolve git tool to show tags", "evolve", "tool:git_tool", "show tags"),
        ("improve error handling in the summarization tool", "evolve", "tool:summarization", "error handling"),
        ("improve the tool for summarization", "evolve", "tool:summarization", ""),
        ("evolve the rule create a python project", "evolve", "rule:create a python project", ""),
        ("evolve src/app.py so that it is faster", "evolve", "path:src/app.py", "it is faster"),
        ("review the system analyzer", "coord_analyze", "tool:system_analyzer", ""),
        ("improve the system analyser", "evolve", "tool:system_analyzer", ""),
        ("assess the git tool", "coord_analyze", "tool:git_tool", ""),
    ],
)
def test_an_imprecise_line_ends_as_a_precise_one(line: str, command: str, component: str, wish: str) -> None:
    reading = read(line, KNOWN)
    assert reading.problem == ""
    assert reading.component is not None
    assert (reading.command, reading.component.key, reading.wish) == (command, component, wish)


@pytest.mark.parametrize(
    "line",
    [
        "evolve Enhance system-wide logging",
        "improve git handling in the deploy script",
        "review the code",
        "evolve notes about the weather are too long",
    ],
)
def test_words_that_a_name_also_has_do_not_make_a_component(line: str) -> None:
    reading = read(line, KNOWN)
    assert reading.is_understood
    assert reading.component is None


@pytest.mark.parametrize(
    ("line", "suggestion"),
    [
        ("evovle the summarization tool", "evolve summarization"),
        ("statsu", "status"),
        ("intro", "introspect"),
        ("coord_imp summarization keep numbers", "coord_improve summarization: keep numbers"),
        ("intropsect", "introspect"),
        ("agent_lsit", "agent_list"),
        ("agent craete bdi_agent x", "agent_create bdi_agent x"),
        ("evolve the sumarization tool", "evolve summarization"),
        ("evolve the sumarization tool to keep numbers", "evolve summarization: keep numbers"),
        ("imporve the base generator", "evolve base_gen_agent"),
        ("evolve sumarization", "evolve summarization"),
        ("evolve teh base generator", "evolve base_gen_agent"),
        ("improve git tol", "evolve git_tool"),
        ("improve note takng so that links work", "evolve note_taking: links work"),
    ],
)
def test_a_misspelt_name_does_nothing_and_suggests_what_may_be_meant(line: str, suggestion: str) -> None:
    reading = read(line, KNOWN)
    assert not reading.is_understood
    assert "id you mean" in reading.problem
    assert suggestion in reading.suggestions
    assert read(suggestion, KNOWN).is_understood


def test_a_component_that_there_is_not_is_said_and_nothing_is_guessed() -> None:
    reading = read("evolve the weather tool", KNOWN)
    assert not reading.is_understood
    assert "“the weather tool” is not a component" in reading.problem
    assert reading.suggestions == ()


def test_two_that_may_be_meant_are_both_offered() -> None:
    twins = [Component("tool", "git_tool"), Component("agent", "git_agent")]
    assert find("git", twins).component is None
    assert {one.key for one in find("git", twins).suggestions} == {"tool:git_tool", "agent:git_agent"}
    found = find("the git agent", twins).component
    assert found is not None
    assert found.key == "agent:git_agent"


def test_a_command_that_lacks_its_words_says_which() -> None:
    for command in COMMANDS:
        if command.needs_words:
            reading = read(command.name, KNOWN)
            assert command.example in reading.problem
            assert not reading.is_understood


def test_deploying_an_agent_is_said_in_one_way() -> None:
    for line in ("deploy an agent named scout2", "create a new agent called scout2", "instantiate the agent scout2"):
        assert read(line, KNOWN).text == "an agent named scout2"


def test_help_tells_how_each_command_is_written() -> None:
    for command in COMMANDS:
        assert command.form in overview()
        assert command.example in help_of(command.name)


def test_each_example_is_read_as_its_command() -> None:
    for command in COMMANDS:
        reading = read(command.example, KNOWN)
        assert reading.command == command.name
        assert reading.is_understood, reading.problem


@given(st.text(max_size=200) | st.text(alphabet="evolv improcd_-# \t\x1b‮.:/123", max_size=60))
def test_no_line_raises_and_what_is_no_command_is_never_made_one(line: str) -> None:
    reading = read(line, KNOWN)
    assert reading.is_understood or reading.problem
    if reading.is_understood:
        assert reading.command in BY_NAME
        assert any(char.isalnum() for char in line) or line.strip() == "?"


@given(st.text(alphabet=" \t\n\r.,;:!_-()[]{}<>\x00\x1b​‮'\"", max_size=40))
def test_an_empty_or_garbage_line_is_never_a_command(line: str) -> None:
    assert not read(line, KNOWN).is_understood


@given(
    st.sampled_from(["evolve", "improve", "coord_analyze", "enhance"]),
    st.sampled_from(["the {} tool", "{}", "{}: be quicker", "the {} so that it is quicker", "{} agent"]),
    st.sampled_from(["summarization", "base generator", "git_tool", "note taking", "src/a.py", "weather", "scout"]),
)
def test_the_precise_line_is_read_as_what_it_was_made_from(verb: str, form: str, name: str) -> None:
    reading = read(f"{verb} {form.format(name)}", KNOWN)
    if reading.is_understood:
        again = read(reading.precise, KNOWN)
        assert (again.command, again.component, again.wish) == (reading.command, reading.component, reading.wish)
        assert again.precise == reading.precise


def test_a_line_that_is_too_long_or_steers_a_terminal_is_refused() -> None:
    assert "longer than" in read("evolve " + "x" * MOST_CHARS, KNOWN).problem
    assert "control character" in read("evolve \x1b[31mred", KNOWN).problem
