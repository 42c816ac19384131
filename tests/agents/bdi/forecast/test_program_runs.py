"""What a program of a plan is given, and whether that came from outside in the same plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.forecast.program_runs import ProgramRun, program_runs
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.registry import REGISTRY

HOST = "example.org"


def step(
    command: str, *, tool: str = "simple_coder", effect: str = "workspace", hosts: Any = (), **params: Any
) -> IntentSpec:
    return IntentSpec(0, "main", tool, command, params, (), "", effect, {}, (), None, tuple(hosts), "", "")


def fetch(file: str) -> IntentSpec:
    return step("download", tool="http_request", hosts=[HOST], url=f"https://{HOST}/{file}", file=file)


GET = step("get", tool="http_request", effect="idempotent", hosts=[HOST], url=f"https://{HOST}/a")


def run(line: str, **also: Any) -> IntentSpec:
    return step("run", command_line=line, **also)


def runs(*steps: IntentSpec, there: Sequence[str] = ("main.py",)) -> tuple[ProgramRun, ...]:
    numbered = tuple(replace(one, position=at) for at, one in enumerate(steps, 1))
    return program_runs(Document("1", "goal", "ws", "base", 1, "rule", numbered, ()), REGISTRY, there)


@pytest.mark.parametrize(
    "steps",
    [
        [fetch("tool.py"), run("python tool.py")],
        [fetch("tool.sh"), run("sh tool.sh --fast")],
        [fetch("tool"), run("./tool")],
        [fetch("tool.py"), step("mv", path="tool.py", to="bin/tool.py"), run("python bin/tool.py")],
        [
            fetch("tool.py"),
            step("mkdir", path="lib"),
            step("cp", path="tool.py", to="lib/t.py"),
            run("python -m lib.t"),
        ],
        [fetch("kit.tar.gz"), run("tar xf kit.tar.gz"), run("python kit/setup.py")],
        [fetch("kit.zip"), run("python -m zipfile -e kit.zip ."), run("sh kit/install.sh")],
        [step("mkdir", path="kit"), step("cd", path="kit"), fetch("a.py"), run("python a.py")],
        [fetch("kit.whl"), run("pip install kit.whl"), run("python main.py")],
        [fetch("tool.py"), run("env FAST=1 python3 -u tool.py")],
        [fetch("tool.txt"), run("python -W ignore tool.txt")],
        [fetch("tool.txt"), run("env -i nice -n 5 python3.11 tool.txt")],
        [
            fetch("tool.txt"),
            step("rename_ending", tool="many_files", path="tool.txt", ending="py"),
            run("python tool.py"),
        ],
        [
            fetch("tool.py"),
            step("archive_files", tool="many_files", paths="tool.py\nmain.py", to="kit.zip"),
            run("unzip kit.zip -d kit"),
            run("python kit/tool.py"),
        ],
        [run("curl -O tool.py", hosts=[HOST]), run("python tool.py")],
        [GET, step("write", path="tool.py", content="{{intents.1.result.content}}"), run("python tool.py")],
        [GET, run("{{intents.1.result.content}}")],
        [run("curl -s x", hosts=[HOST]), step("write", path="a", content="{{intents.1.result.stdout}}"), run("sh a")],
        [
            fetch("tool.py"),
            step("read", effect="idempotent", path="tool.py"),
            step("write", path="other.py", content="{{intents.2.result.content}}"),
            run("python other.py"),
        ],
    ],
)
def test_what_came_is_followed_to_where_it_runs(steps: list[IntentSpec]) -> None:
    last = runs(*steps)[-1]
    assert last.runs_it
    assert last.hosts == (HOST,)


def test_packages_of_the_index_run_with_whatever_runs_in_their_environment() -> None:
    made = [step("create_venv", venv_name=".venv"), step("activate_venv", venv_name=".venv")]
    install = run("pip install requests", hosts=["packages"])
    first, second = runs(*made, install, run("python main.py"))
    assert (first.hosts, first.runs_it) == (("packages",), True)
    assert (second.hosts, second.runs_it) == (("packages",), True)
    _, outside = runs(*made, install, step("deactivate_venv"), run("python main.py"))
    assert not outside.hosts


@pytest.mark.parametrize("line", ["python main.py", "make", "wc -l rates.csv"])
def test_a_program_that_starts_after_something_came_is_told_apart_from_one_that_runs_it(line: str) -> None:
    (last,) = runs(fetch("rates.csv"), run(line))
    assert last.hosts == (HOST,)
    assert not last.runs_it


@pytest.mark.parametrize(
    "steps",
    [
        [run("python main.py")],
        [step("write", path="tool.py", content="1"), run("python tool.py")],
        [run("python main.py"), fetch("tool.py")],
        [GET, run("make")],
    ],
)
def test_what_did_not_come_in_the_plan_is_not_foreign(steps: list[IntentSpec]) -> None:
    assert all(not one.hosts for one in runs(*steps))


def test_what_a_step_before_it_writes_is_told_of_a_program() -> None:
    written, there = runs(step("write", path="tool.py", content="1"), run("python tool.py"), run("python main.py"))
    assert (written.is_written, there.is_written) == (True, False)
    assert written.paths == ("tool.py",)
