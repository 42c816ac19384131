"""What agents are set to, who is to summarise or mend, for how long, and rules that name themselves."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "bot/main.py",
        "bot/scraper.py",
        "drafts/chapter 1.md",
        "letters/Letter from the tax office.txt",
        "reports/.keep",
    )
)
steps = HERE.steps


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("make an agent called Fritz that may only use git, 20k tokens a day", ("git_tool", "20000", None)),
        (
            "set up an agent called Fritz limited to git_tool and notes, $1.50 a day",
            ("git_tool,note_taking", None, "1.50"),
        ),
        ("create agent Fritz for 3$ per day and 20,000 tokens", (None, "20000", "3")),
        ("create agent Fritz with git_tool, at most 2.50 dollars a day", ("git_tool", None, "2.50")),
    ],
)
def test_an_agent_is_made_with_its_tools_and_budgets(text: str, values: tuple[str | None, ...]) -> None:
    names = ("tools", "tokens_per_day", "cost_per_day")
    given = {name: value for name, value in zip(names, values, strict=True) if value is not None}
    assert steps(text) == [("create_agent", {"name": "Fritz", **given})]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("create the agent Max, open-minded, at most 4 repair attempts", ("open_minded", 4)),
        ("make agent Max with blind commitment", ("blind", None)),
    ],
)
def test_an_agent_is_made_as_firm_as_it_is_said(text: str, values: tuple[str, int | None]) -> None:
    attempts = {"max_repair_attempts": values[1]} if values[1] else {}
    assert steps(text) == [("create_agent", {"name": "Max", "commitment": values[0], **attempts})]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("create an agent named Bea without a model", {"uses_model": False}),
        ("an agent named Bea whose plans are decided by people only", {"people_only": True}),
        ("create agent Bea, firmware domain law", {"firmware_domain": "law"}),
        ("create agent Bea with the limits git_tool.hard_s=30", {"limits": "git_tool.hard_s=30"}),
    ],
)
def test_an_agent_is_made_with_its_switches(text: str, values: dict[str, Any]) -> None:
    assert steps(text) == [("create_agent", {"name": "Bea", **values})]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("agent scout, version 1.2.0: limit it to 50000 tokens per day", {"tokens_per_day": "50000"}),
        ("set the repair attempts of agent scout to 3, version 1.2.0", {"max_repair_attempts": 3}),
        ("change agent scout to version 1.2.0 with the model gpt-4o", {"model": "gpt-4o"}),
    ],
)
def test_an_agent_is_changed_to_a_version_of_it(text: str, values: dict[str, Any]) -> None:
    assert steps(text) == [("change_agent", {"name": "scout", "version": "1.2.0", **values})]


@pytest.mark.parametrize(
    "text",
    [
        # Which version it becomes is not said; a number alone says not of what it is.
        "change the agent scout to the model gpt-4o",
        "set agent scout to 3, version 1.2.0",
        # A tool that it is not to have.
        "create an agent Pia with git_tool but not note_taking",
        # The little word is nobody's name.
        "create an agent with $2 a day",
        "retire the agent",
        "do not retire the agent scout",
        "create an agent scout with 300 euros a day",
    ],
)
def test_what_an_agent_is_to_be_is_asked_where_it_is_not_said(text: str) -> None:
    assert HERE.is_asked(text)


LETTER = "letters/Letter from the tax office.txt"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("have the AI sum up chapter 1", {"path": "drafts/chapter 1.md"}),
        ("use the LLM to condense chapter 1 to 50 words", {"path": "drafts/chapter 1.md", "words": 50}),
        ("a 120 word summary of the tax office letter written by the model, please", {"path": LETTER, "words": 120}),
        (
            "could the language model write me a summary of chapter 1, about 100 words",
            {"path": "drafts/chapter 1.md", "words": 100},
        ),
    ],
)
def test_who_is_to_summarise_may_stand_first(text: str, values: dict[str, Any]) -> None:
    assert steps(text) == [("send_file_to_model", values)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("the gist of chapter 1 in a single sentence", 1),
        ("the most important sentence of chapter 1", 1),
        ("three sentences on what chapter 1 says", 3),
        ("tell me in two sentences what chapter 1 is about", 2),
        ("a two-sentence summary of chapter 1", 2),
        ("reduce chapter 1 to its four key sentences", 4),
    ],
)
def test_how_many_sentences_is_said_in_many_places(text: str, sentences: int) -> None:
    assert steps(text) == [("key_sentences", {"path": "drafts/chapter 1.md", "sentences": sentences})]


def test_the_most_important_sentences_are_as_many_as_there_usually_are() -> None:
    assert steps("the most important sentences of chapter 1") == [("key_sentences", {"path": "drafts/chapter 1.md"})]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            "improve main.py with the language model so that errors are logged",
            ("send_file_to_model", {"path": "bot/main.py", "wish": "errors are logged"}),
        ),
        (
            "let the AI suggest improvements for main.py, wish: shorter functions",
            ("send_file_to_model", {"path": "bot/main.py", "wish": "shorter functions"}),
        ),
        ("are there unused imports in scraper.py?", ("audit", {"path": "bot/scraper.py"})),
        ("please control the code of bot for errors", ("audit", {"path": "bot"})),
        ("audit bot, but give it no more than two minutes", ("audit", {"path": "bot", "timeout_s": 120})),
        ("does scraper.py contain dead code?", ("audit", {"path": "bot/scraper.py"})),
        ("is the code in bot any good?", ("analyze", {"path": "bot"})),
        (
            "analyse bot and write what you find to reports/bot.md",
            ("write_report", {"path": "bot", "to": "reports/bot.md"}),
        ),
        ("repair what ruff finds in bot", ("apply_fixes", {"path": "bot"})),
        ("lint the bot folder with a 30 second limit", ("audit", {"path": "bot", "timeout_s": 30})),
        ("remove the unused imports from scraper.py", ("apply_fixes", {"path": "bot/scraper.py", "rules": "F401"})),
        (
            "make the F401 and E711 fixes in main.py",
            ("apply_fixes", {"path": "bot/main.py", "rules": "F401, E711"}),
        ),
        ("fix everything ruff complains about in bot", ("apply_fixes", {"path": "bot"})),
        ("document bot in docs/bot", ("document", {"path": "bot", "to": "docs/bot"})),
        ("fill docs/code with documentation of the bot folder", ("document", {"path": "bot", "to": "docs/code"})),
        (
            "analyse bot and save the report in reports/may.md, timeout 60",
            ("write_report", {"path": "bot", "to": "reports/may.md", "timeout_s": 60}),
        ),
        (
            "create reports/health.md with an analysis of the bot code",
            ("write_report", {"path": "bot", "to": "reports/health.md"}),
        ),
    ],
)
def test_code_is_looked_at_mended_and_written_about(text: str, meant: tuple[str, dict[str, Any]]) -> None:
    assert steps(text) == [meant]


@pytest.mark.parametrize(
    "text",
    [
        "remove the imports from scraper.py",
        "remove the unused imports except re from scraper.py",
        "let the model decide what to do with main.py",
        "make the fixes in main.py but not F401",
        "fix the bug in main.py",
        "write bot/found.txt with what you find",
    ],
)
def test_what_no_fix_could_say_is_asked_about(text: str) -> None:
    assert HERE.is_asked(text)
