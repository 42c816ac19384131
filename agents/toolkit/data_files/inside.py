"""Reading CSV and JSON as tables, converting them into each other, simple questions. Lives in the jail.

Numbers are kept as they are written (1.50 stays 1.50), so that CSV becomes JSON and CSV again without a change.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from agents.toolkit.refusal import Refused

MOST_BYTES = 64 << 20
MOST_ROWS = 200
MOST_CELL_CHARS = 300
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?\Z")
Row = dict[str, str]


class _Written(str):
    """A number of a JSON file, as it is written there."""


def main(params: dict[str, Any]) -> dict[str, Any]:
    """What the command `do` answers."""
    try:
        return _DO[params["do"]](params)
    except Refused as refused:
        return refused.answer()
    except OSError as error:
        return Refused("INVALID_PARAMETERS", f"{error.filename}: {error.strerror}").answer()


def _refused(reason: str) -> Refused:
    return Refused("INVALID_PARAMETERS", reason)


def _text(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        raise _refused(f"{path} is no file")
    if path.stat().st_size > MOST_BYTES:
        raise _refused(f"{path} is larger than {MOST_BYTES >> 20} MB")
    data = path.read_bytes()
    if b"\0" in data:
        raise _refused(f"{path} is a binary file and no table")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(f"{path} is no UTF-8 text (byte {error.start})") from error


def _data(path: Path) -> Any:
    try:
        return json.loads(_text(path), parse_float=_Written, parse_int=_Written, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _refused(f"{path} is no JSON: {error}") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _table(path: Path) -> tuple[list[str], list[Row]]:
    """Columns and rows of a CSV file, or of a JSON list of objects."""
    if path.suffix.lower() == ".json":
        return _from_objects(path, _data(path))
    text = _text(path)
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t|", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [line for line in reader if line]
    except csv.Error as error:
        raise _refused(f"{path}, line {reader.line_num}: {error}") from error
    if not lines:
        raise _refused(f"{path} is empty")
    columns = [name.strip() for name in lines[0]]
    if len(set(columns)) < len(columns):
        raise _refused(f"{path} has two columns of the same name")
    if wrong := next((number for number, line in enumerate(lines, 1) if len(line) != len(columns)), 0):
        raise _refused(f"{path}: row {wrong} has another number of cells than the first one")
    return columns, [dict(zip(columns, line, strict=True)) for line in lines[1:]]


def _from_objects(path: Path, data: Any) -> tuple[list[str], list[Row]]:
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        raise _refused(f"{path} is no list of objects, so it is no table")
    columns = list(dict.fromkeys(name for one in data for name in one))
    for number, one in enumerate(data, 1):
        if name := next((name for name, value in one.items() if isinstance(value, dict | list)), None):
            raise _refused(f"{path}: entry {number} has a list or an object as {name}, which no cell can hold")
    return columns, [{name: _cell(one.get(name)) for name in columns} for one in data]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _as_json(rows: list[Row]) -> str:
    """A list of objects, a number as it is written in the table."""
    objects = [
        ",\n".join(f"    {json.dumps(n, ensure_ascii=False)}: {_token(v)}" for n, v in row.items()) for row in rows
    ]
    return "[\n" + ",\n".join(f"  {{\n{each}\n  }}" for each in objects) + "\n]\n"


def _token(cell: str) -> str:
    return cell if _NUMBER.match(cell) else json.dumps(cell, ensure_ascii=False)


def _convert(params: dict[str, Any]) -> dict[str, Any]:
    source, target = Path(params["path"]), Path(params["to"])
    if os.path.lexists(target):
        raise _refused(f"{target} is there already; give the new file another name")
    kinds = source.suffix.lower(), target.suffix.lower()
    if not set(kinds) <= {".csv", ".json"} or kinds[0] == kinds[1]:
        raise _refused("a .csv file becomes a .json file, or the other way round")
    columns, rows = _table(source)
    said = _as_json(rows) if kinds[1] == ".json" else _as_csv(columns, rows)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(said, encoding="utf-8", newline="")
    return {"path": str(target), "rows": len(rows), "columns": columns}


def _as_csv(columns: list[str], rows: list[Row]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    return out.getvalue()


def _column(columns: list[str], said: str) -> str:
    found = [name for name in columns if name.casefold() == said.strip().casefold()]
    if not found:
        raise _refused(f"there is no column “{said}”; there are {', '.join(columns)[:500]}")
    return found[0]


def _number(cell: str) -> Decimal | None:
    try:
        value = Decimal(cell.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _about(params: dict[str, Any]) -> dict[str, Any]:
    columns, rows = _table(Path(params["path"]))
    return {"columns": columns, "count": len(rows)}


def _figure(params: dict[str, Any]) -> dict[str, Any]:
    columns, rows = _table(Path(params["path"]))
    name = _column(columns, params["column"])
    numbers = [number for row in rows if (number := _number(row[name])) is not None]
    if not numbers:
        raise _refused(f"the column {name} holds no numbers")
    value = {
        "sum": lambda: sum(numbers),
        "mean": lambda: sum(numbers) / len(numbers),
        "highest": lambda: max(numbers),
        "lowest": lambda: min(numbers),
    }[params["what"]]()
    return {"value": format(value, "f"), "numbers": len(numbers), "left_out": len(rows) - len(numbers)}


def _rows(params: dict[str, Any]) -> dict[str, Any]:
    columns, rows = _table(Path(params["path"]))
    name = _column(columns, params["column"])
    found = [row for row in rows if _fits(row[name], params["how"], params["value"])]
    return {"rows": _shown(found), "count": len(found), "left_out": max(0, len(found) - MOST_ROWS)}


def _fits(cell: str, how: str, value: str) -> bool:
    if how == "is":
        return cell.strip().casefold() == value.strip().casefold()
    mine, other = _number(cell), _number(value)
    if other is None:
        raise _refused(f"“{value}” is no number")
    return mine is not None and (mine > other if how == "above" else mine < other)


def _sorted(params: dict[str, Any]) -> dict[str, Any]:
    columns, rows = _table(Path(params["path"]))
    name = _column(columns, params["column"])
    rows.sort(key=lambda row: _rank(row[name]))
    return {"rows": _shown(rows), "count": len(rows), "left_out": max(0, len(rows) - MOST_ROWS)}


def _rank(cell: str) -> tuple[bool, Decimal, str]:
    number = _number(cell)
    return number is None, number or Decimal(0), cell.casefold()


def _shown(rows: list[Row]) -> list[Row]:
    return [dict(_cut(row)) for row in rows[:MOST_ROWS]]


def _cut(row: Row) -> Iterator[tuple[str, str]]:
    for name, cell in row.items():
        yield name, cell if len(cell) <= MOST_CELL_CHARS else cell[:MOST_CELL_CHARS] + "…"


_DO = {
    "convert": _convert,
    "about": _about,
    "figure": _figure,
    "rows": _rows,
    "sorted": _sorted,
}
