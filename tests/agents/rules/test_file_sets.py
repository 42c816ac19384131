"""Sets of files said in words, and steps for each of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.beliefs.perception import perceive
from agents.bdi.planning.means_ends import plan
from agents.rules.file_sets import FileSet, Items, UnreadableSet, items_in, read_set
from agents.rules.grammar import RuleSyntaxError, parse
from agents.rules.linter import lint
from agents.rules.printing import print_rule
from agents.toolkit.registry import REGISTRY
from agents.toolkit.types import NoPlan, PlanDraft
from tests.agents.bdi.worlds import known, world

RULE = """RULE copy them
IF your task is to copy {files} to {folder}
THEN:
  FOR EACH {file} OF {files}: copy the file or folder {file} to "{folder}/{file_name}"
"""
_NAMES = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Co", "Cn")), min_size=1, max_size=20
)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("every file that ends with .bak", FileSet(names=("*.bak",))),
        ("logs larger than 2 MB in old", FileSet(names=("*.log",), larger=2_000_000, folder="old")),
        ("everything that hasn't been changed for two weeks", FileSet(older_s=1_209_600)),
        ('files that contain "paid and sent" in bills', FileSet(texts=("paid and sent",), folder="bills")),
        ("the five newest python files", FileSet(names=("*.py",), order="newest", most=5)),
        ("report*", FileSet(names=("report*",))),
    ],
)
def test_a_description_says_which_files_are_meant(said: str, meant: FileSet) -> None:
    assert read_set(said) == meant


@pytest.mark.parametrize(
    "said",
    ["", "notes", "the project", "files that mention this and are old", "files larger than a lot", "files in ../x"],
)
def test_what_is_not_understood_to_its_last_word_is_no_set(said: str) -> None:
    with pytest.raises(UnreadableSet):
        read_set(said)


@given(st.lists(_NAMES, max_size=6), st.integers(0, 9))
def test_a_belief_gives_back_the_items_that_it_lists(names: list[str], more: int) -> None:
    items = Items(tuple(names), more if names else 0)
    assert items_in(items.belief(FileSet()), FileSet()) == items
    assert items_in(items.belief(FileSet()), FileSet(larger=1)) is None


def test_each_file_is_a_step_of_its_own_that_can_be_read_in_the_plan() -> None:
    def look(of: FileSet) -> Items:
        return Items(("a b.txt", "x/-c.txt"))

    found = plan("copy all .txt files to old", known(RULE), perceive(world("old/")), REGISTRY, look=look)
    assert isinstance(found, PlanDraft)
    assert [step.values()["path"] for step in found.steps] == ["a b.txt", "x/-c.txt"]
    assert [step.values()["to"] for step in found.steps] == ["old/a b.txt", "old/-c.txt"]
    assert {step.params["path"].origin for step in found.steps} == {"belief"}
    # Planned again from what was believed, nobody looks: the files of that day are the files.
    again = plan(
        "copy all .txt files to old",
        known(RULE),
        [*perceive(world("old/")), *_beliefs(found)],
        REGISTRY,
    )
    assert isinstance(again, PlanDraft)
    assert [step.values() for step in again.steps] == [step.values() for step in found.steps]


def _beliefs(found: PlanDraft) -> list[Any]:
    from agents.toolkit.types import Belief

    return [Belief(**one) for one in found.evidence["beliefs"]]


@pytest.mark.parametrize(
    ("items", "why"),
    [
        (Items(()), 'there are no files named "*.txt"'),
        (Items(("a.txt",), 700), "at most"),
        (Items(tuple(map(str, range(60)))), "50 steps"),
    ],
)
def test_a_set_that_no_plan_can_show_makes_none(items: Items, why: str) -> None:
    found = plan("copy all .txt files to old", known(RULE), perceive(world("old/")), REGISTRY, look=lambda of: items)
    assert isinstance(found, NoPlan)
    assert why in found.evidence["rejected"][0]["why"]


def test_a_rule_with_a_loop_is_printed_as_it_is_read() -> None:
    (rule,) = parse(RULE)
    (again,) = parse(print_rule(rule))
    assert again.body[0].loop == rule.body[0].loop
    assert again.body[0].text == rule.body[0].text


@pytest.mark.parametrize(
    "step", ["FOR EACH {file} OF files", "FOR EACH file OF files: list the notes", "FOR ALL {f}: x"]
)
def test_an_unfinished_loop_cannot_be_read(step: str) -> None:
    with pytest.raises(RuleSyntaxError, match="incomplete"):
        parse(f"IF your task is to tidy\nTHEN: {step}\n")


@pytest.mark.parametrize(
    "step", ["FOR EACH {file} OF the blue ones: read the file {file}", "FOR EACH {file} OF all files: list the notes"]
)
def test_the_linter_names_a_loop_that_cannot_work(step: str) -> None:
    found = lint(parse(f"IF your task is to tidy\nTHEN: {step}\n"), REGISTRY)
    assert "for_each" in {problem.code for problem in found if problem.severity == "error"}


BEHIND = """RULE tidy
IF your task is to tidy
THEN:
  write "x" to the file new.txt
  PLAN TO copy all .txt files to old
"""


def test_nobody_says_which_files_there_are_after_steps_that_change_them() -> None:
    rules = [*known(RULE), *known(BEHIND)]
    found = plan("tidy", rules, perceive(world("old/")), REGISTRY, look=lambda of: Items(("a.txt",)))
    assert isinstance(found, NoPlan)
    assert "steps before it change files" in str(found.evidence)
