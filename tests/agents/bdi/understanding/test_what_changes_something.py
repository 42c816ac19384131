"""What changes something is offered only where it says all that the text says."""

from __future__ import annotations

import pytest

from agents.bdi.understanding.understand import understand
from agents.bdi.understanding.understood import Understood
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    [
        *(
            "README.md",
            "plan.txt",
            "members.csv",
            "shop/cart.py",
            "shop/tests/test_cart.py",
            "drafts/one.txt",
            "drafts/two.txt",
        ),
        *("photos/bow.jpg", "attic/Choir_backup.md"),
    ]
)

_SHOWING = ("simple_coder.read", "simple_coder.grep", "simple_coder.find", "simple_coder.ls")


def _read(text: str) -> Understood:
    return understand(text, HERE.tree, REGISTRY)


def _offers(text: str) -> list[str]:
    return [choice.label for question in _read(text).questions for choice in question.choices]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("delete everything in drafts besides two.txt", "besides"),
        ("erase the heading of plan.txt", "heading"),
        ("get rid of the field age in members.csv", "age"),
        ("remove the old choir backup from the attic", "old"),
        ("stop the shop server but keep the queue", "queue"),
        ("move members.csv to attic and encrypt it", "encrypt"),
        ("delete the tests of shop/tests/test_cart.py", "tests"),
        ("copy plan.txt to attic so that it begins with 2031", "begins"),
        ("create the branch storm from main, version 1.3 is already two months old", "1.3"),
    ],
)
def test_what_would_leave_a_part_of_the_text_out_is_told_and_not_offered(text: str, told: str) -> None:
    found = _read(text)
    assert not found.is_sure
    assert not [one for one in _offers(text) if one.split(" ")[0] not in _SHOWING]
    assert any("says nothing of" in near and f"“{told}”" in near for near in found.nearest), found.nearest


@pytest.mark.parametrize(
    "text",
    [
        "write integration tests for shop/cart.py",
        "write a letter of thanks to plan.txt",
        "put some advice about pruning into plan.txt",
    ],
)
def test_words_that_tell_of_a_text_are_not_offered_to_be_written(text: str) -> None:
    assert not _read(text).is_sure
    assert not [one for one in _offers(text) if one.startswith("simple_coder.write")]


def test_the_contents_of_a_file_are_no_text_that_begins_with_of() -> None:
    assert HERE.steps("overwrite plan.txt with the contents of README.md") == [
        ("cp", {"path": "README.md", "to": "plan.txt", "overwrite": True})
    ]
    text = "overwrite plan.txt with the contents of README.md but keep the heading"
    assert not _read(text).is_sure
    assert not _offers(text)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("delete the photo of the bow", "simple_coder.rm with path = photos/bow.jpg"),
        ("delete plan.txt, nobody needs it any more", "simple_coder.rm with path = plan.txt"),
        ("make a folder archive for the new year", "simple_coder.mkdir with path = archive"),
    ],
)
def test_what_says_all_that_is_asked_for_is_offered(text: str, label: str) -> None:
    assert label in _offers(text)


def test_where_the_answers_only_show_something_it_is_said_that_they_are_not_all() -> None:
    (question,) = _read("show the first four lines of members.csv sorted by age").questions
    assert question.text.startswith("mindX cannot do all of “show the first four lines")
    assert question.choices
    # To look for half of the sentence says nothing of it.
    (question,) = _read("find out whether plan.txt is plagiarised").questions
    assert question.text.startswith("mindX cannot do all of")


def test_no_value_is_asked_for_where_none_would_make_it_what_is_said() -> None:
    found = _read("write an answer to the last letter of Mrs Miller")
    assert [one.parameter for one in found.questions] == [""]
    assert any("quotation marks" in near for near in found.nearest), found.nearest


def test_a_clause_is_no_part_of_a_name() -> None:
    text = "rename every photo in photos so that it begins with 2031"
    assert _offers(text) == []
    assert any("“begins”" in near for near in _read(text).nearest)


def test_a_sentence_is_no_name_of_a_file() -> None:
    for text in ("make the whole cart feel less crowded", "explain why tests are slow"):
        found = _read(text)
        assert [one.parameter for one in found.questions] == [""], text


def test_nothing_that_is_there_is_offered_for_what_is_made_new() -> None:
    (question,) = _read("document shop/cart.py").questions
    assert (question.parameter, question.choices) == ("to", ())
