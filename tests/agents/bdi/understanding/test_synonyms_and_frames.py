"""Verbs that no tool declares, and turns of phrase that mean a plain command; and what only looks like one."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agents.bdi.understanding.phrases import frames
from agents.bdi.understanding.phrases.general import SAID
from agents.bdi.understanding.reading.reading import readings
from agents.bdi.understanding.reading.state import Situation
from agents.bdi.understanding.words import synonyms
from agents.bdi.understanding.words.lexicon import _folded, lexicon_of
from agents.bdi.understanding.words.spelling import is_near, nearest
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "README.md",
        "menu.md",
        "harbour/pier.py",
        "harbour/gates.py",
        "notes_of/keeper.txt",
        "scripts/tide.py",
        "scripts/buoys.py",
        "logs/lamp.log",
        "old_ropes/rope.txt",
        "archive/.keep",
        "crew/rota.csv",
    )
)
steps = HERE.steps


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("track down rota.csv", ("find", {"pattern": "rota.csv"})),
        ("relabel menu.md as dishes.md", ("mv", {"path": "menu.md", "to": "dishes.md"})),
        ("chuck out old_ropes", ("rm", {"path": "old_ropes"})),
        ("hop over to branch storm", ("switch_branch", {"name": "storm"})),
        ("hunt for bugs in harbour/pier.py", ("audit", {"path": "harbour/pier.py"})),
        ("what are the key points of keeper.txt", ("key_sentences", {"path": "notes_of/keeper.txt"})),
        ("decommission the agent pilot", ("retire_agent", {"name": "pilot"})),
    ],
)
def test_a_verb_means_what_a_declared_one_means(text: str, meant: tuple[str, dict[str, Any]]) -> None:
    assert steps(text) == [meant]


def test_what_a_tool_declares_outranks_what_only_means_the_same() -> None:
    entries = lexicon_of(REGISTRY).entries
    declared = {verb.parts for entry in entries for verb in entry.verbs if not verb.cost}
    assert declared == {_folded(verb) for entry in entries for verb in entry.sense.verbs}
    for entry in entries:
        # A declared verb is never doubled by a synonym; one that another tool declares costs more than one of nobody.
        assert (
            len({verb.parts for verb in entry.verbs if not verb.cost} & {v.parts for v in entry.verbs if v.cost}) == 0
        )
        assert all((verb.cost > 0.4) == (verb.parts in declared) for verb in entry.verbs if verb.cost), entry.command


def test_a_synonym_says_nothing_where_any_word_could_be_the_object() -> None:
    # “Unset x” takes any word; “throw x away” must not.
    lexicon = lexicon_of(REGISTRY)
    bare = [entry for entry in lexicon.entries if entry.command.name == "unset_env" and not entry.key]
    assert bare
    assert all(not verb.cost for entry in bare for verb in entry.verbs)
    assert steps("throw away menu.md") == [("rm", {"path": "menu.md"})]


def test_a_synonym_costs_more_than_the_verb_itself() -> None:
    lexicon = lexicon_of(REGISTRY)
    text = "rename menu.md to dishes.md", "relabel menu.md to dishes.md"
    own, other = (readings(tokens_of(one), Situation(one, HERE.tree), lexicon)[0] for one in text)
    assert own.values() == other.values()
    assert own.cost < other.cost


def test_every_group_of_synonyms_belongs_to_a_verb_that_some_tool_declares() -> None:
    declared = {verb for c in REGISTRY.commands for sense in REGISTRY.said(c).senses for verb in sense.verbs}
    assert set(synonyms._SAME) <= declared


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("old_ropes can go", ("rm", {"path": "old_ropes"})),
        ("menu.md belongs into archive", ("mv", {"path": "menu.md", "to": "archive/menu.md"})),
        ("remind me what is in menu.md", ("read", {"path": "menu.md"})),
        ("could you have a look whether menu.md mentions soy?", ("grep", {"path": "menu.md", "text": "soy"})),
        ("where in the harbour do we use tide_gate", ("grep", {"path": "harbour", "text": "tide_gate"})),
        ("where in logs does overheated appear", ("grep", {"path": "logs", "text": "overheated"})),
        ("check lamp.log for the word overheated", ("grep", {"path": "logs/lamp.log", "text": "overheated"})),
        ("LAMP_MODE should be dim", ("set_env", {"name": "LAMP_MODE", "value": "dim"})),
        ("list all subfolders of harbour", ("find", {"path": "harbour", "kind": "dir"})),
        ("find everything that starts with ti", ("find", {"pattern": "ti*"})),
        ("what's different from the branch storm", ("diff", {"since": "storm"})),
        ("a folder named ropes would be nice", ("mkdir", {"path": "ropes"})),
        ("is anything fishy in harbour/pier.py", ("audit", {"path": "harbour/pier.py"})),
        ("what has lamp printed so far", ("process_log", {"name": "lamp"})),
        (
            "run python scripts/tide.py but stop it after 40 seconds",
            ("run", {"command_line": "python scripts/tide.py", "timeout_s": 40}),
        ),
        ("the 3 most recently changed files in crew", ("find", {"newest": 3, "path": "crew", "kind": "file"})),
    ],
)
def test_a_turn_of_phrase_means_a_plain_command(text: str, meant: tuple[str, dict[str, Any]]) -> None:
    assert steps(text) == [meant]


@pytest.mark.parametrize(
    "text",
    [
        # They name nothing that could go.
        "we can go",
        "it can go",
        # Beside a command a statement only tells how it comes to that.
        "menu.md belongs into archive, but show it first",
        "there should be a folder ropes, list it",
        "what did the boss say",
        # A sentence is rather not what is sought.
        "does menu.md use too much of the good salt",
    ],
)
def test_what_only_looks_like_a_turn_of_phrase_is_asked(text: str) -> None:
    assert HERE.is_asked(text)


@pytest.mark.parametrize("text", ["we can go", "it may disappear", "what did the old boss print"])
def test_what_names_nothing_fits_no_frame(text: str) -> None:
    assert not list(frames.framed(tokens_of(text), text, is_alone=True))


def test_texts_are_sought_in_the_order_in_which_they_are_said() -> None:
    # A text is taken word for word from where it stands: what stands between two of its words is a part of it.
    for line in SAID.replace("\n    >", "  >").strip().splitlines():
        said, _, means = line.partition("  >  ")
        assert "{t}" not in said or re.findall(r"{\w}", said) == re.findall(r"{\w}", means), line


def test_a_frame_keeps_the_words_that_it_does_not_say_itself() -> None:
    text = "where do we use tide_gate in harbour"
    found = list(frames.framed(tokens_of(text), text, is_alone=True))
    assert ["grep", "for", "tide_gate", "in", "harbour"] in [[one.text for one in made] for made, _ in found]
    assert steps("where do we use tide_gate in harbour") == [("grep", {"text": "tide_gate", "path": "harbour"})]


@pytest.mark.parametrize(
    "text",
    [
        # The folder is where the file comes to lie.
        "create an empty file named plan.md inside the archive folder",
        "please make a file plan.md with the text 'x' in the folder archive",
    ],
)
def test_a_file_in_a_folder_is_no_folder(text: str) -> None:
    ((command, values),) = steps(text)
    assert (command, values["path"]) == ("write", "archive/plan.md")


@pytest.mark.parametrize(
    "text",
    [
        # Who does it is not what it is done to.
        "old_ropes must enter",
        "harbour should open",
        # The second part of it is no folder's name.
        "make a folder nets; please create it",
        # What .venv is, and nothing that is to be made.
        "use the virtualenv .venv",
        # A bit of it is not all of it.
        "dump the last bit of menu.md",
        # Where, without quotes.
        "where in the crew rota_key appears",
    ],
)
def test_what_is_said_of_something_else_is_not_done(text: str) -> None:
    assert HERE.is_asked(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        # “It into the folder” is what becomes of the one before, and nothing else to be removed.
        ("take menu.md and drop it into archive", ("mv", {"path": "menu.md", "to": "archive/menu.md"})),
        ("search TODO everywhere", ("grep", {"text": "TODO"})),
    ],
)
def test_little_words_belong_to_no_list_and_no_text(text: str, meant: tuple[str, dict[str, Any]]) -> None:
    assert steps(text) == [meant]


def test_where_something_goes_is_no_further_thing_of_a_list() -> None:
    assert HERE.is_asked("document harbour/pier.py, output to pier.md")


def test_a_name_may_be_a_word_that_says_another_command() -> None:
    assert steps("prepare a directory named backups") == [("mkdir", {"path": "backups"})]


@pytest.mark.parametrize("text", ["audit scripts", "lint the harbour package", "review scripts"])
def test_a_noun_beside_a_name_says_what_kind_of_thing_it_is(text: str) -> None:
    ((_, values),) = steps(text)
    assert values["path"] in ("scripts", "harbour")


def test_both_are_two_and_both_of_three_is_asked() -> None:
    two = Workspace.of(("sales/sales_may.csv", "sales/sales_june.csv", "press/.keep"))
    assert sorted(values["path"] for _, values in two.steps_or_first_answer("delete both sales files")) == [
        "sales/sales_june.csv",
        "sales/sales_may.csv",
    ]
    three = Workspace.of(("sales/sales_may.csv", "sales/sales_june.csv", "sales/sales_july.csv"))
    assert three.is_asked("delete both sales files")


def test_nothing_is_near_an_empty_word() -> None:
    assert not is_near("", "menu")
    assert not is_near("menu", "")
    assert nearest("", ["menu"]) == ""
