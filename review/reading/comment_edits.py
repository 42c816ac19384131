"""Finds values that a comment asks for in plain words, to offer them as an edit. Pure.

*Change weather to tides*, *use tides instead of weather*, *tides, not weather*, *path: tides*. This changes nothing:
the result is shown first, like any other edit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.plans.document import IntentSpec
from review.words import LONGEST

# A value as people write it in a sentence: in quotes, or up to the next space.
_VALUE = (
    r"""(?:"(?P<{0}_d>[^"\n]{{1,400}})"|'(?P<{0}_s>[^'\n]{{1,400}})'|[`“](?P<{0}_q>[^`”\n]{{1,400}})[`”]"""
    r"""|(?P<{0}>[^\s"'`“”,;]{{1,200}}))"""
)
_OLD, _NEW = _VALUE.format("old"), _VALUE.format("new")
_REPLACED = (
    rf"\b(?:change|rename|replace|switch|correct|turn)\s+(?:the\s+)?(?:\w+\s+)??{_OLD}\s+(?:to|with|by|into|for)\s+{_NEW}",
    rf"\b(?:use|take|write|put|say|make\s+it|call\s+it)\s+{_NEW}\s*,?\s+(?:instead\s+of|rather\s+than|and\s+not|not)\s+{_OLD}",
    rf"{_OLD}\s+(?:should|must|has\s+to|needs\s+to|ought\s+to)\s+be\s+{_NEW}",
    rf"{_OLD}\s*(?:→|->|=>)\s*{_NEW}",
    rf"{_NEW}\s+(?:instead\s+of|rather\s+than)\s+{_OLD}",
    rf"{_NEW}\s*,\s*not\s+{_OLD}",
)
# *path: tides*, *set the path to tides*, *path should be tides*: by the name of the parameter.
_SAYS = r"(?:[:=]|to\b|is\s+to\s+be\b|(?:should|must)\s+(?:be|say)\b)"
_NAMED = rf"\b(?:set\s+(?:the\s+)?)?{{name}}\s*{_SAYS}\s*{_NEW}"
_ENDS = ".!?:"


@dataclass(frozen=True)
class Suggested:
    """One value that a comment asks for."""

    position: int
    parameter: str
    before: str
    after: str
    value: Any


def edits_in(comment: str, steps: Sequence[IntentSpec]) -> tuple[Suggested, ...]:
    """The changes that a comment asks for, one for each parameter. Empty if it has no value that is understood.

    A text is replaced wherever it is a value of the plan, or a whole word or name in one. A change by a
    parameter's name is accepted only if exactly one step has this parameter.
    """
    if len(comment) > LONGEST:  # refused later, by the code that applies it
        return ()
    found: dict[tuple[int, str], Suggested] = {}
    for old, new in _pairs(comment):
        for spec in steps:
            for name, value in spec.params.items():
                if isinstance(value, str) and (other := _replaced(value, old, new)) != value:
                    found.setdefault((spec.position, name), Suggested(spec.position, name, value, other, other))
    for one in _named(comment, steps):
        found.setdefault((one.position, one.parameter), one)
    return tuple(found[key] for key in sorted(found))


def values_of(suggested: Sequence[Suggested], steps: Sequence[IntentSpec]) -> dict[int, dict[str, Any]]:
    """All values of each step that is to be changed, by its position."""
    given = {spec.position: dict(spec.params) for spec in steps}
    for one in suggested:
        given[one.position][one.parameter] = one.value
    return {one.position: given[one.position] for one in suggested}


def _pairs(comment: str) -> Iterator[tuple[str, str]]:
    for pattern in _REPLACED:
        for match in re.finditer(pattern, comment, re.IGNORECASE):
            old, new = _said(match, "old"), _said(match, "new")
            if old and new and old != new:
                yield old, new


def _said(match: re.Match[str], name: str) -> str:
    quoted = next((match[f"{name}_{kind}"] for kind in "dsq" if match[f"{name}_{kind}"]), None)
    return quoted if quoted is not None else (match[name] or "").rstrip(_ENDS)


def _replaced(value: str, old: str, new: str) -> str:
    # “weather” is meant in “weather/report.md”, and not in “weatherproof”.
    return re.sub(rf"(?<![^\W_]){re.escape(old)}(?![^\W_])", lambda _: new, value, flags=re.IGNORECASE)


def _named(comment: str, steps: Sequence[IntentSpec]) -> Iterator[Suggested]:
    names = {name for spec in steps for name in spec.params}
    for name in sorted(names):
        holders: list[tuple[IntentSpec, Any]] = [(spec, spec.params[name]) for spec in steps if name in spec.params]
        spoken = re.escape(name).replace("_", r"[_\s]")
        match = re.search(_NAMED.replace("{name}", spoken), comment, re.IGNORECASE)
        if match is None or len(holders) != 1 or not (said := _said(match, "new")):
            continue
        spec, before = holders[0]
        value = _of_its_kind(said, before)
        if value is not None and value != before:
            yield Suggested(spec.position, name, str(before), str(value), value)


def _of_its_kind(said: str, before: Any) -> Any:
    """The text as a value of the same kind as the current one; None if that is not possible."""
    if isinstance(before, bool):
        return {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}.get(said.casefold())
    if isinstance(before, int):
        return int(said) if re.fullmatch(r"-?\d{1,12}", said, re.ASCII) else None
    return said if isinstance(before, str) else None
