"""What two steps may fail by together, and how tries are counted by it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.agint import Health, Tried, counted
from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.shared_causes import Kind, stands_on, suspected

OWN, NETWORK = FailureClass.TOOL_EXECUTION_ERROR, FailureClass.NETWORK_ERROR


def step(line: str = "", *hosts: str, tool: str = "simple_coder", command: str = "run") -> IntentSpec:
    params: dict[str, Any] = {"command_line": line} if line else {}
    return IntentSpec(
        1, "main", tool, command, params, (), "", "workspace", {}, (), None, hosts=hosts, rule="", sentence=""
    )


@pytest.mark.parametrize(
    ("line", "kind", "name"),
    [
        ("pytest -q tests/test_a.py", Kind.PROGRAM, "pytest"),
        ("python -m pytest -q", Kind.PROGRAM, "pytest"),
        ("git merge side", Kind.PROGRAM, "git"),
        ("python main.py --fast", Kind.SCRIPT, "main.py"),
        ("python3.12 ./tools/../main.py", Kind.SCRIPT, "main.py"),
        ("sh build.sh", Kind.SCRIPT, "build.sh"),
        ("./build", Kind.SCRIPT, "build"),
        ("python -c 'print(1)'", Kind.LINE, "python -c 'print(1)'"),
        # The next word may be the option's value.
        ("python -W error main.py", Kind.LINE, "python -W error main.py"),
        ("python", Kind.LINE, "python"),
        ("cat a | sort", Kind.LINE, "cat a | sort"),
    ],
)
def test_the_program_of_a_command_line_is_what_runs(line: str, kind: Kind, name: str) -> None:
    (found,) = stands_on(step(line), 7)
    assert (found.kind, found.names, found.workspace) == (kind, (name,), 7 if kind is Kind.SCRIPT else 0)


def test_a_program_that_asks_hosts_stands_on_both_and_its_failure_is_about_one() -> None:
    one = step("curl https://b.org", "b.org", "a.org")
    assert [cause.kind for cause in stands_on(one, 7)] == [Kind.HOST, Kind.PROGRAM]
    assert suspected(one, 7, NETWORK).words == "a.org and b.org"
    assert suspected(one, 7, OWN).words == "curl"
    asks = step("", "a.org", tool="http_request", command="get")
    assert suspected(asks, 7, OWN).words == "a.org", "it runs no program"
    assert suspected(step("pip install x", "packages"), 7, NETWORK).words == "the package index"
    assert suspected(step(tool="git_tool", command="merge"), 7, OWN).words == "git_tool.merge"


def test_programs_meet_where_they_are_the_same_and_hosts_where_one_is() -> None:
    def meet(one: IntentSpec, other: IntentSpec, workspace: int = 7, failure_class: FailureClass = OWN) -> bool:
        return suspected(one, 7, failure_class).meets(suspected(other, workspace, failure_class))

    assert meet(step("pytest a"), step("python -m pytest b"), 8)
    assert not meet(step("pytest"), step("make"))
    assert meet(step("python main.py"), step("python ./main.py --again"))
    assert not meet(step("python main.py"), step("python main.py"), 8), "another workspace's is another program"
    assert meet(step("curl x", "a.org", "b.org"), step("wget y", "b.org"), 8, NETWORK)
    assert not meet(step("curl x", "a.org"), step("curl x", "b.org"), 7, NETWORK)
    assert not meet(step("pytest"), step("pytest", command="start")), "another command runs it in another way"


def test_a_line_is_named_in_quotes_and_not_at_any_length() -> None:
    assert suspected(step("python -c 'x'"), 7, OWN).words == "“python -c 'x'”"
    assert suspected(step(f"python -c '{'x' * 900}'"), 7, OWN).words == f"“python -c '{'x' * 69} …”"


def test_what_is_about_something_else_is_not_counted_and_own_faults_are_counted_apart() -> None:
    fetch = step("fetch", "a.org")
    tries = [
        Tried(fetch, 7),
        Tried(fetch, 7, NETWORK),
        Tried(fetch, 7, OWN),  # about the program
        Tried(step("other", "a.org"), 8, NETWORK),
        Tried(step("fetch", "b.org"), 7, NETWORK),
        Tried(step("fetch"), 7),
    ]
    assert counted(suspected(fetch, 7, NETWORK), tries) == Health(3, 2)
    assert counted(suspected(fetch, 7, OWN), tries) == Health(3, 1), "with b.org failed the host, not the program"
    own = [Tried(step("pytest"), 7, OWN, own_fault=True), Tried(step("pytest"), 7, FailureClass.PERMISSION_ERROR)]
    assert counted(suspected(step("pytest"), 7, OWN), own) == Health(0, 0, 2)


def test_the_newest_twenty_count() -> None:
    tries = [Tried(step("make"), 7)] * 20 + [Tried(step("make"), 7, OWN)] * 30
    assert counted(suspected(step("make"), 7, OWN), tries) == Health(20, 0)
