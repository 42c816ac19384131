"""A workflow's YAML: what is read, and every fault of its form with line and mend."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import read
from tests.agents.bdi.workflows.workflow_texts import GREET, execute, text

MKDIR = execute("simple_coder.mkdir", "input: {path: a}")
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nscenario_name: x\nsteps: *c\n"


def only(body: str) -> Fault:
    (found,) = [fault for fault in read(body).faults if not fault.is_warning]
    return found


def test_a_workflow_is_read_with_its_parameters_and_the_lines_of_its_parts() -> None:
    reading = read(GREET)
    assert reading.faults == ()
    assert reading.workflow is not None
    assert (reading.workflow.name, reading.workflow.params) == ("Greet", {"name": "world"})
    assert [(step.kind, step.line) for step in reading.workflow.steps] == [
        ("EXECUTE", 5), ("EXECUTE", 9), ("EXECUTE", 14), ("EXECUTE", 19), ("RETURN", 24)
    ]  # fmt: skip
    assert reading.workflow.steps[3].line_of("condition") == 23
    assert reading.workflow.steps[0].line_of("input", "content") == 8


def test_a_parameter_that_is_only_used_has_no_default() -> None:
    workflow = read(text(execute("simple_coder.mkdir", 'input: {path: "{{params.folder}}"}'))).workflow
    assert workflow is not None
    assert workflow.params == {"folder": None}


@pytest.mark.parametrize(
    ("body", "line", "said", "mend"),
    [
        (BOMB, 2, "aliases", ""),
        ("- a\n- b\n", 1, "a workflow is a mapping", "scenario_name"),
        ("", 1, "a workflow is a mapping", "scenario_name"),
        ("scenario_name: x\nsteps: []\n", 2, "at least one step", "type: EXECUTE"),
        (f"scenario_name: x\nscenario: y\nsteps:\n{MKDIR}", 2, "“scenario” is no key", "scenario_name"),
        (f"scenario_name: x\nscenario_name: y\nsteps:\n{MKDIR}", 2, "is here twice", ""),
        (f"steps:\n{MKDIR}", 1, "scenario_name is missing", "Write"),
        (text(MKDIR + "    inputs: {}\n"), 7, "“inputs” is no key of EXECUTE", "input"),
        (text("  - type: EXEC\n"), 3, "has the type “EXEC”", "DEFINE, CREATE, EXECUTE, RETURN"),
        (text("  - {item_type: TOOL}\n"), 3, "has no type", "EXECUTE"),
        (text("  - [a]\n"), 3, "step 1 is a mapping", "type: EXECUTE"),
        (text(execute("simple_coder.mkdir", "input: [a]")), 6, "input is a mapping", "name: value"),
        (text(execute("x", item="ROBOT")), 4, "item_type is one of", ""),
        (text("  - type: EXECUTE\n    item_type: TOOL\n"), 3, "EXECUTE has no name", "name: …"),
        (text(f"  - type: RETURN\n    value: x\n{MKDIR}"), 3, "RETURN is not the last step", "Move it"),
        (text(f"{MKDIR}  - type: RETURN\n    value: {{a: b}}\n"), 8, "value is a text", "Nested values"),
        (text(f"{MKDIR}  - type: RETURN\n    value: {{{{x}}}}\n"), 8, "", "quotation marks"),
        (text(f"{MKDIR}    retries: many\n"), 7, "retries is a number from 0 to 10", ""),
        (text(f"{MKDIR}    retries: 99\n"), 7, "retries is a number from 0 to 10", ""),
        (text(f"{MKDIR}    output_var: params\n"), 7, "output_var is no name", "neither params nor intents"),
        (text(f"{MKDIR}    condition: 5\n"), 7, "condition is a text", "quotation marks"),
        (f"scenario_name: x\nparams: {{a-b: 1}}\nsteps:\n{MKDIR}", 2, "“a-b” is no name", "letters"),
        (f"scenario_name: x\nparams: [a]\nsteps:\n{MKDIR}", 2, "params is a mapping", "default"),
        (text(MKDIR * 101), 2, "more than 100 steps", "Part them"),
    ],
    ids=lambda one: str(one)[:30] if "\n" not in str(one) else "body",
)  # fmt: skip
def test_each_fault_of_form_has_its_line_and_a_mend(body: str, line: int, said: str, mend: str) -> None:
    found = only(body)
    assert (found.line, said in found.message, mend in found.mend) == (line, True, True), found


def test_all_faults_are_found_at_once() -> None:
    body = text(f"  - type: EXEC\n{MKDIR}    input_: {{}}\n")
    assert [fault.line for fault in read(body).faults] == [3, 8]


def test_a_parameter_that_nothing_uses_is_only_a_warning() -> None:
    (found,) = read(f"scenario_name: x\nparams: {{gone: 1}}\nsteps:\n{MKDIR}").faults
    assert found.is_warning
    assert found.line == 2


def test_fences_around_what_a_model_wrote_move_no_line() -> None:
    workflow = read(f"```yaml\n{GREET}```\n").workflow
    assert workflow is not None
    assert workflow.steps[0].line == 6


@given(st.text(alphabet="ab:-{}[]&*!\"'\n #|>%@`,?\t", max_size=200))
def test_whatever_is_written_is_read_or_has_faults(body: str) -> None:
    reading = read(body)
    assert reading.workflow is not None or reading.faults
