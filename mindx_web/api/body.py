"""Reading JSON strictly: what two readers could understand differently is refused before anybody acts on it."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from mindx_web.api.problems import Problem, invalid

# Beyond this the numbers of JSON are not the same in every language (RFC 8785, RFC 7493).
_LARGEST_INTEGER = 2**53 - 1


class StrictParser(Parser):
    """UTF-8, no key twice, no NaN, nothing that Postgres or the canonical form could not hold."""

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
    """An object in which no key stands twice: which of the two counts would be a guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise Problem(400, f"The key {json.dumps(double)} stands twice in one object.", kind="duplicate_key")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise Problem(400, f"{name} is not a number of JSON.", kind="malformed")


def _check_values(value: Any) -> None:
    """Walk the whole value without recursion, so that depth cannot exhaust the stack."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        path, item = waiting.pop()
        if path == "digest":  # compared and never stored: whatever it holds, it is the right one or a wrong one
            continue
        if isinstance(item, dict):
            for key, inner in item.items():
                _check_text(path, key)
                waiting.append((f"{path}.{key}" if path else key, inner))
        elif isinstance(item, list):
            waiting.extend((f"{path}.{index}" if path else str(index), inner) for index, inner in enumerate(item))
        elif isinstance(item, str):
            _check_text(path, item)
        elif isinstance(item, float) and not math.isfinite(item):
            raise invalid(path, "This number is too large.")
        elif isinstance(item, int) and abs(item) > _LARGEST_INTEGER:
            raise invalid(path, f"Whole numbers go up to {_LARGEST_INTEGER}.")


def _check_text(path: str, text: str) -> None:
    if "\x00" in text:
        raise invalid(path, "This holds the character U+0000. Remove it.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise invalid("", "A string holds half of a surrogate pair, which is not Unicode text.") from error
