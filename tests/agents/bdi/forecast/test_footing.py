"""What a plan stands on, and which changes of its workspace concern it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from agents.bdi.forecast.footing import ADDED, CHANGED, DELETED, Footing, footing_of
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.registry import REGISTRY

CHANGES = {"docs/a.txt": CHANGED, "docs/new.txt": ADDED, "src": ADDED, "src/main.py": ADDED, "old": DELETED}


def step(command: str, /, effect: str = "workspace", **params: Any) -> IntentSpec:
    return IntentSpec(0, "main", "simple_coder", command, params, (), "", effect, {}, (), None, (), "", "")


def footing(
    *steps: IntentSpec, reads: Sequence[str] | None = None, cleanup: Sequence[IntentSpec] = (), **changed: list[str]
) -> Footing:
    main = tuple(replace(one, position=at) for at, one in enumerate(steps, 1))
    undo = tuple(replace(one, position=at, phase="cleanup") for at, one in enumerate(cleanup, len(main) + 1))
    document = Document("1", "goal", "ws", "base", 1, "rule", main, undo)
    findings = [{"position": at} | ({} if reads is None else {"reads": reads}) for at in range(1, len(main) + 1)]
    return footing_of(document, REGISTRY, findings, changed)


RUN = step("run", command_line="python job.py")
WRITE = step("write", path="out.txt", content="x")


@pytest.mark.parametrize(
    ("steps", "met"),
    [
        ([WRITE], []),
        ([step("write", path="docs/a.txt", content="x")], ["docs/a.txt"]),
        ([step("write", path="docs/b.txt", content="x")], []),
        ([step("mkdir", path="src")], ["src"]),
        ([step("mkdir", path="docs"), WRITE], []),
        ([step("cd", effect="idempotent", path="docs"), WRITE], []),
        ([step("ls", effect="idempotent", path="docs"), WRITE], ["docs/new.txt"]),
        ([step("read", effect="idempotent", path="docs/a.txt"), WRITE], ["docs/a.txt"]),
        ([step("find", effect="idempotent", pattern="*.txt", path="docs"), WRITE], ["docs/a.txt", "docs/new.txt"]),
        ([step("write", path="old/x.txt", content="x")], ["old"]),
        ([step("mv", path="docs/a.txt", to="b.txt")], ["docs/a.txt"]),
        ([RUN], sorted(CHANGES)),
    ],
)
def test_only_a_change_of_what_it_names_concerns_a_plan(steps: list[IntentSpec], met: list[str]) -> None:
    assert footing(*steps).met_by(CHANGES) == met


def test_a_program_that_may_remove_files_stands_on_everything() -> None:
    """It asks without a trace whether a file is there."""
    on = step("toggle_autonomous_mode", on=True)
    assert footing(RUN, reads=["job.py"]).met_by(CHANGES) == []
    assert footing(on, RUN, reads=["job.py"]).met_by(CHANGES) == sorted(CHANGES)
    assert footing(RUN, on, WRITE, reads=["job.py"]).met_by(CHANGES) == []


def test_what_only_reads_stands_on_nothing() -> None:
    looks = [step("read", effect="idempotent", path="docs/a.txt"), step("ls", effect="idempotent")]
    assert footing(*looks).met_by(CHANGES) == []


def test_of_a_program_counts_what_the_dry_run_saw_it_open() -> None:
    assert footing(RUN, reads=["job.py", "data/"]).met_by(CHANGES) == []
    assert footing(RUN, reads=["job.py", "docs/a.txt"]).met_by(CHANGES) == ["docs/a.txt"]
    assert footing(RUN, reads=["docs/"]).met_by(CHANGES) == ["docs/new.txt"]
    assert footing(RUN, reads=["/"]).met_by(CHANGES) == ["old", "src"]


def test_what_the_dry_run_changed_counts_and_not_what_lies_beside_it() -> None:
    assert footing(RUN, reads=["job.py"], changed=["docs/a.txt"]).met_by(CHANGES) == ["docs/a.txt"]
    assert footing(RUN, reads=["job.py"], added=["docs/b.txt", "src/b.py"]).met_by(CHANGES) == []


def test_what_came_to_a_folder_that_the_dry_run_deleted_counts() -> None:
    assert footing(RUN, reads=["job.py"], deleted=["docs"]).met_by(CHANGES) == ["docs/a.txt", "docs/new.txt"]


@pytest.mark.parametrize("also", [{"cleanup": [RUN]}, {"cleanup": [step("rm", path="{{intents.1.result.path}}")]}])
def test_what_no_dry_run_tries_may_meet_everything(also: Any) -> None:
    assert footing(WRITE, reads=[], **also).whole
