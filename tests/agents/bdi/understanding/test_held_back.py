"""What nobody asked for and would be done in silence: each text here is held back by one guard of the reading alone.

Beside each stands what is like it and is meant, so that no guard holds back more than it should.
"""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "README.md",
    "main.py",
    "photo_album.md",
    "boat/engine.py",
    "boat/sail_plan.md",
    "letters/to_insurer.txt",
    "letters/harbour_master.txt",
    "photos/mast.jpg",
    "photos/bow.jpg",
    "receipts/paint.txt",
    "attic/.keep",
    "tests/test_engine.py",
)
HERE = Workspace.of(PATHS)
TREE, steps = HERE.tree, HERE.steps


def is_asked(text: str, tree: Tree = TREE) -> bool:
    return bool(understand(text, tree, REGISTRY).questions)


@pytest.mark.parametrize(
    "text",
    [
        "I deleted the photos folder",
        "I removed boat/engine.py",
        "We moved main.py to the attic",
        "main.py was moved to the attic",
    ],
)
def test_what_somebody_did_is_not_done_again(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize("text", ["clean up boat", "please clean up the photos folder"])
def test_who_wants_a_folder_tidied_does_not_want_it_gone(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text", ["delete main.py if needed", "delete main.py if necessary", "show main.py if you must"]
)
def test_an_if_is_a_condition_though_only_little_words_stand_behind_it(text: str) -> None:
    assert is_asked(text)


def test_an_if_behind_a_word_of_finding_out_is_no_condition() -> None:
    assert steps("check if README.md mentions rope") == [("grep", {"path": "README.md", "text": "rope"})]


@pytest.mark.parametrize("text", ["delete the photo", "open the photo"])
def test_of_a_kind_there_are_those_too_whose_names_do_not_say_it(text: str) -> None:
    """`photo_album.md` says a part of it, and the folder of the photos says it of two others."""
    assert is_asked(text)


def test_what_a_name_says_is_found_among_others_of_its_kind() -> None:
    assert HERE.steps_or_first_answer("delete the photo of the bow") == [("rm", {"path": "photos/bow.jpg"})]


@pytest.mark.parametrize("text", ["open a plan", "show me some plan", "delete a plan"])
def test_one_of_some_kind_is_not_the_only_one_that_is_there(text: str) -> None:
    assert is_asked(text)


def test_the_one_of_some_kind_is_the_only_one_that_is_there() -> None:
    assert steps("open the plan") == [("read", {"path": "boat/sail_plan.md"})]


@pytest.mark.parametrize(
    "text", ["move the receipt to the attic", "copy the receipt to the attic", "go to the letter", "open the receipt"]
)
def test_one_thing_is_not_the_folder_of_many(text: str) -> None:
    assert is_asked(text)


def test_the_folder_of_many_is_meant_where_a_folder_is_said() -> None:
    moved = [("mv", {"path": "receipts", "to": "attic/receipts"})]
    assert steps("move the receipt folder to the attic") == moved
    assert steps("move the receipts to the attic") == moved


@pytest.mark.parametrize(
    "text",
    [
        "is main.py deleted?",
        "was the photos folder removed?",
        "were the photos moved to the attic?",
        "did boat/engine.py move to the attic?",
        "is the photos folder new?",
    ],
)
def test_whether_something_is_so_is_asked_and_not_made_so(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text",
    [
        "I want to be in a folder called spare",
        "I need to use a folder called spare",
        "I need to use an environment called sea",
    ],
)
def test_what_somebody_wants_to_do_with_it_does_not_make_it(text: str) -> None:
    assert is_asked(text)


def test_what_somebody_wants_is_made() -> None:
    assert steps("I want a folder called spare") == [("mkdir", {"path": "spare"})]


@pytest.mark.parametrize("text", ["the removed photos", "the deleted photos folder", "give me the deleted photos"])
def test_how_something_is_called_does_not_make_it_so(text: str) -> None:
    """A verb between an article and a noun says which of them."""
    assert is_asked(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a new folder called spare", [("mkdir", {"path": "spare"})]),
        ("a note reading 'x' called rope", [("write_note", {"name": "rope", "text": "x"})]),
    ],
)
def test_what_is_named_with_an_article_is_made(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        # An article, or a word of how often.
        "run pytest this evening",
        "run main.py the second time",
        "run pytest every evening",
        # A comma that parts words.
        "run pytest, quietly",
        # A little word.
        "run pytest with coverage",
        "run pytest in tests",
        # Words that begin like a command at a terminal.
        "sort crew",
        "date tomorrow",
    ],
)
def test_english_behind_a_program_is_not_what_it_is_run_with(text: str) -> None:
    assert is_asked(text)


def test_a_program_that_says_words_is_run_with_a_sentence() -> None:
    assert steps("run echo the mast is broken") == [("run", {"command_line": "echo the mast is broken"})]


@pytest.mark.parametrize("text", ["find letters", "search for pictures", "find anchor in the boat folder"])
def test_of_two_readings_that_are_about_as_good_none_is_taken(text: str) -> None:
    """A name of what is there, or a text in it?"""
    assert is_asked(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # The other passes a word over: a flag, a slip of a verb.
        ('find boat -name "*.py"', [("find", {"path": "boat", "pattern": "*.py"})]),
        ("documnt boat into attic/boat", [("document", {"path": "boat", "to": "attic/boat"})]),
        # The other has only one of the verb's words.
        ("git stauts", [("status", {})]),
        # The other takes little words into its text that stand around it.
        ("search please the word rope in boat", [("grep", {"path": "boat", "text": "rope"})]),
        ("grep rope in sail plan", [("grep", {"path": "boat/sail_plan.md", "text": "rope"})]),
    ],
)
def test_a_reading_that_makes_use_of_less_is_no_rival(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("search for rope, I need every line", [("grep", {"text": "rope"})]),
        # What is announced is somebody's own, with all of its clauses.
        (
            "commit with message rope replaced, I need it today",
            [("commit", {"message": "rope replaced, I need it today"})],
        ),
    ],
)
def test_a_text_without_quotes_ends_where_somebody_goes_on(text: str, wanted: list[tuple[str, dict[str, Any]]]) -> None:
    assert steps(text) == wanted


def test_what_says_more_of_a_command_is_not_the_same_one_of_all_there_is() -> None:
    """The verb before is borrowed only for another thing that it is done to."""
    assert is_asked("list boat. Take the newest five.")
    assert steps("list boat, and the attic") == [("ls", {"path": "boat"}), ("ls", {"path": "attic"})]


def test_what_is_to_be_made_of_something_is_said_in_the_passive_too() -> None:
    copied = [("cp", {"path": "main.py", "to": "spare.py"})]
    assert steps("a backup copy of main.py has to be made as spare.py") == copied


def test_where_something_belongs_is_an_order_where_nothing_else_is_asked_for() -> None:
    assert steps("main.py belongs in the attic") == [("mv", {"path": "main.py", "to": "attic/main.py"})]


@pytest.mark.parametrize(
    "text",
    [
        "do not change anything, just delete photos",
        "do not open photos, delete main.py",
        "don't change README.md, delete main.py",
        # Nothing is changed, and it is just what is forbidden.
        "never read main.py, read main.py",
    ],
)
def test_beside_what_is_forbidden_nothing_is_changed(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text", ["audit all but boat", "commit all but main.py with 'x'", "delete boat but engine.py", "delete photos but"]
)
def test_what_is_taken_out_is_not_what_is_meant(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text",
    ["delete it from boat", "remove it from the photos folder", "fix it in boat/engine.py", "delete it, main.py"],
)
def test_it_is_not_the_place_that_is_named_behind_it(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize("text", ["make a folder spare, it is in boat", "copy main.py to attic, it is a new name"])
def test_what_is_said_of_it_may_rule_the_command(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize(
    "text",
    [
        # Behind a stop, or “then”.
        "list boat. Show",
        "list boat then show",
        # Behind “and”, in a text of somebody's own.
        "append rope and delete to README.md",
        "commit with message rope and delete",
        "search for anchor and copy",
    ],
)
def test_a_verb_that_begins_another_command_is_not_passed_over(text: str) -> None:
    assert is_asked(text)


def test_a_report_on_code_that_may_be_the_code_before_is_not_one_on_all_of_it() -> None:
    assert is_asked("analyse boat and write a report to quality.md")


def test_a_verb_is_no_slip_of_a_folders_name() -> None:
    tree = Tree.of([("shop/cart.md", "file"), ("attic/.keep", "file")])
    assert is_asked("go to show", tree)
    assert is_asked("copy show to attic", tree)


def test_a_name_that_is_spelt_alike_is_no_better_than_others_that_fit() -> None:
    here = ("harbours/ferrol.md", "docs/harbor_rules.md", "docs/harbour_rates.md", "attic/.keep")
    assert is_asked("move the harbor to attic", Tree.of((path, "file") for path in here))


@pytest.mark.parametrize("text", ["write note rope about main.py", "write branch to README.md"])
def test_nouns_of_another_command_are_no_text_to_be_written_over_a_file(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize("text", ["append whatever to README.md", "commit with message whatever"])
def test_a_word_for_any_text_is_none(text: str) -> None:
    assert is_asked(text)


@pytest.mark.parametrize("text", ["write 'x' to a new note", "stop the new program"])
def test_that_something_is_new_is_not_its_name(text: str) -> None:
    assert is_asked(text)


def test_what_is_missing_is_not_made_under_that_name() -> None:
    assert is_asked("an environment is missing")


def test_words_that_describe_a_package_are_no_packages() -> None:
    assert is_asked("install rope: anchor")
    assert steps("install rope and anchor") == [("run", {"command_line": "pip install rope anchor"})]


def test_what_is_described_is_no_slip_of_a_program() -> None:
    assert is_asked("run the pythn")


def test_the_name_of_what_is_here_is_no_slip_of_a_verb() -> None:
    assert is_asked("coppy main.py to attic", Tree.of((*((path, "file") for path in PATHS), ("coppy/a.md", "file"))))
    assert steps("coppy main.py to attic") == [("cp", {"path": "main.py", "to": "attic/main.py"})]


def test_it_is_no_text_to_be_written() -> None:
    assert is_asked("audit boat and have it written to checks.md")
