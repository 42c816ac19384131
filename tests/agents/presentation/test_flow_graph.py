"""The picture of a plan: columns by what a step depends on, arrows that say nothing twice, text that stays text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.presentation.flow_graph import FlowStep, draw


def step(position: int, *needs: int, **also: str) -> FlowStep:
    return FlowStep(position, "simple_coder.run", needs, **also)


def test_steps_without_dependency_stand_below_each_other_and_join_again() -> None:
    graph = draw([step(1), step(2, 1), step(3, 1), step(4, 2, 3)])
    places = {box.step.position: (box.x, box.y) for box in graph.boxes}
    assert places[2][0] == places[3][0]
    assert places[2][1] < places[3][1]
    assert places[1][0] < places[2][0] < places[4][0]
    assert (len(graph.arrows), graph.has_branches) == (4, True)


def test_branches_stand_in_rows_of_their_own_between_what_comes_before_and_behind() -> None:
    ways = {1: "", 2: "2a", 3: "2b", 4: "2b", 5: ""}
    graph = draw([step(at, branch=way) for at, way in ways.items()])
    places = {box.step.position: (box.x, box.y) for box in graph.boxes}
    assert places[2][0] == places[3][0], "side by side"
    assert places[3][1] == places[4][1] > places[2][1], "a branch keeps its row"
    assert places[1][0] < places[2][0] < places[4][0] < places[5][0]
    assert (len(graph.arrows), graph.is_parallel) == (5, True)
    assert graph.boxes[1].said.endswith("in branch 2a")
    assert graph.said == "5 steps and what each depends on, with parallel branches"


def test_a_long_arrow_goes_through_its_own_row_and_not_behind_a_box() -> None:
    ways = {1: "1a", 2: "1a", 3: "1b", 4: ""}
    graph = draw([step(at, branch=way) for at, way in ways.items()])
    short = next(box for box in graph.boxes if box.step.position == 3)
    level = short.y + short.height // 2
    (straight,) = [path for path, _ in graph.arrows if "L" in path]
    assert straight.startswith(f"M{short.x + short.width} {level}L{graph.boxes[3].x - 56} {level}C")


def test_what_follows_from_other_arrows_is_not_drawn() -> None:
    graph = draw([step(1), step(2, 1), step(3, 1, 2)])
    assert (len(graph.arrows), graph.has_branches) == (2, False)


def test_a_condition_is_a_dashed_arrow_and_everything_is_said_in_full() -> None:
    graph = draw([step(1, output_var="ran"), step(2, 1, condition="{{ran.return_code}} == 0", state="skipped")])
    assert [conditional for _, conditional in graph.arrows] == [True]
    assert graph.boxes[1].said == "2: simple_coder.run; only if {{ran.return_code}} == 0; after step 1; skipped"
    assert graph.boxes[0].said == "1: simple_coder.run; its result is ran"


def test_long_and_hidden_text_is_cut_and_named() -> None:
    (box,) = draw([step(1, sentence="x\u202e" + "y" * 99)]).boxes
    assert "[U+202E]" in box.said
    assert all(len(text) <= 30 for _, _, text in box.lines)
    assert "\u202e" not in box.lines[0][2]


def test_no_steps_are_an_empty_picture() -> None:
    assert draw([]).boxes == ()


@given(st.lists(st.sets(st.integers(1, 12), max_size=4), max_size=12))
def test_no_two_steps_stand_on_each_other_and_all_fit(needs: list[set[int]]) -> None:
    steps = [step(at, *sorted(one for one in before if one < at)) for at, before in enumerate(needs, 1)]
    graph = draw(steps)
    assert len({(box.x, box.y) for box in graph.boxes}) == len(steps)
    at = {box.step.position: box for box in graph.boxes}
    for box in graph.boxes:
        assert all(at[before].x < box.x for before in box.step.depends_on)
        assert box.x + box.width < graph.width
        assert box.y + box.height < graph.height
