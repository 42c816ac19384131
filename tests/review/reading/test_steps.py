"""Every argument is shown in full, and two documents are compared by everything that runs."""

from __future__ import annotations

from dataclasses import replace

from agents.bdi.plans.document import Document, IntentSpec, Parameter
from review.reading import steps
from review.reading.steps import ShownText, steps_of

SPEC = IntentSpec(
    position=1,
    phase="main",
    tool="simple_coder",
    command="write",
    params={"path": "a.txt", "content": "one\ntwo\n", "mode": 3},
    parameters=(Parameter("path", "a.txt", "mapping", original="path/to/a"), Parameter("content", "lies", "model")),
    justification="why",
    effect="workspace",
    limits={},
    depends_on=(),
    condition={"result": "1.return_code", "is": 0},
    hosts=("pypi.example",),
    rule="",
    sentence="",
)


def document(*specs: IntentSpec) -> Document:
    return Document("1", "a goal", "ws", "0" * 64, 1, "rule", specs, ())


def test_what_is_shown_is_what_runs_even_when_its_record_says_otherwise() -> None:
    (step,) = steps_of(document(SPEC))
    shown = {argument.parameter.name: argument.text for argument in step.arguments}
    assert shown == {"path": "a.txt", "content": "one\ntwo\n", "mode": "3"}


def test_a_value_without_a_record_of_its_origin_is_shown_all_the_same() -> None:
    (step,) = steps_of(document(SPEC))
    assert step.arguments[-1].parameter == Parameter("mode", 3, "")


def test_an_original_stands_beside_what_it_became() -> None:
    (step,) = steps_of(document(SPEC))
    assert step.arguments[0].was == "path/to/a"


def test_text_that_running_type_would_change_is_a_block() -> None:
    for value in ("a\nb", " lead", "two  spaces", "tab\t", "x" * 500):
        (step,) = steps_of(document(replace(SPEC, params={"path": value}, parameters=())))
        (argument,) = step.arguments
        assert argument.is_block
        assert "\n".join(row.text for row in argument.rows if row.kind == "") == value


def test_a_step_points_elsewhere_only_when_exactly_its_text_stands_there() -> None:
    shown = [ShownText(1, "one\ntwo\n", "f-1")]
    (step,) = steps_of(document(SPEC), shown)
    assert step.arguments[1].shown_at == "f-1"
    (step,) = steps_of(document(SPEC), [ShownText(1, "one\ntwo\nthree\n", "f-1"), ShownText(2, "one\ntwo\n", "f-2")])
    assert step.arguments[1].shown_at == ""


def test_comparing_finds_every_part_that_runs() -> None:
    for changed in (
        replace(SPEC, params={**SPEC.params, "content": "one\ntwo!\n"}),
        replace(SPEC, params={**SPEC.params, "mode": 4}),
        replace(SPEC, command="append"),
        replace(SPEC, effect="once"),
        replace(SPEC, condition=None),
        replace(SPEC, hosts=("elsewhere.example",)),
        replace(SPEC, limits={"hard_s": 1}),
        replace(SPEC, depends_on=(1,)),
    ):
        found = steps.compared(document(SPEC), document(changed))
        assert found.deleted + found.added > 0, changed
    same = steps.compared(document(SPEC), document(SPEC))
    assert same.deleted + same.added == 0
