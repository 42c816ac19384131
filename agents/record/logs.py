"""The log of a goal: numbered without gaps, written before anybody is told."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.bdi.intentions.cycle import Decision
from agents.record import prepared, wake_ups

TEXT_MAX = 64 * 1024
# The escape of a NUL: an even number of backslashes before it are escaped backslashes.
_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
# What Python makes of a byte of a name that is not UTF-8, and other halves of a pair.
_NO_UTF8 = re.compile("[\ud800-\udfff]")
# Made once: `json.dumps` makes one for each text that is not spaced as its own.
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_WRITE = """
WITH counted AS (
    UPDATE agents_logcounter SET last = last + %(count)s WHERE goal_id = %(goal)s RETURNING last
), written AS (
    INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)
    SELECT %(goal)s, counted.last - %(count)s + line.place, clock_timestamp(),
           line.source, coalesce(line.stage, 'execute'), coalesce(line.level, 'info'), line.text,
           coalesce(line.data, '{}')
    FROM counted, ROWS FROM (json_to_recordset(%(lines)s::json)
        AS (source text, stage text, level text, text text, data jsonb)) WITH ORDINALITY
        AS line (source, stage, level, text, data, place)
)
SELECT last FROM counted
"""


@dataclass(frozen=True)
class NewLine:
    """A line to be written. `source` is who speaks (`bdi_agent`, `review`, `worker`, `tool.SimpleCoder`, `stdout`)."""

    source: str
    stage: str
    text: str
    level: str = "info"
    data: Mapping[str, Any] = field(default_factory=dict)


def write(goal_id: int, lines: Sequence[NewLine]) -> int:
    """Append lines to the goal's log and return the number of the last one; 0 when there was nothing to write.

    One statement. The counter's row is locked by the update, so two writers never share a number and a rolled back one
    leaves no gap; times are the database's, as in everything that a worker records. NUL cannot be stored in Postgres
    and is shown as U+2400; a text is cut at 64 KiB with a mark.
    """
    if not lines:
        return 0
    row = prepared.row(*writing(goal_id, lines))
    last = int(row[0]) if row is not None else 0
    wake_ups.goal_changed(goal_id, last)
    return last


def writing(goal_id: int, lines: Sequence[NewLine]) -> tuple[str, dict[str, Any]]:
    """The statement that writes these lines and returns the last one's number, for who sends it with others; browsers
    are told by whoever does.
    """
    return _WRITE, {"goal": goal_id, "count": len(lines), "lines": as_json(lines)}


def as_json(lines: Sequence[NewLine]) -> str:
    """The lines as the statements that write them take them: an array of objects, without what most lines have in
    common, for a report is kept twice: in its row, and in the server's log of changes.
    """
    if not lines:
        return "[]"
    return json_text([_told(line) for line in lines])


def _told(line: NewLine) -> dict[str, Any]:
    told: dict[str, Any] = {"source": line.source, "text": storable(line.text)}
    if line.stage != "execute":
        told["stage"] = line.stage
    if line.level != "info":
        told["level"] = line.level
    if line.data:
        told["data"] = dict(line.data)
    return told


def json_text(value: Any) -> str:
    """JSON as Postgres stores it: no NUL, which jsonb cannot hold. A text that spells one out stays as it is."""
    text = _ENCODER.encode(value)
    return _NUL.sub(r"\1\\u2400", text) if "\\u0000" in text else text


def counted(number: int, thing: str) -> str:
    """A number of things as a line says it: `1 step`, `2 steps`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def say(goal_id: int, source: str, stage: str, text: str, level: str = "info", **data: Any) -> int:
    """Write one line."""
    return write(goal_id, [NewLine(source, stage, text, level, data)])


def decided(decision: Decision, stage: str, text: str, level: str = "info", **data: Any) -> NewLine:
    """The line of a decision of the agent: its sentence, and as data which one it is and what it stands on."""
    return NewLine("bdi_agent", stage, text, level, {"decision": decision.value, **data})


def say_decided(goal_id: int, decision: Decision, stage: str, text: str, level: str = "info", **data: Any) -> int:
    """Write the line of one decision."""
    return write(goal_id, [decided(decision, stage, text, level, **data)])


def storable_in(value: Any) -> Any:
    """The same of every text in a value that is stored as JSON."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {key: storable_in(each) for key, each in value.items()}
    return [storable_in(each) for each in value] if isinstance(value, list | tuple) else value


def storable(text: str) -> str:
    """The text as Postgres can hold it, bounded; a byte of a name that is not UTF-8 as `\\xFF`."""
    text = _NO_UTF8.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02X}", text.replace("\x00", "\u2400"))
    if len(text) > TEXT_MAX:
        return text[:TEXT_MAX] + f" … {len(text) - TEXT_MAX:,} more characters"
    return text
