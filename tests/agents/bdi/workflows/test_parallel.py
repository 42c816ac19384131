"""PARALLEL: branches that are read, bound, kept apart, and said with line and mend where they are not independent."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.validation import validate
from agents.bdi.workflows.binding import bind
from agents.bdi.workflows.bound import Bound, Known
from agents.bdi.workflows.checking import check
from agents.bdi.workflows.faults import Fault
from agents.bdi.workflows.reading import MOST_STEPS, read
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.workflows.workflow_texts import execute, parallel, text

READ = execute("simple_coder.read", "input: {path: a.txt}", "output_var: one")
OTHER = execute("simple_coder.read", "input: {path: b.txt}", "output_var: two")
JOIN = execute("simple_coder.write", 'input: {path: c.txt, content: "{{two.content}}"}')


def write(path: str, *more: str, content: str = "x") -> str:
    return execute("simple_coder.write", f'input: {{path: {path}, content: "{content}"}}', *more)


def bound(body: str, given: dict[str, Any] | None = None, known: dict[str, str] | None = None) -> Bound:
    reading = read(body)
    assert reading.faults == ()
    assert reading.workflow is not None
    return bind(
        reading.workflow, given, REGISTRY, {name: Known(name, "1.0.0", one) for name, one in (known or {}).items()}
    )


def errors(body: str, known: dict[str, str] | None = None) -> list[Fault]:
    named = {name: Known(name, "1.0.0", one) for name, one in (known or {}).items()}
    return [fault for fault in check(body, REGISTRY, named).faults if not fault.is_warning]


def test_branches_are_steps_that_do_not_depend_on_each_other_and_what_is_behind_may_read_both() -> None:
    found = bound(text(write("first.txt") + parallel(READ + write("x.txt"), OTHER + write("y.txt")) + JOIN))
    assert not found.faults
    assert [(one.way, one.step.branch) for one in found.steps] == [
        ("1", ""),
        ("2a.1", "2a"),
        ("2a.2", "2a"),
        ("2b.1", "2b"),
        ("2b.2", "2b"),
        ("3", ""),
    ]
    assert found.steps[5].step.depends_on == (4,)
    assert not validate([one.step for one in found.steps], (), REGISTRY)


def test_programs_in_branches_do_not_wait_for_each_other() -> None:
    """Outside of branches a program depends on every step that changed a file before it."""
    run = execute("simple_coder.run", "input: {command_line: ls}")
    found = bound(text(write("first.txt") + parallel(write("a.txt") + run, run) + run))
    assert [one.step.depends_on for one in found.steps] == [(), (), (1, 2), (1,), (1, 2, 3, 4)]


def test_branches_within_branches_and_within_called_workflows_have_ways_of_their_own() -> None:
    inner = text(parallel(write("p.txt"), write("q.txt")), name="Inner")
    body = text(parallel(parallel(write("a.txt"), write("b.txt")).replace("\n", "\n"), write("c.txt")))
    assert [(one.way, one.step.branch) for one in bound(body).steps] == [
        ("1a.1a.1", "1a.1a"),
        ("1a.1b.1", "1a.1b"),
        ("1b.1", "1b"),
    ]
    called = bound(text(write("a.txt") + execute("Inner", item="WORKFLOW")), known={"Inner": inner})
    assert [(one.way, one.step.branch) for one in called.steps][1:] == [("2.1a.1", "2.1a"), ("2.1b.1", "2.1b")]
    call = execute("Deep", item="WORKFLOW")
    deep = bound(text(parallel(call, write("z.txt"))), known={"Deep": text(write("d.txt"), name="Deep")})
    assert [(one.way, one.step.branch) for one in deep.steps] == [("1a.1.1", "1a"), ("1b.1", "1b")]


def test_values_that_are_created_in_a_branch_stay_in_it() -> None:
    create = "  - type: CREATE\n    item_type: TOOL\n    name: simple_coder.mkdir\n    config: {path: made}\n"
    make = execute("simple_coder.mkdir")
    assert not errors(text(parallel(create + make, write("b.txt"))))
    (found,) = errors(text(parallel(create + make, write("b.txt")) + make))
    assert "needs “path”" in found.message


@pytest.mark.parametrize(
    ("steps", "line", "said", "mend"),
    [
        (parallel(READ, OTHER.replace("two", "one")), 14, "branch a has the output_var “one” already", "another name"),
        (
            parallel(READ, write("b.txt", content="{{one.content}}")),
            13,
            "{{one}} is a result of branch 1a, which does not wait for this one",
            "after PARALLEL",
        ),
        (
            parallel(READ, write("b.txt", 'condition: "{{one.content}} == x"')),
            14,
            "{{one}} is a result of branch 1a",
            "one branch",
        ),
        (
            parallel(write("a.txt"), write("a.txt")),
            9,
            "step 1b.1 changes “a.txt”, which step 1a.1 changes",
            "Use other",
        ),
        (parallel(READ, write("a.txt")), 10, "step 1b.1 changes “a.txt”, which step 1a.1 reads", "one branch"),
        (
            parallel(execute("simple_coder.mkdir", "input: {path: d}"), write("d/a.txt")),
            9,
            "step 1b.1 changes “d/a.txt”, which step 1a.1 changes",
            "",
        ),
        (
            parallel(execute("simple_coder.cd", "input: {path: .}"), OTHER),
            5,
            "step 1a.1: simple_coder.cd changes the session",
            "before PARALLEL",
        ),
        (
            parallel(execute("simple_coder.start", "input: {name: web, command_line: ls}"), OTHER),
            5,
            "would live beside all branches",
            "before PARALLEL",
        ),
        (parallel(READ), 4, "at least two branches", "only steps"),
        ("  - type: PARALLEL\n    branches:\n      - []\n      - []\n", 5, "branch a has no steps", "leave it out"),
        ("  - type: PARALLEL\n    branches: []\n", 4, "at least two branches", "branches:"),
        ("  - type: PARALLEL\n", 3, "at least two branches", "branches:"),
        ("  - type: PARALLEL\n    branches: {a: b}\n", 4, "at least two branches", "branches:"),
        ("  - {type: PARALLEL, branches: [a, b]}\n", 3, "branch a is a list of steps", "- - type"),
        (
            parallel(READ, "  - type: RETURN\n    value: x\n"),
            10,
            "RETURN stands in a branch; the workflow returns, not a branch",
            "Move it out of PARALLEL",
        ),
        (parallel(*[write(f"{at}.txt") for at in range(11)]), 4, "more than 10 branches", "Join"),
        (parallel(READ, OTHER) + "    condition: x\n", 15, "“condition” is no key of PARALLEL", "steps of a branch"),
        (parallel(READ, OTHER) + "    branchs: []\n", 15, "“branchs” is no key of PARALLEL", "branches"),
    ],
    ids=lambda one: str(one)[:40] if "type:" not in str(one) else "steps",
)
def test_each_fault_of_branches_has_its_line_and_a_mend(steps: str, line: int, said: str, mend: str) -> None:
    found = next(one for one in errors(text(steps)) if said in one.message)
    assert (found.line, mend in found.mend) == (line, True), found


def test_two_branches_may_read_the_same_file_and_one_may_change_its_own() -> None:
    assert not errors(text(parallel(READ, READ.replace("one", "two")) + JOIN))
    assert not errors(text(parallel(write("a.txt") + READ, write("b.txt"))))


def test_a_path_that_a_parameter_gives_is_held_against_the_others_when_it_is_known() -> None:
    body = text(parallel(write('"{{params.where}}"'), write("b.txt")))
    assert not errors(body)
    assert bound(body, {"where": "c.txt"}).faults == ()
    (found,) = bound(body, {"where": "b.txt"}).faults
    assert "step 1b.1 changes “b.txt”, which step 1a.1 changes" in found.message


def test_steps_of_all_branches_are_counted_together() -> None:
    half = "".join(write(f"{at}.txt") for at in range(MOST_STEPS // 2))
    (found,) = [fault for fault in read(text(parallel(half, half))).faults if not fault.is_warning]
    assert "more than 100 steps" in found.message


def test_a_workflow_that_is_called_from_two_branches_may_not_touch_the_same_files() -> None:
    known = {"Same": text(write("same.txt"), name="Same")}
    call = execute("Same", item="WORKFLOW")
    (found,) = errors(text(parallel(call, call)), known)
    assert (found.line, "step 1b.1.1 changes “same.txt”" in found.message) == (8, True)
