"""Values that cannot name what their command declares: a file of another kind, no ending, no column of the table.

A slot of a rule takes whatever words stand in its place (“amount, highest first”). What it took is looked at when a
plan is made, so that another rule, or a person, gets its turn before a step fails. Pure: who plans hands in the reader.
"""

from __future__ import annotations

import csv
import io
import json
import mimetypes
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agents.toolkit.command import Command
from agents.toolkit.data_files.columns import column_named, delimiter_of
from agents.toolkit.references import parse_reference

# So much of a file is read for its columns.
MOST_BYTES = 64 << 10
_MOST_SAID = 500


@dataclass(frozen=True)
class Beginning:
    """The first bytes of a file, and whether these are all of it."""

    data: bytes
    is_all: bool


# By the path from the workspace's root; None: there is no such file, or it cannot be read now.
Reader = Callable[[str], Beginning | None]


def misnamed(
    command: Command, values: Mapping[str, Any], read: Reader | None = None, folder: str = ""
) -> list[tuple[str, str]]:
    """Return (parameter, message) for values that name nothing of their kind; of a file that is not there nothing is
    known. Without `read` only names are looked at. Paths start at `folder`.
    """
    known = {name: value for name, value in values.items() if isinstance(value, str) and parse_reference(value) is None}
    looks = (_ending, _an_ending)
    found = [(name, wrong) for name, value in known.items() for look in looks if (wrong := look(command, name, value))]
    return found + list(_columns(command, known, read, folder) if read is not None else ())


def _ending(command: Command, name: str, value: str) -> str:
    endings: list[str] | None = command.properties.get(name, {}).get("x-endings")
    if endings is None or posixpath.splitext(value.casefold())[1] in endings:
        return ""
    wanted = " or ".join(ending for ending in endings if ending)
    return f"the name “{value}” does not end in {wanted}, and {command.tool}.{command.name} is for no other files"


_SHORT_ENDING = re.compile(r"[A-Za-z0-9]{1,4}")
_ANY_ENDING = re.compile(r"\*?\.[A-Za-z0-9]{1,12}(?:\.[A-Za-z0-9]{1,12})?|[A-Za-z0-9]{1,4}\.[A-Za-z0-9]{1,4}")
# Those that Python itself knows; the machine's own list would make a plan depend on the machine.
_KNOWN_ENDINGS = frozenset(ending.removeprefix(".") for ending in mimetypes.MimeTypes(filenames=()).types_map[True])


def _an_ending(command: Command, name: str, value: str) -> str:
    """“Rename the files to numbers”: without its dot a word is an ending only where it is short or known as one."""
    if not command.properties.get(name, {}).get("x-ending"):
        return ""
    if _ANY_ENDING.fullmatch(value) or _SHORT_ENDING.fullmatch(value) or value.casefold() in _KNOWN_ENDINGS:
        return ""
    return f"“{value}” does not look like the ending of a file's name; with a dot before it, a longer word can be one"


def _columns(command: Command, values: Mapping[str, str], read: Reader, folder: str) -> Iterator[tuple[str, str]]:
    for name, said in values.items():
        table = command.properties.get(name, {}).get("x-column-of")
        path = values.get(table) if table is not None else None
        columns = columns_of(path, read(posixpath.normpath(posixpath.join(folder, path)))) if path else None
        if columns is not None and column_named(columns, said) is None:
            listed = ", ".join(columns)[:_MOST_SAID]
            yield name, f"{path} has no column “{said}”; it has {listed}" if columns else f"{path} has no columns"


def columns_of(path: str, beginning: Beginning | None) -> list[str] | None:
    """The columns of a table by the beginning of its file; None where it does not tell. The jail alone reads YAML."""
    ending = posixpath.splitext(path.casefold())[1]
    if beginning is None or ending in (".yaml", ".yml"):
        return None
    try:
        text = beginning.data.decode("utf-8-sig", "strict" if beginning.is_all else "ignore")
        if "\0" in text:
            return []
        if ending != ".json":
            return _of_csv(text)
        return _of_json(text) if beginning.is_all else None
    except UnicodeDecodeError:
        return []
    except (csv.Error, ValueError, RecursionError):
        return None


def _of_csv(text: str) -> list[str]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text), strict=True)
    return [cell.strip() for cell in next((row for row in rows if row), [])]


def _of_json(text: str) -> list[str] | None:
    data = json.loads(text)
    if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
        return []
    return list(dict.fromkeys(str(name) for one in data for name in one))
