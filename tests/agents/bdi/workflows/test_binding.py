"""A workflow bound to the steps of a plan: names, values, chains, conditions, sub-workflows, definitions."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.validation import validate
from agents.bdi.workflows.binding import MOST_CALLS, bind
from agents.bdi.workflows.bound import Bound, Known
from agents.bdi.workflows.checking import check
from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import read
from agents.toolkit import made
from agents.toolkit.registry import REGISTRY, Registry
from tests.agents.bdi.workflows.workflow_texts import GREET, define, execute, text
from tests.agents.toolkit.made_texts import WORD_COUNT

READ = execute("simple_coder.read", "input: {path: a.txt}", "output_var: got")
RUN = execute("simple_coder.run", "input: {command_line: ls}", "output_var: ran")
COPY = 'input: {path: b.txt, content: "{{got.content}}"}'


def bound(body: str, given: dict[str, Any] | None = None, known: dict[str, str] | None = None) -> Bound:
    workflow = read(body).workflow
    assert workflow is not None
    return bind(workflow, given, REGISTRY, {name: Known(name, "1.0.0", one) for name, one in (known or {}).items()})


def errors(found: Bound) -> list[Fault]:
    return [fault for fault in found.faults if not fault.is_warning]


def fault(body: str, given: dict[str, Any] | None = None, known: dict[str, str] | None = None) -> Fault:
    (found,) = errors(bound(body, given, known))
    return found


def values(found: Bound) -> list[dict[str, Any]]:
    return [one.step.values() for one in found.steps]


def test_steps_chain_their_values_and_the_plan_is_valid() -> None:
    found = bound(GREET, {"name": "moon"})
    assert found.faults == ()
    steps = [one.step for one in found.steps]
    assert validate(steps, (), REGISTRY) == []
    assert values(found)[0]["content"] == "Hello moon"
    assert values(found)[3]["content"] == "{{intents.2.result.content}}"
    assert steps[3].condition == {"left": "{{intents.3.result.return_code}}", "operator": "equals", "value": 0}
    assert [step.depends_on for step in steps] == [(), (1,), (1,), (2, 3)]
    assert found.returned is not None
    assert (found.returned.position, found.returned.key) == (2, "content")


def test_every_value_says_where_it_comes_from() -> None:
    params = [one.step.params for one in bound(GREET, {"name": "moon"}).steps]
    assert params[0]["content"].note == "filled from {{params.name}}"
    assert params[0]["path"].note == "written in the workflow “Greet”"
    assert params[0]["mode"].origin == "default"
    assert (params[3]["content"].origin, params[3]["content"].note) == (
        "reference",
        "the value of {{greeting.content}}",
    )


def test_a_parameter_stays_one_argument_of_a_command_line() -> None:
    found = bound(GREET, {"name": "a; rm -rf / $(x)"})
    assert values(found)[2]["command_line"] == "grep -c 'a; rm -rf / $(x)' hello.txt"


def test_a_value_that_would_be_read_as_a_placeholder_is_refused() -> None:
    for given in ({"name": "{{intents.1.result.content}}"}, {"name": ["{{greeting}}"]}, {"name": {"{{a}}": 1}}):
        found = fault(GREET, given)
        assert "two braces" in found.message
        assert found.mend


def test_a_whole_parameter_keeps_its_type_and_typed_text_gets_the_type_of_the_command() -> None:
    body = text(execute("simple_coder.run", 'input: {command_line: ls, timeout_s: "{{params.s}}"}'))
    assert values(bound(body, {"s": 7}))[0]["timeout_s"] == 7
    assert values(bound(body, {"s": "7"}))[0]["timeout_s"] == 7
    assert "timeout_s" in fault(body, {"s": "soon"}).message


def test_parameters_fill_lists_too() -> None:
    body = text(execute("simple_coder.run", 'input: {command_line: ls, hosts: ["{{params.h}}", "api.{{params.h}}"]}'))
    assert values(bound(body, {"h": "example.org"}))[0]["hosts"] == ["example.org", "api.example.org"]


def test_a_missing_and_an_unknown_parameter_are_said() -> None:
    body = text(execute("simple_coder.mkdir", 'input: {path: "{{params.folder}}"}'))
    assert "“folder” needs a value" in fault(body, {}).message
    said = errors(bound(body, {"folder": "a", "foldre": "b"}))
    assert [("foldre" in one.message, one.mend) for one in said] == [(True, "Perhaps you mean “folder”")]


@pytest.mark.parametrize(
    ("steps", "line", "said", "mend"),
    [
        (execute("simple_codr.read"), 5, "there is no tool “simple_codr”", "simple_coder"),
        (execute("simple_coder.raed"), 5, "no command “raed”", "read"),
        (execute("simple_coder"), 5, "several commands", "simple_coder.ls"),
        (execute("simple_coder.mkdir", "input: {pth: a}"), 6, "has no “pth”", "path"),
        (execute("simple_coder.mkdir"), 3, "needs “path”", "under input"),
        (execute("simple_coder.run", "input: {command_line: ls, timeout_s: 0}"), 6, "timeout_s", ""),
        (
            READ + execute("simple_coder.write", 'input: {path: "{{got.content}}", content: x}'),
            11,
            "path may not take",
            "content",
        ),
        (
            READ + execute("simple_coder.write", 'input: {path: b, content: "is {{got.content}}"}'),
            11,
            "inside a longer text",
            "whole value",
        ),
        (
            READ + execute("simple_coder.write", 'input: {path: b, content: "{{got.text}}"}'),
            11,
            "there is no “text”",
            "content",
        ),
        (
            RUN + execute("simple_coder.write", 'input: {path: b, content: "{{ran}}"}'),
            11,
            "has several parts",
            "{{ran.stdout}}",
        ),
        (execute("simple_coder.write", COPY) + READ, 6, "no earlier step has the output_var “got”", "before"),
        (execute("simple_coder.write", 'input: {path: b, content: "{{got"}'), 6, "never closes", "{{params.key}}"),
        (
            execute("simple_coder.write", 'input: {path: b, content: "{{intents.1.result.x}}"}'),
            6,
            "is no placeholder",
            "output_var",
        ),
        (READ + READ, 12, "has the output_var “got” already", "another name"),
        (
            READ + execute("simple_coder.mkdir", "input: {path: a}", "condition: got"),
            12,
            "this is no condition",
            "{{tests",
        ),
        (
            READ + execute("simple_coder.mkdir", "input: {path: a}", 'condition: "{{got.x}} == 1"'),
            12,
            "there is no “x”",
            "content",
        ),
        (
            READ + execute("simple_coder.mkdir", "input: {path: a}", 'condition: "{{got.content}} == {{got.content}}"'),
            12,
            "right side",
            "==",
        ),
        (execute("helper", item="AGENT"), 3, "the work of an agent is a goal", "TOOL or a WORKFLOW"),
        (execute("Nothing", item="WORKFLOW"), 5, "the library has no workflow “Nothing”", ""),
        ("  - {type: CREATE, item_type: WORKFLOW, name: x}\n", 3, "a workflow is not created", "EXECUTE"),
        ("  - {type: DEFINE, item_type: AGENT, name: x}\n", 3, "AGENT cannot be defined", "CREATE"),
        ("  - {type: DEFINE, item_type: TOOL, name: gone}\n", 3, "no tool “gone” to define it from", "code_snippet"),
        ("  - {type: DEFINE, item_type: TOOL, name: x, code_snippet: 'def ('}\n", 3, "is no tool", ""),
        ("  - {type: CREATE, item_type: AGENT, name: bob, config: {tolls: git_tool}}\n", 3, "has no “tolls”", "tools"),
    ],
    ids=lambda one: str(one)[:30] if "type:" not in str(one) else "steps",
)
def test_each_fault_has_its_line_and_a_mend(steps: str, line: int, said: str, mend: str) -> None:
    found = fault(text(steps))
    assert (found.line, said in found.message, mend in found.mend) == (line, True, True), found


def test_a_condition_on_a_parameter_is_decided_when_the_workflow_is_processed() -> None:
    body = text(
        execute("simple_coder.mkdir", "input: {path: a}", 'condition: "{{params.deep}} == true"')
        + execute("simple_coder.mkdir", "input: {path: b}")
    )
    assert [one["path"] for one in values(bound(body))] == ["a", "b"]
    assert [one["path"] for one in values(bound(body, {"deep": True}))] == ["a", "b"]
    assert [one["path"] for one in values(bound(body, {"deep": "true"}))] == ["a", "b"]
    found = bound(body, {"deep": False})
    assert [one["path"] for one in values(found)] == ["b"]
    assert found.left_out == ("step 1, simple_coder.mkdir: {{params.deep}} == true does not hold",)


def test_reading_what_may_be_skipped_is_a_warning_unless_the_condition_is_the_same() -> None:
    when = 'condition: "{{ran.return_code}} == 0"'
    may = execute("simple_coder.read", "input: {path: a.txt}", "output_var: got", when)
    (found,) = bound(text(RUN + may + execute("simple_coder.write", COPY))).faults
    assert found.is_warning
    assert "is skipped unless" in found.message
    assert bound(text(RUN + may + execute("simple_coder.write", COPY, when))).faults == ()


def test_retries_stand_in_the_step_and_more_than_can_be_granted_are_a_warning() -> None:
    found = bound(text(execute("simple_coder.mkdir", "input: {path: a}", "retries: 2")))
    assert (found.faults, found.steps[0].step.retries) == ((), 2)
    (said,) = bound(text(execute("simple_coder.mkdir", "input: {path: a}", "retries: 9"))).faults
    assert (said.line, said.is_warning, said.message) == (
        7,
        True,
        "no more than 4 retries can be granted with an approval",
    )


# Sub-workflows


CALL = execute("Greet", "input: {name: moon}", "output_var: said", item="WORKFLOW")


def test_a_sub_workflow_stands_in_the_plan_with_all_of_its_steps_and_gives_what_it_returns() -> None:
    found = bound(
        text(RUN + CALL + execute("simple_coder.write", 'input: {path: c, content: "{{said}}"}')), {}, {"Greet": GREET}
    )
    assert found.faults == ()
    assert [one.way for one in found.steps] == ["1", "2.1", "2.2", "2.3", "2.4", "3"]
    assert values(found)[1]["content"] == "Hello moon"
    assert values(found)[4]["content"] == "{{intents.3.result.content}}"
    assert values(found)[5]["content"] == "{{intents.3.result.content}}"
    assert [one.name for one in found.calls] == ["Greet"]
    assert found.steps[1].step.justification == "Step 2.1 of the workflow “Greet” 1.0.0, line 5."


def test_a_result_is_handed_into_a_sub_workflow_whole_and_never_inside_a_text() -> None:
    keep = text(execute("simple_coder.write", 'input: {path: d, content: "{{params.what}}"}'), name="Keep")
    call = execute("Keep", 'input: {what: "{{got.content}}"}', item="WORKFLOW")
    assert values(bound(text(READ + call), {}, {"Keep": keep}))[1]["content"] == "{{intents.1.result.content}}"
    inside = keep.replace('"{{params.what}}"', '"so {{params.what}}"')
    found = fault(text(READ + call), {}, {"Keep": inside})
    assert found.line == 8
    assert "in “Keep”, line 6: {{params.what}} stands inside" in found.message


def test_names_of_a_sub_workflow_are_its_own() -> None:
    found = fault(
        text(CALL + execute("simple_coder.write", 'input: {path: c, content: "{{greeting.content}}"}')),
        {},
        {"Greet": GREET},
    )
    assert "no earlier step has the output_var “greeting”" in found.message


def test_workflows_that_call_each_other_are_a_cycle_with_its_way() -> None:
    one = text(execute("Two", item="WORKFLOW"), name="One")
    two = text(execute("One", item="WORKFLOW"), name="Two")
    found = fault(one, None, {"Two": two, "One": one})
    assert "One → Two → One" in found.message
    assert found.line == 3
    assert "One → One" in fault(text(execute("One", item="WORKFLOW"), name="One")).message


def test_calls_that_double_themselves_end() -> None:
    known = {f"W{n}": text(execute(f"W{n + 1}", item="WORKFLOW") * 10, name=f"W{n}") for n in range(8)}
    known["W8"] = text("  - type: RETURN\n    value: x\n", name="W8")
    found = errors(bound(text(execute("W0", item="WORKFLOW")), None, known))
    assert [one.message for one in found] == [f"this calls more than {MOST_CALLS} workflows"]


def test_more_steps_than_a_plan_may_have_are_one_fault() -> None:
    many = text(execute("simple_coder.mkdir", "input: {path: a}") * 30, name="Many")
    body = text(execute("Many", item="WORKFLOW") * 2)
    (found,) = errors(bound(body, None, {"Many": many}))
    assert "more than 50 steps" in found.message


def test_the_condition_of_a_call_is_that_of_its_steps_and_two_are_a_fault() -> None:
    plain = text(execute("simple_coder.mkdir", "input: {path: a}"), name="Plain")
    call = execute("Plain", 'condition: "{{ran.return_code}} == 0"', item="WORKFLOW")
    step = bound(text(RUN + call), {}, {"Plain": plain}).steps[1].step
    assert step.condition is not None
    assert step.condition["left"] == "{{intents.1.result.return_code}}"
    own = text(
        RUN + execute("simple_coder.mkdir", "input: {path: a}", 'condition: "{{ran.return_code}} == 1"'), name="Plain"
    )
    assert "a step has one" in fault(text(RUN + call), {}, {"Plain": own}).message


def test_a_sub_workflow_without_a_parameter_that_it_needs_is_refused() -> None:
    keep = text(execute("simple_coder.mkdir", 'input: {path: "{{params.where}}"}'), name="Keep")
    assert "needs “where”" in fault(text(execute("Keep", item="WORKFLOW")), {}, {"Keep": keep}).message
    call = execute("Keep", "input: {wher: a, where: b}", item="WORKFLOW")
    assert fault(text(call), {}, {"Keep": keep}).mend == "Perhaps you mean “where”"


# DEFINE and CREATE


def defined(code: str) -> str:
    return text(define("word_count", code) + execute("word_count", "input: {path: a.txt}", "output_var: count"))


def test_a_tool_that_is_not_in_use_can_be_checked_and_is_never_taken_as_in_use() -> None:
    found = bound(defined(WORD_COUNT))
    assert errors(found) == []
    assert [one.is_warning for one in found.faults] == [True]
    assert [(one.name, one.is_in_use) for one in found.definitions] == [("word_count", False)]
    assert found.steps[0].step.command == "count_words"
    plain = bound(defined("def count_words(path):\n    return len(open(path).read().split())\n"))
    assert errors(plain) == []
    assert made.read(plain.definitions[0].text).tool.name == "word_count"


def test_a_definition_is_in_use_only_with_this_very_code() -> None:
    registry = Registry((*REGISTRY.tools, made.read(WORD_COUNT).tool))
    for code, is_in_use in ((WORD_COUNT, True), (WORD_COUNT.replace("split()", "split(' ')"), False)):
        workflow = read(defined(code)).workflow
        assert workflow is not None
        assert [one.is_in_use for one in bind(workflow, {}, registry, {}).definitions] == [is_in_use]


def test_a_created_tool_gives_values_to_the_steps_that_use_it() -> None:
    create = "  - {type: CREATE, item_type: TOOL, name: simple_coder.run, config: {timeout_s: 9}}\n"
    body = create + RUN + execute("simple_coder.run", "input: {command_line: ls, timeout_s: 4}")
    assert [one["timeout_s"] for one in values(bound(text(body)))] == [9, 4]


def test_a_created_agent_is_a_step_that_people_read() -> None:
    create = "  - {type: CREATE, item_type: AGENT, name: bob, config: {tools: [git_tool, simple_coder]}}\n"
    (step,) = bound(text(create)).steps
    assert (step.step.tool, step.step.command) == ("agent_registry", "create_agent")
    assert (step.step.values()["name"], step.step.values()["tools"]) == ("bob", "git_tool, simple_coder")


# The whole check


def test_what_validation_says_of_the_plan_stands_at_the_lines_of_the_workflow() -> None:
    body = text(execute("simple_coder.rm", "input: {path: a}") + execute("simple_coder.mkdir", "input: {path: ../x}"))
    found = check(body, REGISTRY, {}).errors
    assert [(one.line, "autonomous" in one.message) for one in found] == [(3, True), (7, False)]


def test_of_a_step_with_a_fault_the_plan_says_nothing_more() -> None:
    body = text(READ + execute("simple_coder.write", 'input: {path: b, content: "{{got.text}}"}'))
    assert [one.line for one in check(body, REGISTRY, {}).errors] == [11]


def test_of_open_parameters_nothing_is_said_before_they_are_given() -> None:
    body = text(execute("simple_coder.mkdir", 'input: {path: "{{params.where}}"}'))
    assert check(body, REGISTRY, {}).faults == ()
    assert [one.line for one in check(body, REGISTRY, {}, given={"where": "../../etc"}).errors] == [3]


def test_an_open_number_is_no_fault_before_it_is_given() -> None:
    body = text(execute("simple_coder.run", 'input: {command_line: "ls {{params.a}}", timeout_s: "{{params.s}}"}'))
    assert check(body, REGISTRY, {}).faults == ()


def test_hidden_characters_are_faults() -> None:
    found = check(GREET.replace("Hello", "Hel\u202elo"), REGISTRY, {}).errors
    assert found[0].line == 8
    assert "U+202E" in found[0].message


def test_a_workflow_that_does_nothing_is_refused() -> None:
    assert "does anything" in check(text("  - {type: RETURN, value: x}\n"), REGISTRY, {}).errors[0].message
