"""Where a comment stands in the next revision: each fate, and laws over shuffled plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.plans.document import Document, IntentSpec
from review.reading import anchors
from review.reading.anchors import Fate
from tests.review.plans import MKDIR, WRITE, step

RUN = step("run", command_line="ls -l")


def document(*main: IntentSpec, cleanup: Sequence[IntentSpec] = ()) -> Document:
    placed = tuple(replace(spec, position=at) for at, spec in enumerate(main, 1))
    undo = tuple(replace(spec, position=at, phase="cleanup") for at, spec in enumerate(cleanup, len(main) + 1))
    return Document("1", "a goal", "files", "", 1, "rule", placed, undo)


@pytest.mark.parametrize(
    ("anchor", "after", "found", "fate"),
    [
        ("", (MKDIR, WRITE), "", Fate.SAME),
        ("", (MKDIR,), "", Fate.CHANGED),
        ("intent:2", (MKDIR, WRITE), "intent:2", Fate.SAME),
        ("intent:2", (WRITE,), "intent:1", Fate.SAME),
        ("intent:2", (MKDIR, step("write", path="other.txt", content="x")), "intent:2", Fate.CHANGED),
        ("intent:2", (MKDIR, RUN), "intent:2", Fate.GONE),
        ("intent:2:path", (RUN, MKDIR, WRITE), "intent:3:path", Fate.SAME),
        (
            "intent:2:path",
            (step("write", path="other.txt", content=WRITE.params["content"]),),
            "intent:1:path",
            Fate.CHANGED,
        ),
        (
            "intent:2:content",
            (step("write", path="b", content=WRITE.params["content"]),),
            "intent:1:content",
            Fate.SAME,
        ),
        ("intent:2:content", (step("write", path="notes/one.txt"),), "intent:2:content", Fate.GONE),
        ("intent:2:path", (), "intent:2:path", Fate.GONE),
        ("gone", (MKDIR, WRITE), "gone", Fate.GONE),
    ],
)
def test_a_comment_follows_what_it_stands_on(
    anchor: str, after: tuple[IntentSpec, ...], found: str, fate: Fate
) -> None:
    carried = anchors.carried(anchor, document(MKDIR, WRITE), document(*after))
    assert (carried.anchor, carried.fate) == (found, fate)


def test_a_step_of_the_clean_up_is_never_taken_for_a_main_one() -> None:
    before, after = document(MKDIR, cleanup=[RUN]), document(MKDIR, RUN)
    assert anchors.carried("intent:2", before, after).fate is Fate.GONE


def test_every_argument_and_step_can_be_talked_about_and_nothing_else() -> None:
    found = [place.anchor for place in anchors.places(document(MKDIR, WRITE))]
    assert found == ["", "intent:1", "intent:1:path", "intent:2", "intent:2:path", "intent:2:content"]
    for wrong in ("intent:3", "intent:1:content", "intent:01", "intent", "plan", "intent:1:path:x", "intent:٢"):
        assert anchors.place_at(document(MKDIR, WRITE), wrong) is None


STEPS = st.lists(st.sampled_from([MKDIR, WRITE, RUN, step("mkdir", path="b"), step("rm", path="c")]), max_size=8)


@given(old=STEPS, new=STEPS)
def test_two_steps_are_never_taken_for_one(old: list[IntentSpec], new: list[IntentSpec]) -> None:
    pairs = anchors.aligned(document(*old), document(*new))
    assert len(set(pairs.values())) == len(pairs)
    for one, other in pairs.items():
        assert (old[one - 1].tool, old[one - 1].command) == (new[other - 1].tool, new[other - 1].command)


@given(steps=STEPS)
def test_in_an_equal_plan_every_step_stays_where_it_is(steps: list[IntentSpec]) -> None:
    assert anchors.aligned(document(*steps), document(*steps)) == {at: at for at in range(1, len(steps) + 1)}


@given(steps=st.permutations([MKDIR, WRITE, RUN, step("rm", path="c")]))
def test_steps_that_only_moved_are_the_same_steps(steps: list[IntentSpec]) -> None:
    before = document(MKDIR, WRITE, RUN, step("rm", path="c"))
    for at, spec in enumerate(before.intents, 1):
        found = anchors.carried(f"intent:{at}", before, document(*steps))
        assert found.fate is Fate.SAME
        assert steps[anchors.position_of(found.anchor) - 1].command == spec.command
