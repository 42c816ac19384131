"""Values that cannot name what their command takes: a column that is not there, a file of another kind."""

from __future__ import annotations

from typing import Any

import pytest

from agents.bdi.plans.misnamed import Beginning, columns_of, misnamed
from agents.bdi.plans.validation import validate_values
from agents.toolkit.registry import REGISTRY

FILES = {
    "stock.csv": b"place;The unit;amount\nA;box;3\n",
    "sub/stock.csv": b"other\n1\n",
    "list.json": b'[{"place": "A", "amount": 3}]',
    "one.json": b'{"place": "A"}',
    "photo.csv": b"\x89PNG\0\0",
    "list.yaml": b"- place: A\n",
}
FIGURE = REGISTRY.command("data_files", "figure")
RENAME = REGISTRY.command("many_files", "rename_ending")
ARCHIVE = REGISTRY.command("many_files", "archive_files")


def _read(path: str) -> Beginning | None:
    return Beginning(FILES[path], is_all=True) if path in FILES else None


def _wrong(path: str, column: str, folder: str = "") -> list[tuple[str, str]]:
    return misnamed(FIGURE, {"path": path, "column": column, "what": "sum"}, _read, folder)


@pytest.mark.parametrize("column", ["amount", "Amount", "the amount", "unit", "the unit"])
def test_a_column_is_found_as_the_command_itself_finds_it(column: str) -> None:
    # “The unit” is a name that begins with an article; “unit” alone is none.
    assert bool(_wrong("stock.csv", column)) is (column == "unit")


@pytest.mark.parametrize("path", ["stock.csv", "list.json"])
def test_words_that_name_no_column_are_told_with_the_columns_that_there_are(path: str) -> None:
    ((name, why),) = _wrong(path, "amount of each place")
    assert name == "column"
    assert why.startswith(f"{path} has no column “amount of each place”; it has place, ")


def test_a_file_that_holds_no_table_has_no_columns() -> None:
    for path in ("photo.csv", "one.json"):
        assert _wrong(path, "amount") == [("column", f"{path} has no columns")], path


def test_of_what_cannot_be_read_here_nothing_is_said() -> None:
    assert _wrong("list.yaml", "nothing") == []
    assert _wrong("none.csv", "nothing") == []
    assert misnamed(FIGURE, {"path": "stock.csv", "column": "nothing", "what": "sum"}) == []
    assert columns_of("list.json", Beginning(b'[{"place"', is_all=False)) is None


def test_the_file_is_the_one_of_the_current_folder() -> None:
    assert _wrong("stock.csv", "other", "sub") == []
    assert _wrong("stock.csv", "amount", "sub") != []


@pytest.mark.parametrize(
    ("command", "values", "wrong"),
    [
        (ARCHIVE, {"paths": "a", "to": "old/logs.zip"}, ""),
        (ARCHIVE, {"paths": "a", "to": "old/LOGS.ZIP"}, ""),
        (ARCHIVE, {"paths": "a", "to": "old.d/logs"}, ""),
        (ARCHIVE, {"paths": "a", "to": "logs.rar"}, "to"),
        (REGISTRY.command("data_files", "convert"), {"path": "a.csv", "to": "a.xlsx"}, "to"),
        (REGISTRY.command("data_files", "convert"), {"path": "a.txt", "to": "a.json"}, "path"),
        (REGISTRY.command("data_files", "entry"), {"path": "a.csv", "entry": "x"}, "path"),
        (REGISTRY.command("data_files", "entry"), {"path": "a.yml", "entry": "x"}, ""),
    ],
)
def test_the_ending_of_a_name_fits_what_the_command_makes(command: Any, values: dict[str, str], wrong: str) -> None:
    assert [name for name, _ in validate_values(command, values)] == ([wrong] if wrong else [])


@pytest.mark.parametrize("ending", ["md", ".md", "*.md", "tar.gz", ".tar.gz", ".jsonl", ".numbers", "MD", "html", "7z"])
def test_what_looks_like_an_ending_is_taken_for_one(ending: str) -> None:
    assert misnamed(RENAME, {"path": "a.txt", "ending": ending}) == []


@pytest.mark.parametrize(
    "ending", ["lower case", "UPPER CASE", "numbers", "the original", "uppercase", "upper", "a b", ".a b", "md/x", "."]
)
def test_what_does_not_is_none(ending: str) -> None:
    ((name, why),) = misnamed(RENAME, {"path": "a.txt", "ending": ending})
    assert name == "ending"
    assert why.startswith(f"“{ending}” does not look like the ending of a file's name")
