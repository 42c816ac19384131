"""The beliefs of a planning stand once in its evidence, and every goal and sub-goal names them by the same numbers."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.planning.evidence import Log
from agents.toolkit.types import Belief

_BELIEF = st.builds(
    Belief,
    sentence=st.sampled_from(["The door is open.", "The door is closed.", "There is a folder named a."]),
    source=st.sampled_from(["perception", "person"]),
    confidence=st.sampled_from([1.0, 0.5]),
    at=st.sampled_from(["", "2026-11-22T10:00:00"]),
)


@given(st.lists(st.lists(_BELIEF, max_size=8), max_size=5))
def test_a_number_names_an_equal_belief_and_equal_ones_have_one_number(opened: Sequence[Sequence[Belief]]) -> None:
    log = Log()
    for beliefs in opened:
        node = log.open("a goal", [], beliefs, "", 0, 0)
        assert [log.beliefs[number] for number in node.numbers] == list(beliefs)
    assert len(set(log.beliefs)) == len(log.beliefs)


def test_a_belief_that_is_gone_lends_its_number_to_no_other_one() -> None:
    """Where an object lay another one comes to lie: only what the log itself holds is known by its place."""
    log = Log()
    log.open("a goal", [], [Belief(f"The door of room {n} is open.") for n in range(50)], "", 0, 0)
    for turn in range(20):
        mark = log.mark()
        # Equal to those that are held, and given up at once; what comes next lies where they lay.
        log.open("a sub-goal", [], [Belief(f"The door of room {n} is open.") for n in range(50)], "", 1, 0)
        log.back_to(mark)
        others = [Belief(f"The door of room {n} is closed, seen {turn} times.") for n in range(50)]
        node = log.open("another", [], others, "", 1, 0)
        assert [log.beliefs[number] for number in node.numbers] == others
        log.back_to(mark)
        del node, others
