"""The executor's statements. Each is a file of SQL; parts that several have are files of their own.

Whole texts are made once, because a prepared statement is found by its text. `{stamp}` is the gate's question, which is
wired after this module is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from agents import gate
from agents.services import logs
from agents.services.logs import NewLine

_FOLDER = Path(__file__).parent
# Up to so many lines of the log are values of the statement; more come as one array of JSON.
FEW_LINES = 4
_MANY = """ROWS FROM (json_to_recordset(%(lines)s::json)
    AS (source text, stage text, level text, text text, data jsonb)) WITH ORDINALITY
    AS line (source, stage, level, text, data, place)"""


def read(name: str, *, changed: bool = True, lines: int = 0) -> str:
    """A statement with its parts in place, but for the gate's stamp. Without `changed` it cannot record that session or
    files are different now, nor how a recovery went: parts that find no row cost each step as much as those that do.
    `lines` is how many lines of the log it is told.
    """
    text = (_FOLDER / f"{name}.sql").read_text()
    # The workspace comes before the log's counter, as wherever rows are locked.
    text = text.replace("{after_changed}", ", (SELECT count(*) FROM workspace) AS moved" if changed else "")
    text = text.replace("{changed}", f", {_part('changed')}" if changed else "")
    for part in ("recorded", "told"):
        text = text.replace(f"{{{part}}}", _part(part))
    return _short(text.replace("{lines}", _lines(lines)))


def _lines(number: int) -> str:
    """A table of the lines to be written, each with its place from 1."""
    if not 0 < number <= FEW_LINES:
        return _MANY
    parts = ("source", "stage", "level", "text", "data")
    rows = (
        f"({place}, {', '.join(f'%({part}_{place})s' for part in parts)}::jsonb)"  # the data is JSON
        for place in range(1, number + 1)
    )
    return f"(VALUES {', '.join(rows)}) AS line (place, source, stage, level, text, data)"


def _part(name: str) -> str:
    return "\n" + (_FOLDER / f"{name}.sql").read_text()


def _short(text: str) -> str:
    """Without comments and indentation: psycopg takes texts of more than 4,096 characters apart each time again."""
    lines = (line.partition("--")[0].strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def statement(name: str, *, changed: bool = True, lines: int = 0) -> str:
    """The whole text of a statement; `changed` and `lines` as in `read`."""
    return _with_stamp(name, changed, lines if lines <= FEW_LINES else 0, gate.stamp_call())


@lru_cache(maxsize=64)
def _with_stamp(name: str, changed: bool, lines: int, stamp: str) -> str:
    return read(name, changed=changed, lines=lines).replace("{stamp}", stamp)


def told(lines: Sequence[NewLine]) -> dict[str, object]:
    """The values of a statement that is told these lines, as many as `statement` was asked for."""
    if not 0 < len(lines) <= FEW_LINES:
        return {"lines": logs.as_json(lines)}
    values: dict[str, object] = {}
    for place, line in enumerate(lines, 1):
        values |= {
            f"source_{place}": line.source,
            f"stage_{place}": line.stage,
            f"level_{place}": line.level,
            f"text_{place}": logs.storable(line.text),
            f"data_{place}": logs.json_text(dict(line.data)),
        }
    return values
