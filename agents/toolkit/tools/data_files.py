"""CSV, JSON and YAML files: converted into each other, and asked simple questions."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from pathlib import PurePosixPath
from typing import Any

from agents.toolkit import refusal, yaml_nodes
from agents.toolkit.analysis import KIT
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.data_files import columns, inside, yaml_text
from agents.toolkit.describing import fields, line, path
from agents.toolkit.jailed import in_jail
from agents.toolkit.leaving import Left
from agents.toolkit.saying import Place, Said
from agents.toolkit.trial import Trial

NAME = "data_files"
_TABLE = path("CSV, JSON or YAML file")
# What it tells apart by their endings.
_KINDS = [".csv", ".tsv", ".json", ".yaml", ".yml"]
_COLUMN = line("Column", 200, **{"x-column-of": "path"})
_FILES = {"t.csv": "name,n\nann,1.50\nbo,20\n", "b.csv": "a\0b", "odd.csv": "a,b\n1\n", "t.json": '[{"a": 1}]'}
_FILES |= {"c.yaml": "server:\n  port: 8080\n  country: no\n", "bad.yml": "a: 1\na: 2\n"}


def _command(
    name: str,
    summary: str,
    more: dict[str, Any],
    phrase: str,
    result_keys: tuple[str, ...],
    example: dict[str, Any],
    trials: tuple[Trial, ...],
    effect: str = "idempotent",
    **more_of_it: Any,
) -> Command:
    schema = fields({"path": _TABLE} | more, *dict.fromkeys(("path", *more)))
    # The kit holds what reads YAML.
    parts = (refusal, yaml_nodes, yaml_text, columns)
    work = in_jail(inside, schema, reads_only=effect == "idempotent", parts=parts, kit=KIT, do=name)
    return Command(
        NAME, name, summary, schema, (phrase,), effect, work, result_keys, (example,), trials=trials, **more_of_it
    )


def _converted(params: Params) -> Iterable[Left]:
    """The file of the same name with the other ending."""
    yield Left(".", str(PurePosixPath(params["path"]).with_suffix(f".{params['format']}")))


def _no_number(params: Params) -> Iterable[tuple[str, str]]:
    """Only a number is above or below another one; a question may have left its mark behind it."""
    if params.get("how") in ("above", "below") and (value := params.get("value")) is not None:
        try:
            Decimal(value.strip().rstrip("?"))
        except InvalidOperation:
            yield "value", f"“{value}” is no number"


def _file(*endings: str) -> dict[str, Any]:
    """The file that it is about, where only files of these endings will do."""
    return {"path": {**_TABLE, "x-endings": list(endings)}}


def _choice(title: str, *options: str) -> dict[str, Any]:
    return {"type": "string", "title": title, "enum": list(options)}


TOOL = Tool(
    NAME,
    "Data files",
    "Reads CSV, JSON and YAML files, converts them into each other, and answers simple questions on them.",
    (
        _command(
            "convert",
            "Convert a CSV, JSON or YAML file to another of these kinds, as a new file.",
            {**_file(*_KINDS), "to": path("New file", **{"x-endings": _KINDS})},
            "convert the table {path} to the file {to}",
            ("path", "rows", "columns"),
            {"path": "sales.csv", "to": "sales.json"},
            (
                Trial({"path": "t.csv", "to": "x.json"}, _FILES, result={"rows": 2}, changes=("x.json",)),
                Trial({"path": "t.json", "to": "x.csv"}, _FILES, result={"rows": 1}, changes=("x.csv",)),
                Trial({"path": "t.csv", "to": "x.yaml"}, _FILES, result={"rows": 2}, changes=("x.yaml",)),
                Trial({"path": "c.yaml", "to": "x.json"}, _FILES, result={"rows": 1}, changes=("x.json",)),
                Trial({"path": "bad.yml", "to": "x.json"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                Trial({"path": "c.yaml", "to": "x.csv"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                Trial({"path": "t.csv", "to": "t.json"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                Trial({"path": "odd.csv", "to": "x.json"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            effect="workspace",
        ),
        _command(
            "convert_beside",
            "Convert a CSV, JSON or YAML file to another of these kinds, as a new file of the same name beside it.",
            {**_file(*_KINDS), "format": _choice("Format", "csv", "json", "yaml", "yml")},
            "convert the data file {path} to the format {format}",
            ("path", "rows", "columns"),
            {"path": "sales.csv", "format": "json"},
            (
                Trial({"path": "b/u.csv", "format": "yaml"}, {"b/u.csv": "a\n1\n"}, changes=("b/u.yaml",)),
                Trial({"path": "t.csv", "format": "json"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                Trial({"path": "t.csv", "format": "csv"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            effect="workspace",
            leaves=_converted,
        ),
        _command(
            "tidy",
            "Write a JSON file anew, an entry a line and indented. What it holds stays the same.",
            _file(".json"),
            "write the data file {path} anew in a tidy form",
            ("path", "changed"),
            {"path": "settings.json"},
            (
                Trial({"path": "t.json"}, _FILES, result={"changed": True}, changes=("t.json",)),
                Trial({"path": "t.json"}, {"t.json": '{\n  "a": 1.50\n}\n'}, result={"changed": False}, changes=()),
                Trial({"path": "t.json"}, {"t.json": '{"a": 1'}, error="INVALID_PARAMETERS", changes=()),
                Trial({"path": "c.yaml"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
            effect="workspace",
            tells_changes="changed",
        ),
        _command(
            "about",
            "Show the columns of a table and how many rows it has; of other JSON or YAML its entries.",
            {},
            "show the columns and the number of rows of the table {path}",
            ("columns", "count"),
            {"path": "sales.csv"},
            (
                Trial({"path": "t.csv"}, _FILES, result={"columns": ["name", "n"], "count": 2}, changes=()),
                Trial({"path": "c.yaml"}, _FILES, result={"columns": ["server"], "count": 1}, changes=()),
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
                Trial({"path": "t.csv", "column": "the n", "what": "mean"}, _FILES, changes=()),
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
            faults=_no_number,
            trials=(
                Trial(
                    {"path": "t.csv", "column": "an n", "how": "below", "value": "5?"},
                    _FILES,
                    result={"count": 1},
                    changes=(),
                ),
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
        _command(
            "entry",
            "Show the value of an entry of a JSON or YAML file; a point leads into what it holds: server.port.",
            {**_file(".json", ".yaml", ".yml"), "entry": line("Entry", 500)},
            "show the entry {entry} of the data file {path}",
            ("value",),
            {"path": "config.yaml", "entry": "server.port"},
            (
                Trial({"path": "c.yaml", "entry": "server.country"}, _FILES, result={"value": "no"}, changes=()),
                Trial({"path": "t.json", "entry": "0.A"}, _FILES, result={"value": "1"}, changes=()),
                Trial({"path": "c.yaml", "entry": "none"}, _FILES, error="INVALID_PARAMETERS", changes=()),
                Trial({"path": "t.csv", "entry": "n"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
        _command(
            "check",
            "Say whether a CSV, JSON or YAML file can be read, and if not, where and why.",
            _file(*_KINDS),
            "check whether the data file {path} can be read",
            ("valid", "why"),
            {"path": "config.yaml"},
            (
                Trial({"path": "c.yaml"}, _FILES, result={"valid": True}, changes=()),
                Trial({"path": "bad.yml"}, _FILES, result={"valid": False}, changes=()),
                Trial({"path": "odd.csv"}, _FILES, result={"valid": False}, changes=()),
                Trial({"path": "none.csv"}, _FILES, error="INVALID_PARAMETERS", changes=()),
            ),
        ),
    ),
    # What it makes is looked for when the goal has ended.
    {"convert": Said((), {"path": Place("file"), "to": Place("new", makes="file")})},
)
