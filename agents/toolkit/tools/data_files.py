"""CSV and JSON files as tables: converted into each other, and asked simple questions."""

from __future__ import annotations

from typing import Any

from agents.toolkit import refusal
from agents.toolkit.command import Command, Tool
from agents.toolkit.data_files import inside
from agents.toolkit.describing import fields, line, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.trial import Trial

NAME = "data_files"
_TABLE = path("CSV or JSON file")
_COLUMN = line("Column", 200)
_FILES = {"t.csv": "name,n\nann,1.50\nbo,20\n", "b.csv": "a\0b", "odd.csv": "a,b\n1\n", "t.json": '[{"a": 1}]'}


def _command(
    name: str,
    summary: str,
    more: dict[str, Any],
    phrase: str,
    result_keys: tuple[str, ...],
    example: dict[str, Any],
    trials: tuple[Trial, ...],
    effect: str = "idempotent",
) -> Command:
    schema = fields({"path": _TABLE, **more}, "path", *more)
    work = in_jail(inside, schema, reads_only=effect == "idempotent", parts=(refusal,), do=name)
    return Command(NAME, name, summary, schema, (phrase,), effect, work, result_keys, (example,), trials=trials)


def _choice(title: str, *options: str) -> dict[str, Any]:
    return {"type": "string", "title": title, "enum": list(options)}


TOOL = Tool(
    NAME,
    "Data files",
    "Reads CSV files and lists of JSON as tables, converts them into each other, and answers simple questions on them.",
    (
        _command(
            "convert",
            "Convert a CSV file to JSON, or a JSON list to CSV, as a new file.",
            {"to": path("New file")},
            "convert the table {path} to the file {to}",
            ("path", "rows", "columns"),
            {"path": "sales.csv", "to": "sales.json"},
            (
                Trial({"path": "t.csv", "to": "x.json"}, _FILES, result={"rows": 2}, changes=("x.json",)),
                Trial({"path": "t.json", "to": "x.csv"}, _FILES, result={"rows": 1}, changes=("x.csv",)),
                Trial({"path": "t.csv", "to": "t.json"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                Trial({"path": "odd.csv", "to": "x.json"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            effect="workspace",
        ),
        _command(
            "about",
            "Show the columns of a table, and how many rows it has.",
            {},
            "show the columns and the number of rows of the table {path}",
            ("columns", "count"),
            {"path": "sales.csv"},
            (
                Trial({"path": "t.csv"}, _FILES, result={"columns": ["name", "n"], "count": 2}, changes=()),
                Trial({"path": "b.csv"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        _command(
            "figure",
            "Work out the sum, the mean, the highest or the lowest number of a column.",
            {"column": _COLUMN, "what": _choice("Which", "sum", "mean", "highest", "lowest")},
            "work out the {what} of the column {column} of the table {path}",
            ("value", "numbers", "left_out"),
            {"path": "sales.csv", "column": "price", "what": "sum"},
            (
                Trial({"path": "t.csv", "column": "N", "what": "sum"}, _FILES, result={"value": "21.50"}, changes=()),
                Trial({"path": "t.csv", "column": "x", "what": "sum"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        _command(
            "rows",
            "Show the rows of a table whose cell in a column is this text, or above or below this number.",
            {"column": _COLUMN, "how": _choice("How", "is", "above", "below"), "value": line("Value", 1_000)},
            "show the rows of the table {path} whose {column} in the way {how} fits {value}",
            ("rows", "count", "left_out"),
            {"path": "sales.csv", "column": "region", "how": "is", "value": "north"},
            (
                Trial(
                    {"path": "t.csv", "column": "n", "how": "above", "value": "5"},
                    _FILES,
                    result={"count": 1},
                    changes=(),
                ),
                Trial(
                    {"path": "t.csv", "column": "n", "how": "above", "value": "x"},
                    _FILES,
                    error="INVALID_PARAMETERS",
                    changes=(),
                ),
            ),
        ),
        _command(
            "sorted",
            "Show the rows of a table in the order of a column, numbers by their size.",
            {"column": _COLUMN},
            "show the table {path} in the order of the column {column}",
            ("rows", "count", "left_out"),
            {"path": "sales.csv", "column": "amount"},
            (Trial({"path": "t.csv", "column": "n"}, _FILES, result={"count": 2}, changes=()),),
        ),
    ),
)
