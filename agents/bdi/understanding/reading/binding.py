"""From a reading to commands: one for each item of a list, each value with what was said and how sure it is."""

from __future__ import annotations

from dataclasses import replace

from agents.bdi.understanding.reading.judging import Reading
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.values.filled import Filled
from agents.toolkit.types import Param


def commands_of(text: str, reading: Reading, margin: float) -> list[Meant]:
    """One command for each item of a list."""
    found = []
    for item in (None, *reading.items):
        params = dict(reading.params)
        if item is not None:
            params = _with_item(reading, params, item)
        values = {name: _param(one) for name, one in params.items() if one.value is not None}
        least = min((param.confidence for param in values.values()), default=1.0)
        sure = least * max(0.0, 1.0 - 0.25 * max(0.0, reading.cost + 0.5)) * min(1.0, 0.75 + 0.4 * margin)
        found.append(
            Meant(reading.command.tool, reading.command.name, values, text, round(sure, 3), reading.superfluous)
        )
    return found


def _with_item(reading: Reading, params: dict[str, Filled], item: Filled) -> dict[str, Filled]:
    """The same with another object; what was put into a folder under its own name gets the new one's."""
    first = params.get(reading.object_name)
    changed = {**params, reading.object_name: item}
    target = params.get("to") or params.get("file")
    if first is not None and target is not None and isinstance(first.value, str) and isinstance(target.value, str):
        name = first.value.rsplit("/", 1)[-1]
        if target.why.startswith("a folder takes") and target.value.endswith(name) and isinstance(item.value, str):
            slot = "to" if "to" in params else "file"
            changed[slot] = replace(target, value=target.value[: -len(name)] + item.value.rsplit("/", 1)[-1])
    return changed


def _param(one: Filled) -> Param:
    changed = one.original is not None and one.original != one.value
    origin = "mapping" if changed else "explicit"
    return Param(one.value, origin, one.original if changed else None, one.span, one.why, one.confidence)
