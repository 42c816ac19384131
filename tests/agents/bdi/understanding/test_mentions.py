"""Names in running words: what is here and is spoken of, and what is to be made and has a name with spaces."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.understanding.names.mentions import with_names
from agents.bdi.understanding.names.new_names import with_new_names
from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.bdi.understanding.words.tokens import tokens_of
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

PATHS = (
    "Choir/Programme winter.md",
    "Choir/Programme summer.md",
    "Choir/Members' meeting.txt",
    "Choir/Letters/1987-02 to Søren.txt",
    "Choir/Letters/1987-05 from Søren.txt",
    "Choir/Minutes/2023-11-07 board.md",
    "Choir/Minutes/2023-12-05 board.md",
    "Garden/Uncle Léon's plum jam.txt",
    "Garden/bed 1.txt",
    "Garden/bed 2.txt",
    "Garden/seed-list.csv",
    "Garden/photos/pond 1999.tif",
    "Garden/2022/harvest.csv",
    "Garden/2023/harvest.csv",
    "attic/Choir_backup.md",
    "part4_draft.md",
    "draft.py",
    "radio.md",
    "radio_talks.csv",
    "notes/plums.md",
)
HERE = Workspace.of(PATHS)
TREE, steps, is_asked = HERE.tree, HERE.steps, HERE.is_asked


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("show me the winter programme", "Choir/Programme winter.md"),
        ("could you open the notes on the members' meeting?", "Choir/Members' meeting.txt"),
        # Without the accents that nobody types, and with whose it is.
        ("read uncle leon's plum jam", "Garden/Uncle Léon's plum jam.txt"),
        ("show me the recipe for uncle Leon's plum jam, please", "Garden/Uncle Léon's plum jam.txt"),
        # Numbers, dates and months as they are said.
        ("open bed 2", "Garden/bed 2.txt"),
        ("read the board minutes of 7 November", "Choir/Minutes/2023-11-07 board.md"),
        ("show the 2022 harvest", "Garden/2022/harvest.csv"),
        # Of two that have the same words, the one whose little words are said.
        ("show the letter to Soren", "Choir/Letters/1987-02 to Søren.txt"),
        ("show the letter from Soren", "Choir/Letters/1987-05 from Søren.txt"),
        ("read the seed list", "Garden/seed-list.csv"),
    ],
)
def test_a_phrase_names_the_entry_that_all_of_its_words_are_of(text: str, path: str) -> None:
    assert steps(text) == [("read", {"path": path})]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            "show the beds 1 and 2",
            [("read", {"path": "Garden/bed 1.txt"}), ("read", {"path": "Garden/bed 2.txt"})],
        ),
        (
            "read both Soren letters",
            [
                ("read", {"path": "Choir/Letters/1987-02 to Søren.txt"}),
                ("read", {"path": "Choir/Letters/1987-05 from Søren.txt"}),
            ],
        ),
        ("remove the choir backup from the attic", [("rm", {"path": "attic/Choir_backup.md"})]),
        (
            "move the picture of the pond from 1999 to the attic",
            [("mv", {"path": "Garden/photos/pond 1999.tif", "to": "attic/pond 1999.tif"})],
        ),
        # What is made has its name to the end of the clause, or to its ending.
        ("make a folder called Spring concert", [("mkdir", {"path": "Spring concert"})]),
        (
            "copy the winter programme to Programme spring.md and open the copy",
            [
                ("cp", {"path": "Choir/Programme winter.md", "to": "Choir/Programme spring.md"}),
                ("read", {"path": "Choir/Programme spring.md"}),
            ],
        ),
        (
            "rename the folder Garden/photos to Garden/photos 1999",
            [("mv", {"path": "Garden/photos", "to": "Garden/photos 1999"})],
        ),
        # “There” with a name of its own is the folder that was spoken of.
        (
            "make the folder Garden/2024 and copy seed-list.csv there as seeds.csv",
            [
                ("mkdir", {"path": "Garden/2024"}),
                ("cp", {"path": "Garden/seed-list.csv", "to": "Garden/2024/seeds.csv"}),
            ],
        ),
        ("search radio.md for waltz", [("grep", {"text": "waltz", "path": "radio.md"})]),
        ("find all tif files in the garden", [("find", {"pattern": "*.tif", "path": "Garden", "kind": "file"})]),
    ],
)
def test_names_are_taken_wherever_a_command_has_room_for_them(
    text: str, meant: list[tuple[str, dict[str, Any]]]
) -> None:
    assert HERE.steps_or_first_answer(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        # Two are said as well.
        "show me the Soren letter",
        "delete the programme",
        # One of a kind is none of those that are there.
        "send a letter to Soren",
        # A single word of a name is enough to look at it, and not to delete it.
        "delete the radio recipe",
        # A word that is in no name is not passed over.
        "show me the autumn programme",
        "delete the letter to Soren's brother",
        "read the minutes of 8 November",
    ],
)
def test_a_phrase_that_says_too_little_or_another_thing_is_asked_about(text: str) -> None:
    assert is_asked(text)


def test_a_note_or_a_program_of_that_name_is_meant_where_it_is_called_one() -> None:
    assert steps("show me the note plums") == [("show_note", {"name": "plums"})]
    assert steps("stop the program radio") == [("stop", {"name": "radio"})]


_WORD = st.sampled_from(
    [
        "quill",
        "zinnia",
        "trombone",
        "barnacle",
        "kelp",
        "gazebo",
        "walrus",
        "oboe",
        "fjord",
        "mitten",
        "pagoda",
        "turnip",
    ]
)


@given(st.lists(_WORD, min_size=2, max_size=4, unique=True), st.sampled_from((" ", "_", "-")), st.randoms())
def test_a_name_is_found_however_it_joins_its_words_and_in_whatever_order_they_are_said(
    words: list[str], joint: str, rng: Any
) -> None:
    path = "box/" + joint.join(words) + ".md"
    said = list(words)
    rng.shuffle(said)
    tokens = tokens_of("the " + " ".join(said))
    found = with_names(tokens, Tree.of([(path, "file"), ("box/zz.md", "file")]), lexicon_of(REGISTRY), is_far=False)
    assert [one.value for one in found] == ["the", path]


@given(st.lists(_WORD, min_size=2, max_size=4, unique=True), _WORD)
def test_a_word_more_than_the_name_has_is_never_taken_into_it(words: list[str], other: str) -> None:
    tree = Tree.of([("box/" + " ".join(words) + ".md", "file")])
    tokens = tokens_of("the " + " ".join(words) + " " + other)
    found = with_names(tokens, tree, lexicon_of(REGISTRY), is_far=True)
    assert [one.value for one in found][1:] == [
        "box/" + " ".join(words) + ".md",
        other,
    ] or other in words


def test_a_new_name_ends_with_its_clause_and_takes_no_little_word_in() -> None:
    raw = "make a folder called Spring concert in Garden"
    values = [one.value for one in with_new_names(tokens_of(raw), TREE, raw)]
    assert values == ["make", "a", "folder", "called", "Spring concert", "in", "Garden"]
    raw = "make a folder called Ideas next to Drafts"
    assert "Ideas" in [one.value for one in with_new_names(tokens_of(raw), TREE, raw)]
    raw = "copy it to the new file plan.md"
    assert [one.value for one in with_new_names(tokens_of(raw), TREE, raw)][-2:] == ["file", "plan.md"]
    raw = "copy a.md to b.md"
    assert [one.value for one in with_new_names(tokens_of(raw), TREE, raw)] == ["copy", "a.md", "to", "b.md"]
