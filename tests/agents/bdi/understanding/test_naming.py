"""One measure of names: for the files of a workspace, and for the components that a typed line is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.understanding.names import components, naming
from agents.bdi.understanding.names.naming import Fit
from agents.bdi.understanding.names.paths import Tree
from agents.mastermind.components import Component, find

WORD = st.text("abcdefghijklmnop", min_size=2, max_size=9).filter(
    lambda word: not {word, word.removesuffix("s")} & (naming.KINDS | naming.ARTICLES)
)


def fitted(said: str, name: str) -> Fit | None:
    return naming.fit(naming.own(naming.words_of(said)), naming.words_of(name))


@pytest.mark.parametrize(
    "said", ["base_gen_agent", "BaseGenAgent", "base-gen agent", "the Base Gen", "base  GEN tools"]
)
def test_however_a_name_joins_its_words_they_are_the_same_words(said: str) -> None:
    assert fitted(said, "base_gen_agent") == Fit(naming.WHOLE, is_whole=True, is_slip=False)


@pytest.mark.parametrize(
    ("said", "score", "is_slip"),
    [
        ("summarization", naming.WHOLE, False),
        ("summarisation", naming.SPELT, False),
        ("summarizations", naming.SPELT, False),
        ("summ", naming.SHORT, False),
        ("summariser", naming.SHORT, False),
        ("sumarization", naming.SLIP, True),
    ],
)
def test_a_word_says_how_it_was_met(said: str, score: float, is_slip: bool) -> None:
    assert fitted(said, "summarization") == Fit(score, is_whole=True, is_slip=is_slip)


@pytest.mark.parametrize("said", ["s", "su", "weather", "summarization weather", "summit", ""])
def test_other_words_and_a_letter_or_two_do_not_meet_a_name(said: str) -> None:
    assert fitted(said, "summarization") is None


def test_half_of_a_name_is_not_the_whole_of_it_and_what_all_names_have_need_not_be_said() -> None:
    assert fitted("gen", "base_gen_agent") == Fit(naming.WHOLE, is_whole=False, is_slip=False)
    assert fitted("git", "git_tool") == Fit(naming.WHOLE, is_whole=True, is_slip=False)
    # What all names have is no short form either: “too” is no tool.
    assert fitted("too", "git_tool") is None
    # Where nothing else is said, it is what was meant.
    assert fitted("the agent", "base_gen_agent") is not None


@given(st.lists(WORD, min_size=1, max_size=4, unique=True), st.sampled_from(["_", "-", " "]), st.randoms())
def test_all_words_of_a_name_in_any_order_and_joined_in_any_way_mean_the_whole_of_it(
    words: list[str], sign: str, order: object
) -> None:
    said = list(words)
    order.shuffle(said)  # type: ignore[attr-defined]
    assert fitted(sign.join(said), "_".join(words)) == Fit(naming.WHOLE, is_whole=True, is_slip=False)


@given(st.text(max_size=40), st.text(max_size=40))
def test_whatever_is_said_is_measured(said: str, name: str) -> None:
    fit = fitted(said, name)
    assert fit is None or naming.SLIP <= fit.score <= naming.WHOLE
    assert 0 <= naming.likeness(naming.words_of(said), naming.words_of(name)) <= 1


@pytest.mark.parametrize(
    ("said", "path", "name"),
    [
        ("the summarization tool", "tools/summarization.py", "summarization"),
        ("SummarisationTool", "tools/summarization.py", "summarization"),
        ("the summarizer", "tools/summarization.py", "summarization"),
        ("the base generator", "tools/base_gen_agent.py", "base_gen_agent"),
        ("the base gen module", "tools/base_gen_agent.py", "base_gen_agent"),
    ],
)
def test_a_goal_and_a_typed_line_mean_the_same_part_by_the_same_words(said: str, path: str, name: str) -> None:
    tree = Tree.of((one, "file") for one in ("tools/summarization.py", "tools/base_gen_agent.py", "main.py"))
    assert components.locate(said.split(), tree).value == path
    known = [Component("tool", "summarization"), Component("tool", "base_gen_agent"), Component("agent", "mindx")]
    assert find(said, known).component == Component("tool", name)


def test_a_slip_is_near_enough_for_a_file_that_a_plan_will_show_and_a_question_to_a_command() -> None:
    tree = Tree.of([("tools/summarization.py", "file")])
    assert components.locate(["sumarization", "tool"], tree).value == "tools/summarization.py"
    match = find("the sumarization tool", [Component("tool", "summarization")])
    assert match.component is None
    assert match.suggestions == (Component("tool", "summarization"),)


def test_a_file_that_is_named_letter_by_letter_comes_before_one_in_another_number() -> None:
    tree = Tree.of((one, "file") for one in ("src/notes.py", "src/note.py"))
    assert components.locate(["the", "notes", "tool"], tree).value == "src/notes.py"
    assert components.locate(["note"], tree).value == "src/note.py"
