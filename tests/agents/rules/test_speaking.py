"""What is filed under its head words is found whenever it says anything: held against asking every pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.beliefs import revision
from agents.rules.entailment import entails
from agents.rules.facts import Inventory, Listing, Owning, Place, Quality, Thing, Venv
from agents.rules.speaking import Speaking, speaking_of
from agents.toolkit.types import Belief

paths = st.sampled_from(["a", "b", "a/b", "a/b/c", "a/x", "b/c", "ab", "../a", "/a"])
folders = st.one_of(st.just(""), paths)
names = st.lists(st.sampled_from(["a", "b", "c", "x.txt"]), unique=True, max_size=3).map(tuple)
facts = st.one_of(
    st.builds(Thing, st.sampled_from(["file", "folder", "entry"]), paths, st.booleans()),
    st.builds(Listing, st.sampled_from(["file", "folder", "entry"]), folders, names, st.sampled_from([0, 2])),
    st.builds(Venv, folders, st.sampled_from([None, "a", "b"]), st.booleans()),
    st.builds(Inventory, st.sampled_from(["program", "tool"]), names),
    st.builds(
        Place, st.sampled_from(["you", "cup"]), st.just("in"), st.sampled_from(["hall", "cellar"]), st.booleans()
    ),
    st.builds(Place, st.just("you"), st.just("in"), folders, st.booleans(), st.just(True)),
    st.builds(Quality, st.sampled_from(["door", "valve 3"]), st.sampled_from(["open", "closed", "wet"]), st.booleans()),
    st.builds(Owning, st.sampled_from(["workspace", "cook"]), st.sampled_from(["tests", "notes"]), st.booleans()),
).map(lambda fact: fact.sentence())
others = st.sampled_from(
    [
        "Python 3.11.2 is installed.", "python is installed", "Python 3 or newer is installed.", "pytest is installed",
        "pytest is not installed in the folder a", "pytest is installed in a", "the python version is at least 3.10",
        "the folder a has tests", "The folder a has no tests.", "the workspace has notes", "there are no notes",
        "the folder a has at least 2 files", "the folder a has 3 files", "the workspace has at most 5 files",
        "the temperature is above 20", "the temperature is 25", "It is raining hard.", "It is not raining hard.",
        "The door is open. You are in the hall.", "the folder a is empty", "The workspace is empty.",
        "there are no files in the folder a", "you are in the workspace", "The tool \"git\" is available.",
        "there is a virtual environment in the folder a", "The note b is there.", "there is a note named a",
        "the folder a/b has a virtual environment named a", "the light is on", "the light is off",
        "pytest is available", "git is missing", "A light is on.", "You see no door.", "you see a door",
        "You never see a door.", "you are in the hall at the moment",
    ]
)  # fmt: skip
sentence = st.one_of(facts, others)


@given(st.lists(sentence, min_size=1, max_size=12), sentence, st.sampled_from(["", "a", "a/b"]))
def test_whatever_decides_a_sentence_is_found(beliefs: list[str], hypothesis: str, cwd: str) -> None:
    found = set(Speaking(beliefs).about(hypothesis, cwd))
    deciding = {n for n, belief in enumerate(beliefs) if entails(belief, hypothesis, cwd).answer != "unknown"}
    assert deciding <= found, [beliefs[n] for n in deciding - found]


@given(st.lists(sentence, max_size=8), st.lists(sentence, max_size=8), sentence, st.sampled_from(["", "a"]))
def test_what_is_decided_is_what_asking_each_of_them_decides(
    before: list[str], beliefs: list[str], hypothesis: str, cwd: str
) -> None:
    asked = {n: entails(belief, hypothesis, cwd) for n, belief in enumerate(beliefs)}
    decided = {n: verdict for n, verdict in asked.items() if verdict.answer != "unknown"}
    earlier = Speaking(before)
    earlier.decide(hypothesis, cwd)
    filed = earlier.now(beliefs)
    assert filed.decide(hypothesis, cwd) == decided
    assert list(filed.decide(hypothesis, cwd)) == sorted(decided), "in the order of the beliefs, also when asked again"


@given(st.lists(sentence, max_size=8), st.lists(sentence, min_size=1, max_size=3), st.sampled_from(["", "a"]))
def test_no_sentence_is_passed_over_that_decides_one_of_several(
    beliefs: list[str], hypotheses: list[str], cwd: str
) -> None:
    for belief, may in zip(beliefs, speaking_of(hypotheses, beliefs, cwd), strict=True):
        assert may or all(entails(belief, each, cwd).answer == "unknown" for each in hypotheses)


@given(st.lists(sentence, max_size=8), st.lists(sentence, max_size=8), sentence, st.sampled_from(["", "a"]))
def test_sentences_that_are_filed_on_are_found_as_if_they_were_filed_anew(
    before: list[str], after: list[str], hypothesis: str, cwd: str
) -> None:
    filed = Speaking(before)
    assert filed.now(after).about(hypothesis, cwd) == Speaking(after).about(hypothesis, cwd)
    assert filed.about(hypothesis, cwd) == Speaking(before).about(hypothesis, cwd)


@given(st.lists(sentence, max_size=8, unique=True), sentence)
def test_revising_looks_at_all_that_the_news_says_something_about(before: list[str], new: str) -> None:
    beliefs, news = [Belief(each) for each in before], [Belief(new, "inference")]
    with pytest.MonkeyPatch.context() as everything:
        everything.setattr(revision, "spoken_of", lambda _, hypotheses: [True for _ in hypotheses])
        asked_all = revision.revise(beliefs, news)
    assert revision.revise(beliefs, news) == asked_all


def test_every_pair_of_the_sentences_written_here_is_found() -> None:
    said = [each for each in others.elements]  # type: ignore[attr-defined]  # noqa: C416
    filed = Speaking(said)
    for hypothesis in said:
        found = set(filed.about(hypothesis))
        deciding = {n for n, belief in enumerate(said) if entails(belief, hypothesis).answer != "unknown"}
        assert deciding <= found, (hypothesis, [said[n] for n in deciding - found])


def test_most_beliefs_are_not_asked() -> None:
    said = [f"The valve {n} is open." for n in range(200)] + [f"There is a folder named area{n}." for n in range(200)]
    filed = Speaking(said)
    assert filed.about("the valve 7 is closed") == [7]
    assert filed.about("there is a file named area7/report.txt") == [207]
