"""The index of a tree finds all that going through every file would find, and looks at few of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from agents.bdi.understanding.effort import Effort, TooMuch
from agents.bdi.understanding.names import descriptions, naming, paths, tree_index
from agents.bdi.understanding.names.entries import FILE, FOLDER, Entry
from agents.bdi.understanding.names.paths import ANY, Tree, find
from agents.bdi.understanding.names.tree_index import TreeIndex
from agents.bdi.understanding.names.word_matching import Vocabulary, meets
from tests.agents.bdi.understanding.adversarial import large_tree

ODD = [
    ".env",
    ".env.example",
    ".gitignore",
    "src/__pycache__/app.pyc",
    ".git/config",
    "venv/pyvenv.cfg",
    "venv/bin/python",
    "README",
    "READ_ME.md",
    "notes/groceries.md",
    "notes/Bello.md",
    "images/rose.png",
    "docs/Öko-Plan.md",
    "docs/to_supervisor.txt",
    "v1.2",
    "v1.2/setup.cfg",
    "run3/out.log",
    "run003/out.log",
    "chapter2.md",
    "Chapter10.md",
    "report.2024.csv",
    "configs/db.yaml",
    "photos/IMG_0001.JPG",
    "a/a.b/c.d.e",
]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """A tree of some hundred files, with names that are written oddly."""
    return Tree.of((*list(large_tree().kinds.items())[::8], *((path, FILE) for path in ODD)))


def said(tree: Tree, count: int) -> Iterator[str]:
    """Names and words as they are here, with slips, in parts, and of nothing that is here."""
    draw = random.Random(11)
    every = [entry.path for entry in tree.index.entries]
    for _ in range(count):
        path = draw.choice(every)
        text = draw.choice((path, path.rpartition("/")[2], path.rpartition("/")[2].rpartition(".")[0], path.upper()))
        for _ in range(draw.choice((0, 0, 1, 2, 3))):
            at = draw.randrange(len(text) + 1)
            text = text[:at] + draw.choice(("", "x", "e", " ", "_", "7", text[at : at + 1] * 2)) + text[at + 1 :]
        yield text or "x"
    yield from ("the config", "source", "picture", "january", "oeko", "plan 7", "x.py", "md", "documents", "env", ".")


def test_a_name_means_what_comparing_it_with_every_file_would_say(tree: Tree) -> None:
    for text in said(tree, 120):
        here = tree.full(text)
        here = text if here.startswith("..") else here
        alike = {}
        for entry in tree.index.entries:
            sure, _ = paths._likeness(here, text, entry, tree)
            if sure >= 0.4:
                alike[tree.said(entry.path)] = round(sure, 3)
        assert {one.path: one.confidence for one in paths._ranked(text, tree, ANY)} == alike, text


def test_words_describe_what_comparing_them_with_every_file_would_say(tree: Tree) -> None:
    for text in said(tree, 120):
        ours = tuple(naming.words_of(text))[:3]
        if ours:
            fitting = {
                entry.path: fit
                for entry in tree.index.entries
                if (fit := descriptions._fit(ours, (), entry)) is not None
            }
            assert {path: fit for fit, path in descriptions._fitting(ours, (), tree, ANY)} == fitting, ours


def test_a_vocabulary_knows_all_words_that_a_word_meets(tree: Tree) -> None:
    words = sorted({word for entry in tree.index.entries for word in (*entry.own, *entry.around)})
    known = Vocabulary(words)
    for text in said(tree, 100):
        for word in naming.words_of(text):
            assert set(known.met_by(word)) == {theirs for theirs in words if meets(word, theirs)}, word


def test_what_is_machinery_or_inside_of_an_environment_is_not_meant(tree: Tree) -> None:
    shown = {entry.path for entry in tree.index.entries}
    assert not shown & {"src/__pycache__/app.pyc", ".git/config", "venv/pyvenv.cfg", "venv/bin/python", "venv/bin"}
    assert {"venv", ".env", ".gitignore"} <= shown
    assert tree.index.environments == ("venv",)


WAYS = (
    tree_index.by_name,
    tree_index.by_stem,
    tree_index.by_words,
    tree_index.by_short_words,
    tree_index.by_any_word,
    tree_index.by_number,
    tree_index.by_folder,
    tree_index.by_saying,
    tree_index.by_whole,
)


def paths_of(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    return sorted((entry.path, entry.kind) for entry in entries)


def test_an_index_with_changes_answers_like_one_that_is_made_anew(tree: Tree) -> None:
    draw = random.Random(5)
    index = tree.index
    for number in range(12):
        every = sorted(index.kinds)
        gone = set(draw.sample(every, 2))
        added = {f"made{number}/report_{number}.py": FILE, f"made{number}": FOLDER, draw.choice(every): FILE}
        if number == 6:
            added["fresh/pyvenv.cfg"] = FILE
        index = index.changed(gone, added)
        anew = TreeIndex(index.kinds)
        assert index.entries == anew.entries
        assert index.names == anew.names
        assert (index.of_code, index.packages, set(index.environments)) == (
            anew.of_code,
            anew.packages,
            set(anew.environments),
        )
        for entry in (*draw.sample(anew.entries, 20), *(one for one in anew.entries if one.path in added)):
            for way in WAYS:
                for key in way(entry):
                    assert list(index.at(way, key)) == list(anew.at(way, key))
            for word in entry.own[:2]:
                assert index.said_with(word) == anew.said_with(word)
            assert set(anew.spelt_like(entry.stem, 2)) <= set(index.spelt_like(entry.stem, 2))


def test_what_was_taken_away_and_made_again_is_there(tree: Tree) -> None:
    without = tree.index.changed({"chapter2.md"}, {})
    assert not without.at(tree_index.by_name, "chapter2.md")
    again = without.changed((), {"chapter2.md": FILE})
    assert paths_of(again.at(tree_index.by_name, "chapter2.md")) == [("chapter2.md", FILE)]


def test_many_changes_make_a_new_index(tree: Tree) -> None:
    assert tree.index.changed((), {"a.txt": FILE}).base is tree.index
    assert tree.index.changed((), {f"{number}.txt": FILE for number in range(200)}).base is None


def test_a_name_is_compared_with_few_of_many_files() -> None:
    tree = large_tree()
    for text in ("README.md", "src/app.py", "nothing_like_it.py", "a" * 1_000, "the wardrobe"):
        counted = Effort()
        find(text, replace(tree, effort=counted))
        assert counted.spent < len(tree.kinds) / 50, text


def test_comparing_with_more_names_than_a_text_may_cost_is_too_much(tree: Tree) -> None:
    with pytest.raises(TooMuch):
        find("report.py", replace(tree, effort=Effort(most=1)))
