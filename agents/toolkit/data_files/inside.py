"""Reading CSV, JSON and YAML, converting them into each other, simple questions. Lives in the jail.

Numbers are kept as they are written (1.50 stays 1.50), so that CSV becomes JSON or YAML and CSV again without a change.
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

from agents.toolkit.data_files.columns import column_named, delimiter_of
from agents.toolkit.data_files.yaml_text import Written, dump, load
from agents.toolkit.refusal import Refused
from agents.toolkit.yaml_nodes import YamlFault

MOST_BYTES = 64 << 20
# Its reader is slow: about a minute for so much.
MOST_YAML_BYTES = 4 << 20
MOST_VALUE_CHARS = 20_000
MOST_ROWS = 200
MOST_CELL_CHARS = 300
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?\Z")
_KINDS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".yaml": "yaml", ".yml": "yaml"}
Row = dict[str, str]


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


def _kind(path: Path) -> str:
    return _KINDS.get(path.suffix.lower(), "csv")


def _text(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        raise _refused(f"{path} is no file")
    most = MOST_YAML_BYTES if _kind(path) == "yaml" else MOST_BYTES
    if path.stat().st_size > most:
        raise _refused(f"{path} is larger than {most >> 20} MB")
    data = path.read_bytes()
    if b"\0" in data:
        raise _refused(f"{path} is a binary file and holds no text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(f"{path} is no UTF-8 text (byte {error.start})") from error


def _data(path: Path) -> Any:
    """What a JSON or YAML file holds, numbers as they are written."""
    text = _text(path)
    try:
        if _kind(path) == "yaml":
            return load(text)
        return json.loads(
            text, parse_float=Written, parse_int=Written, parse_constant=_no_constant, object_pairs_hook=_once
        )
    except YamlFault as error:
        raise _refused(f"{path} is no YAML that is read here: {error}") from error
    except (ValueError, RecursionError) as error:
        raise _refused(f"{path} is no JSON: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON. A name that is there twice would lose its first value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"“{next(name for name in names if names.count(name) > 1)[:60]}” is here twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _table(path: Path) -> tuple[list[str], list[Row]]:
    """Columns and rows of a CSV file, or of a list of objects in JSON or YAML."""
    if _kind(path) != "csv":
        return _from_objects(path, _data(path))
    text = _text(path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True)
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


def _plain(rows: list[Row]) -> list[dict[str, Any]]:
    """The rows as objects, in which a number stays as it is written in the table."""
    return [{name: Written(cell) if _NUMBER.match(cell) else cell for name, cell in row.items()} for row in rows]


def _as_json(value: Any, indent: str = "") -> str:
    """JSON on as many lines as a person likes to read, numbers as they are written."""
    if isinstance(value, Written):
        return str(value)
    if not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    deeper = f"{indent}  "
    if isinstance(value, list):
        parts = [f"{deeper}{_as_json(one, deeper)}" for one in value]
    else:
        names = ((json.dumps(name, ensure_ascii=False), one) for name, one in value.items())
        parts = [f"{deeper}{name}: {_as_json(one, deeper)}" for name, one in names]
    first, last = "[]" if isinstance(value, list) else "{}"
    return f"{first}\n{(',' + chr(10)).join(parts)}\n{indent}{last}"


def _convert(params: dict[str, Any]) -> dict[str, Any]:
    source, target = Path(params["path"]), Path(params["to"])
    if os.path.lexists(target):
        raise _refused(f"{target} is there already; give the new file another name")
    kinds = _KINDS.get(source.suffix.lower()), _KINDS.get(target.suffix.lower())
    if None in kinds or kinds[0] == kinds[1]:
        raise _refused("a .csv, .json or .yaml file becomes one of another of these kinds")
    if "csv" in kinds:
        columns, rows = _table(source)
        said = _as_csv(columns, rows) if kinds[1] == "csv" else _written(kinds[1], _plain(rows))
    else:
        data = _data(source)
        columns, rows = [], data if isinstance(data, list) else [data]
        said = _written(kinds[1], data)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(said, encoding="utf-8", newline="")
    return {"path": str(target), "rows": len(rows), "columns": columns}


def _convert_beside(params: dict[str, Any]) -> dict[str, Any]:
    """The new file gets the name of the old one with the other ending."""
    source = Path(params["path"])
    return _convert({"path": params["path"], "to": str(source.with_suffix(f".{params['format']}"))})


def _tidied(params: dict[str, Any]) -> dict[str, Any]:
    """A JSON file written anew with two spaces for each level; what it holds stays the same, in the same order."""
    path = Path(params["path"])
    if _kind(path) != "json":
        raise _refused(f"{path} is no JSON file; only these are written anew")
    before, said = _text(path), f"{_as_json(_data(path))}\n"
    if said != before:
        path.write_text(said, encoding="utf-8", newline="")
    return {"path": str(path), "changed": said != before}


def _written(kind: str | None, data: Any) -> str:
    return f"{_as_json(data)}\n" if kind == "json" else dump(data)


def _as_csv(columns: list[str], rows: list[Row]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row[name] for name in columns] for row in rows)
    return out.getvalue()


def _column(columns: list[str], said: str) -> str:
    if (found := column_named(columns, said)) is None:
        raise _refused(f"there is no column “{said}”; there are {', '.join(columns)[:500]}")
    return found


def _number(cell: str) -> Decimal | None:
    try:
        value = Decimal(cell.strip())
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _about(params: dict[str, Any]) -> dict[str, Any]:
    path = Path(params["path"])
    if _kind(path) != "csv" and isinstance(data := _data(path), dict):
        return {"columns": list(data)[:MOST_ROWS], "count": len(data)}
    columns, rows = _table(path)
    return {"columns": columns, "count": len(rows)}


def _entry(params: dict[str, Any]) -> dict[str, Any]:
    """The value at a place such as `server.ports.0`."""
    path = Path(params["path"])
    if _KINDS.get(path.suffix.lower()) not in ("json", "yaml"):
        raise _refused(f"{path} is neither a .json nor a .yaml file")
    value = _data(path)
    done: list[str] = []
    for part in params["entry"].split("."):
        value = _part(value, part.strip(), ".".join(done))
        done.append(part.strip())
    said = value if isinstance(value, str) else _as_json(value)
    return {"value": said[:MOST_VALUE_CHARS], "cut": len(said) > MOST_VALUE_CHARS}


def _part(value: Any, name: str, above: str) -> Any:
    where = f"in “{above}”" if above else "at its beginning"
    if isinstance(value, list):
        if name.isdecimal() and int(name) < len(value):
            return value[int(name)]
        raise _refused(f"{where} is a list of {len(value)}, counted from 0; it has no {name}")
    if not isinstance(value, dict):
        raise _refused(f"{where} is one value, which has no entry {name}")
    if name in value:
        return value[name]
    alike = [one for one in value if one.casefold() == name.casefold()]
    if len(alike) != 1:
        raise _refused(f"{where} is no entry {name}; there are {', '.join(value)[:500]}")
    return value[alike[0]]


def _check(params: dict[str, Any]) -> dict[str, Any]:
    """Whether the file can be read as what its ending says. That it cannot be is an answer."""
    path = Path(params["path"])
    if path.suffix.lower() not in _KINDS:
        raise _refused(f"{path} is no .csv, .json or .yaml file")
    if path.is_symlink() or not path.is_file():
        raise _refused(f"{path} is no file")
    try:
        if _kind(path) == "csv":
            _table(path)
        else:
            _data(path)
    except Refused as refused:
        return {"valid": False, "why": str(refused.answer()["reason"])[:1_000]}
    return {"valid": True, "why": f"{path} can be read as {_kind(path).upper()}"}


def _figure(params: dict[str, Any]) -> dict[str, Any]:
    columns, rows = _table(Path(params["path"]))
    name = _column(columns, params["column"])
    numbers = [number for row in rows if (number := _number(row[name])) is not None]
    if not numbers:
        raise _refused(f"the column {name} holds no numbers")
    total = sum(numbers, Decimal(0))
    figures = {"sum": total, "mean": total / len(numbers), "highest": max(numbers), "lowest": min(numbers)}
    value = figures[params["what"]]
    return {"value": format(value, "f"), "numbers": len(numbers), "left_out": len(rows) - len(numbers)}


def _rows(params: dict[str, Any]) -> dict[str, Any]:
    columns, rows = _table(Path(params["path"]))
    name = _column(columns, params["column"])
    found = [row for row in rows if _fits(row[name], params["how"], params["value"])]
    return {"rows": _shown(found), "count": len(found), "left_out": max(0, len(found) - MOST_ROWS)}


def _fits(cell: str, how: str, value: str) -> bool:
    # A question may have left its mark behind the value.
    bare = value.strip().rstrip("?")
    if how == "is":
        return cell.strip().casefold() in (value.strip().casefold(), bare.casefold())
    mine, other = _number(cell), _number(bare)
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
    "convert_beside": _convert_beside,
    "tidy": _tidied,
    "about": _about,
    "figure": _figure,
    "rows": _rows,
    "sorted": _sorted,
    "entry": _entry,
    "check": _check,
}
