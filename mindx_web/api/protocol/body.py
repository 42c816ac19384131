"""Reads JSON strictly: anything that two readers could understand differently is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from mindx_web.api.protocol.problems import Problem, invalid

# Beyond this, languages read JSON numbers differently (RFC 8785, RFC 7493).
_LARGEST_INTEGER = 2**53 - 1
# Whoever stores or shows a value walks it by recursion, deeper in the stack than the reader was.
_MOST_DEPTH = 100
# Longest name that a problem quotes.
_SHOWN_MAX = 400


class StrictParser(Parser):
    """UTF-8, no repeated key, no NaN, nothing that Postgres or the canonical form cannot store."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The decoded body. Raises Problem: 400 when it is not JSON, 422 when a value cannot be stored."""
        return read_json(request.body)


def read_json(data: bytes) -> Any:
    """Decode and check; Problem as in `StrictParser.parse_body`."""
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_refuse_constant)
    except Problem:
        raise
    except UnicodeDecodeError as error:
        raise Problem(400, "The body is not UTF-8.", kind="malformed") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Problem(400, f"The body is not JSON: {error.msg} ({where}).", kind="malformed") from error
    except RecursionError as error:
        raise Problem(400, "The body is nested too deeply.", kind="malformed") from error
    except ValueError as error:  # an integer of thousands of digits
        raise Problem(400, "The body holds a number that is too long.", kind="malformed") from error
    _check_values(value)
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object without repeated keys: choosing one of two values would be a guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        times = Counter(name for name, _ in pairs)
        double = json.dumps(next(name for name, _ in pairs if times[name] > 1)[:_SHOWN_MAX])
        raise Problem(400, f"The key {double} stands twice in one object.", kind="duplicate_key")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Problem(400, f"{name} is not a number of JSON.", kind="malformed")


# The place of a value: the place of its parent, and its key or index there. A path as text for each value would repeat
# all names above it, so one long name with many values could fill the memory.
@dataclass(frozen=True, slots=True)
class _Place:
    above: _Place | None
    step: str | int
    depth: int

    def __str__(self) -> str:
        steps: list[str] = []
        place: _Place | None = self
        while place is not None:
            steps.append(str(place.step))
            place = place.above
        return ".".join(reversed(steps))[:_SHOWN_MAX]


def _check_values(value: Any) -> None:
    """Walk the whole value without recursion, so that depth cannot exhaust the stack."""
    waiting: list[tuple[_Place | None, Any]] = [(None, value)]
    while waiting:
        place, item = waiting.pop()
        depth = 0 if place is None else place.depth
        if depth > _MOST_DEPTH:
            raise Problem(400, "The body is nested too deeply.", kind="malformed")
        if place is not None and place.above is None and place.step == "digest":
            continue  # only compared, never stored: whatever it contains, it is right or wrong
        if isinstance(item, dict):
            for key, inner in item.items():
                _check_text(place, key)
                waiting.append((_Place(place, key, depth + 1), inner))
        elif isinstance(item, list):
            waiting.extend((_Place(place, index, depth + 1), inner) for index, inner in enumerate(item))
        elif isinstance(item, str):
            _check_text(place, item)
        elif isinstance(item, float) and not math.isfinite(item):
            raise invalid(_shown(place), "This number is too large.")
        elif isinstance(item, int) and abs(item) > _LARGEST_INTEGER:
            raise invalid(_shown(place), f"Whole numbers go up to {_LARGEST_INTEGER}.")


def _shown(place: _Place | None) -> str:
    return "" if place is None else str(place)


def _check_text(place: _Place | None, text: str) -> None:
    if "\x00" in text:
        raise invalid(_shown(place), "This holds the character U+0000. Remove it.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise invalid("", "A string holds half of a surrogate pair, which is not Unicode text.") from error
