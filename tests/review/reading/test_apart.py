"""What plans of one shape share, and which of them is not like the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.plans.document import Document, IntentSpec, Parameter
from review.reading import members, outliers, shapes
from review.reading.members import Key
from review.reading.outliers import Traits
from review.risk.assessment import Level


def spec(position: int, command: str, phase: str = "main", **params: Any) -> IntentSpec:
    origins = tuple(Parameter(name, value, "model") for name, value in params.items())
    return IntentSpec(
        position, phase, "simple_coder", command, params, origins, "why", "workspace", {}, (), None, (), "", ""
    )


def document(*steps: IntentSpec, workspace: str = "textkit") -> Document:
    return Document("1", "a goal", workspace, "base", 1, "model", steps, ())


def traits(of: Document, rank: Level = Level.LOW, danger: int = 7, hosts: tuple[str, ...] = ()) -> Traits:
    return Traits(members.facts_of(of), frozenset(hosts), rank.rank, danger, "Deletes a.txt")


def note(number: int, path: str = "notes/{}.txt", content: str = "note {}") -> Document:
    return document(spec(1, "write", path=path.format(number), content=content.format(number)))


USUAL = [traits(note(number)) for number in range(5)]


# --- the shape -----------------------------------------------------------------------------------------------


def test_values_are_no_part_of_a_shape_and_everything_else_is() -> None:
    one = document(spec(1, "write", path="a", content="b"), spec(2, "rm", path="a"))
    assert shapes.shape_of(one) == shapes.shape_of(replace(one, workspace="other", goal_text="x", revision=9))
    assert shapes.shape_of(one) == shapes.shape_of(
        document(spec(1, "write", content="other", path="z"), spec(2, "rm", path="q"))
    )
    others = [
        document(spec(1, "write", path="a", content="b")),
        document(spec(1, "write", path="a", content="b"), spec(2, "rm", path="a", recursive=True)),
        document(spec(1, "rm", path="a"), spec(2, "write", path="a", content="b")),
        document(spec(1, "write", path="a", content="b"), spec(2, "rm", "cleanup", path="a")),
        document(replace(one.intents[0], alternatives=(spec(1, "rm", path="a"),)), one.intents[1]),
    ]
    assert len({shapes.shape_of(other) for other in [one, *others]}) == 6


STEPS = st.tuples(st.sampled_from(["write", "rm", "run"]), st.text(max_size=5), st.text(max_size=5))


@given(st.lists(STEPS, max_size=4))
def test_two_plans_of_the_same_steps_have_one_shape(steps: list[tuple[str, str, str]]) -> None:
    one = document(*(spec(at, name, path=path) for at, (name, path, _) in enumerate(steps, 1)))
    two = document(*(spec(at, name, path=path) for at, (name, _, path) in enumerate(steps, 1)))
    assert shapes.shape_of(one) == shapes.shape_of(two)


# --- shared and own ------------------------------------------------------------------------------------------


def table(*documents: Document) -> list[dict[str, str | None]]:
    """What each says in the columns of a table of them, by the heads of the columns."""
    facts = [members.facts_of(one) for one in documents]
    columns = members.columns(facts, members.shared(facts))
    cells = [[members.cell(one, column) for column in columns] for one in facts]
    heads = [f"{column.where} {column.name}".strip() for column in columns]
    return [dict(zip(heads, (fact.text if fact else None for fact in row), strict=True)) for row in cells]


def test_every_fact_of_a_plan_is_shared_or_stands_in_a_column_and_none_is_cut() -> None:
    long = "x" * 100_000
    facts = [members.facts_of(note(1)), members.facts_of(note(2, content=long))]
    same = members.shared(facts)
    columns = {Key(position, one.name) for one in members.columns(facts, same) for position in one.positions}
    for one in facts:
        assert {key for key, fact in one.items() if fact.is_argument or fact.text} <= columns | set(same)
    assert table(note(1), note(2, content=long))[1] == {"1 content": long, "1 path": "notes/2.txt"}


def test_an_argument_that_is_empty_in_one_of_them_stands_in_a_column() -> None:
    assert table(note(1), note(1, content="")) == [{"1 content": "note 1"}, {"1 content": ""}]
    facts = [members.facts_of(note(1)), members.facts_of(note(1, content=""))]
    assert members.steps(note(1), members.shared(facts))[0].differing == ("content",)


def test_of_one_plan_alone_everything_stands_in_columns() -> None:
    facts = members.facts_of(note(1))
    assert members.shared([facts]) == {}
    assert set(table(note(1))[0]) >= {"1 path", "1 content", "1 effect", "workspace"}


def test_what_is_equal_in_each_plan_has_one_column_and_why_a_step_is_there_has_none() -> None:
    plans = [
        document(
            replace(spec(1, "mkdir", path=name), justification=f"for {name}"),
            spec(2, "write", path=f"{name}/a.py", content="x"),
            spec(3, "ls", path=name),
        )
        for name in ("rain", "snow")
    ]
    assert table(*plans) == [
        {"1, 3 path": "rain", "2 path": "rain/a.py"},
        {"1, 3 path": "snow", "2 path": "snow/a.py"},
    ]


def test_what_only_one_of_them_says_is_nothing_in_the_others() -> None:
    plain = note(1)
    waits = replace(plain, intents=(replace(plain.intents[0], condition={"left": "a"}),))
    told = table(plain, waits)
    assert told[0]["1 only if"] == ""
    assert "left" in (told[1]["1 only if"] or "")


def test_what_may_be_done_in_place_of_a_step_is_told_too() -> None:
    step = replace(
        spec(1, "write", path="a"), alternatives=(replace(spec(1, "rm", path="b"), hosts=("evil.example",)),)
    )
    told = {key.name: fact.text for key, fact in members.facts_of(document(step)).items()}
    assert told["or else (1) simple_coder.rm: path"] == "b"
    assert told["or else (1) simple_coder.rm: may reach"] == "evil.example"


# --- apart ---------------------------------------------------------------------------------------------------


def test_what_is_like_the_others_does_not_stand_out() -> None:
    assert outliers.apart(traits(note(9)), USUAL) == ()


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (traits(note(9, path="billing/{}.txt")), "lies in “billing”"),
        (traits(note(9, path="secret{}.txt")), "lies in the root"),
        (traits(note(9, path="notes/.{}.txt")), "hidden path"),
        (traits(note(9, content="x" * 400)), "much longer"),
        (traits(note(9, content="a\u202eb {}")), "hidden characters"),
        (traits(note(9), Level.HIGH), "high risk, where the others have low"),
        (traits(note(9), danger=0), "more dangerous than the others: Deletes a.txt"),
        (traits(note(9), hosts=("evil.example",)), "reaches evil.example"),
        (traits(replace(note(9), workspace="elsewhere")), "workspace is not what the others have"),
    ],
)
def test_each_notable_difference_is_said(one: Traits, said: str) -> None:
    found = outliers.apart(one, USUAL)
    assert any(said in reason for reason in found), found


def test_a_value_that_all_others_share_makes_another_one_stand_out() -> None:
    lines = [traits(document(spec(1, "run", command_line="pytest -q"))) for _ in range(4)]
    one = traits(document(spec(1, "run", command_line="pytest -q; curl x")))
    assert outliers.apart(one, lines) == ("step 1, command_line: is not what the others have",)


def test_another_program_stands_out_where_every_line_differs() -> None:
    lines = [traits(document(spec(1, "run", command_line=f"python -m pytest test_{n}.py"))) for n in range(4)]
    one = traits(document(spec(1, "run", command_line="python -m pip install x")))
    found = outliers.apart(one, lines)
    assert found == ("step 1, command_line: runs “python -m pip”, where the others run “python -m pytest”",)


def test_names_that_differ_in_every_plan_stand_out_in_none() -> None:
    steps = [(spec(1, "mkdir", path=f"project{n}"), spec(2, "write", path=f"project{n}/a.py")) for n in range(5)]
    projects = [traits(document(*two)) for two in steps]
    assert {outliers.apart(one, [other for other in projects if other is not one]) for one in projects} == {()}


def test_hidden_characters_stand_out_though_all_have_them() -> None:
    odd = [traits(note(n, content="a\u200bb")) for n in range(5)]
    assert outliers.apart(odd[0], odd[1:]) == ("step 1, content: hidden characters",)


def test_of_two_plans_the_more_dangerous_one_stands_out() -> None:
    one, other = traits(note(1), Level.HIGH), traits(note(2))
    assert outliers.apart(one, [other]) == ("high risk, where the others have low",)
    assert outliers.apart(other, [one]) == ()


def test_a_custom_needs_three_and_most_of_them() -> None:
    assert outliers.custom(["a", "a"]) is None
    assert outliers.custom(["a", "a", "b"]) == "a"
    assert outliers.custom(["a", "b", "c"]) is None
    assert Key(0, "workspace") in USUAL[0].facts
