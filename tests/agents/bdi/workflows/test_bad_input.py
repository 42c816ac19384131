"""Workflows as an enemy writes them: each is refused at its line, in bounded time, and nothing of it becomes a step."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.workflows import binding
from agents.bdi.workflows.bound import Known
from agents.bdi.workflows.checking import Checked, check
from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import MAX_CHARS, Reading, read
from agents.toolkit import strict_yaml
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.workflows.workflow_texts import execute, parallel, text

LS = execute("simple_coder.ls")


def checked(body: str, known: dict[str, str] | None = None, given: dict[str, Any] | None = None) -> Checked:
    named = {name: Known(name, "1.0.0", one) for name, one in (known or {}).items()}
    return check(body, REGISTRY, named, given=given)


def refused(body: str, known: dict[str, str] | None = None, given: dict[str, Any] | None = None) -> Fault:
    found = checked(body, known, given).errors
    assert found, "it was not refused"
    return found[0]


def write(content: str) -> str:
    return execute("simple_coder.write", f"input: {{path: a.txt, content: {content}}}")


def test_aliases_that_explode_are_refused_before_anything_is_copied() -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 6))
    found = refused(f"l0: &l0 [lol]\n{levels}scenario_name: x\nsteps:\n{LS}")
    assert (found.line, "aliases (*name) are not read" in found.message) == (2, True)
    assert "aliases" in refused(f"base: &b {{path: a}}\nscenario_name: x\nsteps:\n{LS}    input: {{<<: *b}}\n").message


def test_a_key_that_is_there_twice_is_refused_at_every_depth() -> None:
    for body, line in [
        (f"scenario_name: x\nsteps:\n{LS}steps:\n{LS}", 6),
        (text(execute("simple_coder.ls", "name: simple_coder.rm")), 6),
        (text(execute("simple_coder.ls", "input: {path: a, path: b}")), 6),
        (text(parallel(execute("simple_coder.ls", "type: RETURN"), LS)), 8),
    ]:
        found = refused(body)
        assert (found.line, "is here twice" in found.message) == (line, True), body


def test_unknown_keys_are_refused_and_never_passed_over() -> None:
    for body, said in [
        (f"scenario_name: x\nshell: rm\nsteps:\n{LS}", "“shell” is no key of a workflow"),
        (text(execute("simple_coder.ls", "hosts: [evil.example]")), "“hosts” is no key of EXECUTE"),
        (text(execute("simple_coder.ls", "approved: true")), "“approved” is no key of EXECUTE"),
        (text(execute("simple_coder.ls", "input: {path: a, sudo: 1}")), "simple_coder.ls has no “sudo”"),
    ]:
        assert said in refused(body).message


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system [ls]",
        "!!python/name:os.system",
        "!!python/object:agents.models.Goal {}",
        "!!binary aGVsbG8=",
        "!!set {a, b}",
        "!include /etc/passwd",
        "!<tag:yaml.org,2002:python/none> x",
    ],
)
def test_tags_are_refused_wherever_they_stand(tag: str) -> None:
    for body in (
        f"scenario_name: {tag}\nsteps:\n{LS}",
        text(execute("simple_coder.ls", f"input: {{path: a}}\n    output_var: {tag}")),
        f"scenario_name: x\nparams:\n  a: {tag}\nsteps:\n{LS}",
    ):
        assert "is not read" in refused(body).message


def test_a_workflow_that_executes_itself_and_two_that_execute_each_other_are_refused_with_the_way() -> None:
    one, two = (text(execute(other, item="WORKFLOW"), name=name) for name, other in (("One", "Two"), ("Two", "One")))
    own = text(execute("Own", item="WORKFLOW"), name="Own")
    assert "this calls itself without end: Own → Own" in refused(own, {"Own": own}).message
    assert "this calls itself without end: One → Two → One" in refused(one, {"One": one, "Two": two}).message
    hidden = text(parallel(LS, execute("One", item="WORKFLOW")), name="Two")
    assert "One → Two → One" in refused(one, {"One": one, "Two": hidden}).message


def test_a_workflow_that_is_called_a_hundred_times_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"W": text(f"{LS}  - type: RETURN\n    value: x\n", name="W")}
    asked: list[str] = []

    def counted(body: str) -> Reading:
        asked.append(body)
        return read(body)

    monkeypatch.setattr(binding, "read", counted)
    checked(text(execute("W", item="WORKFLOW") * 40), known)
    assert len(asked) == 1


@pytest.mark.parametrize(
    "body",
    [
        "a: " + "[" * 50_000,
        "a: " + "{b: " * 20_000,
        "steps:\n" + "".join(f"{' ' * depth}-\n" for depth in range(1, 300)),
        "- " * 40_000,
        "scenario_name: x\nsteps:\n"
        + "".join(f"{'  ' * n}- type: PARALLEL\n{'  ' * n}  branches:\n{'  ' * n}  -\n" for n in range(1, 40)),
    ],
    ids=["lists", "mappings", "blocks", "dashes", "branches"],
)
def test_deep_nesting_is_a_fault_and_no_crash(body: str) -> None:
    said = str(refused(body))
    assert any(words in said for words in ("nested too deeply", "cannot be read", "is here", "is missing")), said


def test_ten_megabytes_are_refused_by_their_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_yaml, "compose", lambda *_, **__: pytest.fail("it was parsed"))
    for body in ("x: " + "y" * 10_000_000, "\x07\n" * 5_000_000, "```\n" * 2_500_000):
        faults = checked(body).faults
        assert [fault.message for fault in faults] == [f"the text has more than {MAX_CHARS:,} characters"]


def test_a_text_of_hidden_characters_is_not_listed_to_its_end() -> None:
    assert len(checked("\x07\n" * 40_000).faults) <= 21


@pytest.mark.parametrize("number", [".nan", ".NaN", "NaN", ".inf", "-.inf", "1.0e+999", "9" * 5_000])
def test_what_is_no_number_of_json_stays_a_word(number: str) -> None:
    timed = text(execute("simple_coder.run", f"input: {{command_line: ls, timeout_s: {number}}}"))
    assert "timeout_s must be of type integer" in refused(timed).message
    workflow = read(f"scenario_name: x\nparams: {{n: {number}}}\nsteps:\n{LS}").workflow
    assert workflow is not None
    assert workflow.params == {"n": number}


@pytest.mark.parametrize("number", ["9" * 4_000, "-9007199254740992", "9007199254740993"])
def test_a_whole_number_that_json_would_round_is_refused(number: str) -> None:
    found = refused(f"scenario_name: x\nparams: {{n: {number}}}\nsteps:\n{LS}")
    assert (found.line, found.message) == (2, "this holds a whole number beyond 2^53, which cannot be stored")


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [1.0, float("-inf")], 2**53, "a\0b", {"k": "\ud800"}, ["\0"]]
)
def test_a_parameter_that_no_table_holds_is_refused(value: Any) -> None:
    body = text(execute("simple_coder.write", 'input: {path: a.txt, content: "x{{params.n}}"}'))
    found = refused(body, given={"n": value})
    assert (found.line, "cannot be stored" in found.message) == (1, True)


@pytest.mark.parametrize("character", ["\\0", "\\x07", "\\x1b", "\\u202e", "\\u200b", "\\ud800", "\\x85"])
def test_control_characters_in_names_are_refused_also_as_escapes(character: str) -> None:
    for key in ("scenario_name", "description", "domain"):
        body = {"scenario_name": "x", key: f'"a{character}b"'}
        found = refused("".join(f"{name}: {one}\n" for name, one in body.items()) + f"steps:\n{LS}")
        assert "hidden character" in found.message
    assert (
        "is no name"
        in refused(text(execute("simple_coder.read", "input: {path: a}", f'output_var: "a{character}"'))).message
    )
    assert "no tool" in refused(text(execute(f'"simple_coder{character}.ls"'))).message
    unused = f'scenario_name: x\nparams: {{"a{character}": 1}}\nsteps:\n{LS}'
    assert "no name of a parameter" in " ".join(fault.message for fault in checked(unused).errors)


@pytest.mark.parametrize("body", ["a\0b", "a: \ud800", "\x1b[31mred", "\ufeff\x00"])
def test_characters_that_no_text_has_are_refused_raw(body: str) -> None:
    assert refused(f"scenario_name: x\nsteps:\n{write(body)}").line >= 1


def test_what_no_table_holds_is_refused_though_no_step_has_it() -> None:
    found = refused(f'scenario_name: x\nparams: {{n: "a\\0b"}}\nsteps:\n{LS}')
    assert (found.line, found.message) == (2, "this holds U+0000, which cannot be stored")


def test_an_unknown_parameter_is_asked_for_and_one_of_a_called_workflow_is_named() -> None:
    body = text(write('"{{params.nobody}}"'))
    assert checked(body).errors == ()
    assert refused(body, given={}).message == "the parameter “nobody” needs a value"
    assert "there is no parameter “other”" in refused(body, given={"nobody": "x", "other": "y"}).message
    called = {"Called": text(write('"{{params.inner}}"'), name="Called")}
    assert "needs “inner”" in refused(text(execute("Called", item="WORKFLOW")), called).message
    wrong = text(execute("Called", "input: {innner: x}", item="WORKFLOW"))
    assert any("has no parameter “innner”" in fault.message for fault in checked(wrong, called).errors)


@pytest.mark.parametrize(
    "given",
    [
        'x"\n  - type: EXECUTE\n    item_type: TOOL\n    name: simple_coder.rm\n    input: {path: a}\n',
        "x\n---\nsteps: []",
        "!!python/object/apply:os.system [ls]",
        "*alias",
        "'; rm -rf / #",
        "$(touch pwned)",
        "`touch pwned`",
        "a' --option 'b",
        "a\nrm -rf /",
    ],
)
def test_a_parameter_is_never_read_as_yaml_nor_as_a_command(given: str) -> None:
    import shlex

    body = text(
        write('"{{params.v}}"')
        + execute("simple_coder.run", 'input: {command_line: "echo {{params.v}} end"}')
        + execute("simple_coder.run", "input: {command_line: \"echo '{{params.v}}' end\"}")
    )
    found = checked(body, given={"v": given})
    assert found.bound is not None
    steps = [one.step for one in found.bound.steps]
    assert [step.command for step in steps] == ["write", "run", "run"]
    assert steps[0].values()["content"] == given
    for step in steps[1:]:
        assert shlex.split(step.values()["command_line"]) == ["echo", given, "end"]


def test_names_conditions_and_outputs_are_no_templates() -> None:
    for steps, said in [
        (execute('"{{params.tool}}.run"'), "there is no tool"),
        (execute('"{{params.flow}}"', item="WORKFLOW"), "the library has no workflow"),
        (execute("simple_coder.ls", 'output_var: "{{params.out}}"'), "output_var is no name"),
        (execute("simple_coder.ls", 'condition: "{{params.left}} {{params.sign}} 1"'), "this is no condition"),
    ]:
        assert said in refused(text(steps)).message
