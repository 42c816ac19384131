"""Which goals are commands of mastermind, and which are goals although they sound like one."""

from __future__ import annotations

import pytest

from agents.mastermind import goal_texts
from agents.mastermind.components import Component
from agents.mastermind.typed_goals import command_in, may_be_command

KNOWN = (
    Component("tool", "summarization", "Summarization"),
    Component("tool", "base_gen_agent", "Base generator"),
    Component("tool", "git_tool", "Git"),
    Component("agent", "scout"),
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("evolve the summarization tool", "evolve summarization"),
        ("Could you please improve the git tool?", "evolve git_tool"),
        ("improve the base generator", "evolve base_gen_agent"),
        ("evolve the agent scout so that it is quick", "evolve scout agent: it is quick"),
        ("coord_improve summarization_tool Add better errors", "coord_improve summarization: Add better errors"),
        # Mastermind says what is missing.
        ("coord_improve  foo", "coord_improve foo"),
        ("coord_backlog", "coord_backlog"),
    ],
)
def test_a_command_is_known_by_its_name_or_by_the_component_it_names(text: str, line: str) -> None:
    assert command_in(text, KNOWN, ["README.md"]) == line


@pytest.mark.parametrize(
    "text",
    [
        "improve README.md",
        "improve error handling in app.py",
        "improve the tests",
        "optimize git",
        "evolve the population in sim.py",
        "show me the summarization tool",
        "create agent files in scout",
        goal_texts.improve("summarization"),
        goal_texts.improve("summarization/tools/summarization.py", "Add “better” errors"),
    ],
)
def test_what_is_about_files_stays_a_goal(text: str) -> None:
    assert command_in(text, KNOWN, ["README.md"]) == ""


def test_a_file_of_the_workspace_with_the_components_name_is_meant() -> None:
    assert command_in("evolve the summarization tool", KNOWN, ["tools", "summarization_tool.py"]) == ""


def test_components_are_loaded_only_for_what_may_be_a_command() -> None:
    assert may_be_command("please evolve it")
    assert not may_be_command("Create a Python project named weather")
    assert not may_be_command("coord_improve " + "x" * 3_000)


def test_mindx_knows_its_own_sentences() -> None:
    for text in (goal_texts.improve("a b", 'say "hi"'), goal_texts.improve("a"), goal_texts.audit("a")):
        assert goal_texts.is_own(text)
    assert not goal_texts.is_own("Improve the component a")
