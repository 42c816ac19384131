"""How people say commands: what a declaration must fit, and what tells commands with the same verb apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import by_name, understand
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.command import check_said
from agents.toolkit.registry import REGISTRY
from agents.toolkit.saying import Said, sense
from agents.toolkit.schemas import SchemaFault

TREE = Tree.of(
    (path, "file")
    for path in (
        "README.md", "main.py", "requirements.txt", "app/server.py", "app/routes.py", "docs/manual.md", "logs/app.log",
        "config/local.ini", "old/letter.txt", "backup/.keep", "notes/ideas.md", "tools/translate_tool.py",
    )
)  # fmt: skip


def steps(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = understand(text, TREE, REGISTRY)
    assert found.is_sure, found.questions
    return [(f"{tool}.{command}", dict(values)) for tool, command, values in by_name(found)]


def is_asked(text: str) -> bool:
    found = understand(text, TREE, REGISTRY)
    return bool(found.questions) or not found.meant


def test_what_a_switch_sets_must_fit_even_where_another_one_sets_the_same_parameter() -> None:
    find = REGISTRY.command("simple_coder", "find")
    wrong = sense("find", flags={"folders": ("kind", "folder"), "files": ("kind", "file")})
    with pytest.raises(SchemaFault, match="fixes does not fit"):
        check_said(find, Said((wrong,)))


def test_a_wording_must_not_rule_out_a_word_that_it_is_said_by() -> None:
    read = REGISTRY.command("simple_coder", "read")
    for own in (sense("look at", never="look"), sense("show", "*path > of", never="of"), sense("show", key="line")):
        said = own if own.never else replace(own, never=frozenset({"line"}))
        with pytest.raises(SchemaFault, match="one of its own words"):
            check_said(read, Said((said,)))


def test_a_parameter_that_takes_anothers_value_must_be_there() -> None:
    read = REGISTRY.command("simple_coder", "read")
    with pytest.raises(SchemaFault, match="last_line"):
        check_said(read, Said((sense("show", same={"last_line": "from_line"}),)))


@pytest.mark.parametrize(
    ("text", "command", "values"),
    [
        (
            "show line 42 of app/server.py",
            "simple_coder.read",
            {"path": "app/server.py", "from_line": 42, "to_line": 42},
        ),
        ("lines 5 to 12 of main.py", "simple_coder.read", {"path": "main.py", "from_line": 5, "to_line": 12}),
        ("the contents of config", "simple_coder.ls", {"path": "config"}),
        ("the contents of config/local.ini", "simple_coder.read", {"path": "config/local.ini"}),
        ("old/letter.txt can go", "simple_coder.rm", {"path": "old/letter.txt"}),
        ("main.py belongs in app", "simple_coder.mv", {"path": "main.py", "to": "app/main.py"}),
        ("keep a copy of main.py in backup", "simple_coder.cp", {"path": "main.py", "to": "backup/main.py"}),
        ("copy app/server.py as old.py", "simple_coder.cp", {"path": "app/server.py", "to": "old.py"}),
        ("give main.py the name start.py", "simple_coder.mv", {"path": "main.py", "to": "start.py"}),
        ("what did i change in app", "git_tool.diff", {"only": "app"}),
        ("a note called plan that says “go”", "note_taking.write_note", {"name": "plan", "text": "go"}),
        ("which python files are there?", "simple_coder.find", {"pattern": "*.py", "kind": "file"}),
        ("the newest file in logs", "simple_coder.find", {"path": "logs", "newest": 1, "kind": "file"}),
        ("the latest commit", "git_tool.log", {"most": 1}),
        ("is everything committed?", "git_tool.status", {}),
        ("what is the state of the repository", "git_tool.status", {}),
        ("which headers does https://a.example/x send", "http_request.head", {"url": "https://a.example/x"}),
        ("send a delete request to https://a.example/1", "http_request.delete", {"url": "https://a.example/1"}),
        ("the gist of docs/manual.md", "summarization.key_sentences", {"path": "docs/manual.md"}),
        ("an audit of app", "audit_and_improve.audit", {"path": "app"}),
        ("find dead code in app", "audit_and_improve.audit", {"path": "app"}),
        ("an analysis of app", "system_analyzer.analyze", {"path": "app"}),
        ("how could main.py be improved?", "audit_and_improve.propose_fixes", {"path": "main.py"}),
        (
            "propose fixes for app by rules F and UP",
            "audit_and_improve.propose_fixes",
            {"path": "app", "rules": "F, UP"},
        ),
        ("documentation of app in docs/api", "base_gen_agent.document", {"path": "app", "to": "docs/api"}),
        ("which packages are installed", "simple_coder.run", {"command_line": "pip list"}),
        ("install the requirements", "simple_coder.run", {"command_line": "pip install -r requirements.txt"}),
    ],
)
def test_nouns_questions_and_wished_ends_say_a_command(text: str, command: str, values: dict[str, Any]) -> None:
    assert steps(text) == [(command, values)]


@pytest.mark.parametrize(
    "text",
    [
        "send my data to https://a.example/x",
        "send main.py to https://a.example/x",
        "post hello world to https://a.example/x",
        "find the latest release",
        "delete the word foo from main.py",
        "move everything from old to backup",
        "summarize README.md in 50 words",
        "kill all processes",
        "send main.py to the model",  # to be summarised, or improved?
        "delete the branch dev",
        "get rid of all the imports in main.py",
        "the last lines of logs/app.log",
        "fix the typo in README.md",
        "search my mails for the invoice",
    ],
)
def test_what_only_resembles_a_command_is_asked_about(text: str) -> None:
    assert is_asked(text)


def test_a_word_in_quotes_is_no_verb() -> None:
    assert steps('which files mention "install"') == [("simple_coder.grep", {"text": "install"})]
    assert not lexicon_of(REGISTRY).met(tokens_of('"install"'))
    assert lexicon_of(REGISTRY).met(tokens_of("install"))
