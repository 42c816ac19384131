"""What no loose reading is taken for: words that no step carries, a line that was not typed, what would be lost."""

from __future__ import annotations

import pytest

from agents.bdi.understanding.names.paths import Mapped, Tree
from agents.bdi.understanding.understand import understand
from agents.toolkit.registry import REGISTRY
from tests.agents.bdi.understanding.workspaces import Workspace

HERE = Workspace.of(
    (
        "numbers.py", "scripts/backup.py", "report.md", "old/report.md", "data/invoices.csv", "tests/test_app.py",
        "notes/todo.md", "logs/app.log", "Makefile",
    )
)  # fmt: skip


def _why(text: str, here: Workspace = HERE) -> str:
    (question,) = understand(text, here.tree, REGISTRY).questions
    return question.why


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("delete report.md, my boss was against it", "my boss was against it"),
        ("The auditor comes on Friday. Move report.md to old/yearly.md", "The auditor comes on Friday"),
        ("make a folder archive for the new year", "for the new year"),
        ("remove data/invoices.csv, it is no more needed", "it is no more needed"),
    ],
)
def test_what_no_step_carries_is_asked_about_where_something_changes(text: str, left_out: str) -> None:
    assert _why(text) == f"No step of it does anything about “{left_out}”."
    assert HERE.offered(text), "the plan is the first answer"


@pytest.mark.parametrize(
    "text",
    [
        "show report.md before I talk to my boss",
        "make a folder archive, please",
        "could you kindly delete report.md real quick? Thanks a million!",
        "make a folder archive with mode 755",
        "Before you delete report.md, copy it to notes.",
    ],
)
def test_courtesy_order_and_settings_are_carried_and_what_only_shows_is_done(text: str) -> None:
    assert not HERE.is_asked(text)


@pytest.mark.parametrize("text", ["run backup", "run the backup", "run go over everything", "run tests"])
def test_what_only_sounds_like_a_command_line_is_not_run(text: str) -> None:
    assert "was not given as a command line; put what is to run in quotes" in _why(text)
    assert ("run" in [command for command, _ in HERE.offered(text)]) is True


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("run 'go over everything'", "go over everything"),
        ("run make", "make"),
        ("run pytest tests", "pytest tests"),
        ("run pytest -q tests/test_app.py", "pytest -q tests/test_app.py"),
        ("run the backup script", "python scripts/backup.py"),
        ("run scripts/backup.py", "python scripts/backup.py"),
        ("install requests", "pip install requests"),
        ("show me the last thirty lines of app.log", "tail -n 30 logs/app.log"),
        ("run echo hello everybody", "echo hello everybody"),
    ],
)
def test_what_is_plainly_a_command_line_is_run(text: str, line: str) -> None:
    assert HERE.steps(text) == [("run", {"command_line": line})]


@pytest.mark.parametrize("text", ["delete invoice.csv", "delete the invoices", "remove data/invoces.csv"])
def test_nothing_is_deleted_by_a_name_that_was_corrected_or_shortened(text: str) -> None:
    assert "is not exactly the name of data/invoices.csv, which would be lost" in _why(text)
    assert HERE.offered(text) == [("rm", {"path": "data/invoices.csv"})]


def test_nothing_is_overwritten_by_a_name_that_was_corrected() -> None:
    said = "move numbers.py over data/invoces.csv, overwrite it"
    assert HERE.is_asked(said)
    assert not HERE.is_asked("move numbers.py over data/invoices.csv, overwrite it")


@pytest.mark.parametrize(
    "text",
    ["delete data/invoices.csv", "delete invoices.csv", "show invoices.csv and delete it", "drop app.log from logs"],
)
def test_what_is_named_exactly_is_deleted(text: str) -> None:
    assert not HERE.is_asked(text)


def test_what_people_said_that_a_name_means_is_no_guess() -> None:
    taught = Workspace(
        Tree.of(
            [(path, "file") for path in HERE.tree.kinds if "." in path],
            mapped=[Mapped("bills", "data/invoices.csv")],
        )
    )
    assert taught.steps("delete the bills") == [("rm", {"path": "data/invoices.csv"})]
