"""Versions as a graph: right of what they were made from, each at a place of its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.presentation import lineage_graph


def test_the_newest_child_goes_on_in_its_row_and_the_others_begin_their_own() -> None:
    found = lineage_graph.draw(
        [
            (1, "1.0.0", "retired", None),
            (2, "1.1.0", "retired", 1),
            (3, "1.2.0", "active", 1),
            (4, "1.3.0", "candidate", 3),
        ]
    )
    assert [(one.x, one.y) for one in found.knots] == [(24, 24), (120, 68), (120, 24), (216, 24)]
    assert (len(found.lines), found.width, found.height) == (3, 240, 92)
    assert found.said == "1.0.0; 1.1.0 from 1.0.0; 1.2.0 from 1.0.0; 1.3.0 from 1.2.0"


def test_a_parent_that_is_not_drawn_is_left_out() -> None:
    found = lineage_graph.draw([(7, "2.0.0", "active", 3)])
    assert (len(found.knots), found.lines, found.said) == (1, (), "2.0.0")


@given(st.lists(st.integers(min_value=0), max_size=30))
def test_no_two_versions_share_a_place(draws: list[int]) -> None:
    rows = [(at, str(at), "retired", draw % at if at and draw % 5 else None) for at, draw in enumerate(draws)]
    places = [(one.x, one.y) for one in lineage_graph.draw(rows).knots]
    assert len(set(places)) == len(places)
