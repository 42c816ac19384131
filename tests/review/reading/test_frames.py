"""What plans of a group say around a value is said once, and exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.plans.document import Document
from review.reading import frames, members
from tests.review.reading.test_apart import document, spec

TEXT = st.text("ab/‹›\n", max_size=6)


def project(name: str, content: str = "# {0}\n\nAbout {0}.\n") -> Document:
    steps = spec(1, "mkdir", path=name), spec(2, "write", path=f"{name}/a.md", content=content.format(name))
    return document(*steps)


def framed(*documents: Document) -> tuple[list[str], dict[str, str]]:
    facts = [members.facts_of(one) for one in documents]
    left, found = frames.framed(facts, members.columns(facts, members.shared(facts)))
    return [column.head for column in left], {f"{key.position} {key.name}": fact.text for key, fact in found.items()}


def test_what_differs_by_one_value_alone_is_one_column_and_the_rest_is_said_once() -> None:
    left, found = framed(*(project(name) for name in ("rain", "snow", "hail")))
    assert left == ["1 path"]
    assert found == {"2 path": "‹1 path›/a.md", "2 content": "# ‹1 path›\n\nAbout ‹1 path›.\n"}


def test_a_plan_that_says_more_than_the_value_keeps_its_column() -> None:
    left, found = framed(project("rain"), project("snow"), project("hail", "# {0}\n\nAbout everything.\n"))
    assert left == ["1 path", "2 content"]
    assert set(found) == {"2 path"}


def test_text_that_could_be_taken_for_a_place_is_left_as_it_is() -> None:
    left, found = framed(project("rain"), project("snow", "# ‹1 path›{0}"))
    assert left == ["1 path", "2 content"]
    assert found == {"2 path": "‹1 path›/a.md"}


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=2, max_size=4))
def test_with_its_value_in_place_a_frame_is_exactly_what_the_plan_says(plans: list[tuple[str, str, str]]) -> None:
    facts = [
        members.facts_of(document(spec(1, "mkdir", path=one), spec(2, "write", path=two, content=three)))
        for one, two, three in plans
    ]
    columns = members.columns(facts, members.shared(facts))
    left, found = frames.framed(facts, columns)
    assert {key for column in columns for key in column.keys} == {key for one in left for key in one.keys} | set(found)
    for one in facts:
        for key, frame in found.items():
            said = frame.text
            for column in left:
                cell = members.cell(one, column)
                said = said.replace(f"‹{column.head}›", cell.text if cell else "")
            assert said == one[key].text
