"""JSON and JSON Schema as tools use them: strict reading, checks at registration, problems in words.

Keywords of our own in a property's schema:
    x-kind "path" | "name"   the value names a file or folder in the workspace (name: without a slash)
    x-kind "hosts"           the value lists the hosts that the step may reach; the session's command never gets it
    x-kind "address"         the value is a web address, whose host the step may reach
    x-endings [".zip"]       the file's name ends like one of these, small and capital letters alike; "": with no ending
    x-ending true            the value is the ending of a file's name, with its dot or without
    x-column-of "path"       the value names a column of the table that this other parameter names
    x-reference true         the whole value may be a reference to an earlier result
    x-multiline true         forms show a text area
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from agents.toolkit.plainly import Plainly

MAX_JSON_CHARS = 4_000_000
PATH_KINDS = ("path", "name")
HOSTS_KIND = "hosts"
ADDRESS_KIND = "address"
_TYPE_OF_KIND = {"path": "string", "name": "string", HOSTS_KIND: "array", ADDRESS_KIND: "string"}
# Values that decide what runs and where are never taken from an earlier result (nor may a schema allow it).
NEVER_REFERENCED = frozenset({"tool", "command", "command_line", "code", "path", "host", "hosts", "url"})


class JsonError(ValueError):
    """The text is not JSON as mindX reads it; the message says what is wrong."""


class SchemaFault(ValueError):
    """A command's schema cannot be registered; the message says why."""


# The escape of U+0000: an even number of backslashes before it are escaped backslashes.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def loads_strict(text: str | bytes) -> Any:
    """Read JSON, refusing what ordinary readers let pass: duplicate keys, NaN and Infinity, lone surrogates, U+0000, no
    UTF-8.

    Raises JsonError. The text has at most MAX_JSON_CHARS characters.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise JsonError(f"the text is not UTF-8 (byte {error.start})") from error
    if len(decoded) > MAX_JSON_CHARS:
        raise JsonError(f"the text has more than {MAX_JSON_CHARS} characters")
    try:
        value = json.loads(decoded, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise JsonError(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise JsonError("the text is nested too deeply") from error
    except ValueError as error:
        raise error if isinstance(error, JsonError) else JsonError(str(error)) from error
    try:
        written = json.dumps(value, ensure_ascii=False)
        written.encode("utf-8")
    except (UnicodeEncodeError, RecursionError) as error:
        raise JsonError("the text holds half a character (a lone surrogate) or is nested too deeply") from error
    if _NUL.search(written):
        raise JsonError("the text holds U+0000, which no file name, argument or database can hold")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise JsonError(f"the key “{key}” stands twice in one object; keep one of them")
        result[key] = value
    return result


def _constant(name: str) -> Any:
    raise JsonError(f"{name} is not a JSON number")


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise SchemaFault unless the schema is one that a command may have."""
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        raise SchemaFault(f"not a JSON Schema 2020-12: {error.message}") from error
    if schema.get("type") != "object" or schema.get("additionalProperties") is not False:
        raise SchemaFault(
            "the schema needs type “object” and additionalProperties false, so that unknown fields are refused"
        )
    properties = schema.get("properties", {})
    unknown = set(schema.get("required", ())) - set(properties)
    if unknown:
        raise SchemaFault(f"required but not described: {', '.join(sorted(unknown))}")
    for name, described in properties.items():
        _check_property(name, described, schema)


def _check_property(name: str, described: Any, schema: Mapping[str, Any]) -> None:
    if name in ("tool", "command"):
        raise SchemaFault(f"a parameter may not be named “{name}”; that is the step's own field")
    if not isinstance(described, Mapping) or not isinstance(described.get("type"), str):
        raise SchemaFault(f"the parameter “{name}” needs one type")
    kind = described.get("x-kind")
    if kind is not None and described["type"] != _TYPE_OF_KIND.get(kind):
        raise SchemaFault(
            f"the parameter “{name}” has the unknown x-kind {kind!r}; use path, name or address on a string, "
            "hosts on an array"
        )
    endings = described.get("x-endings")
    if endings is not None and (kind not in PATH_KINDS or not _are_endings(endings)):
        raise SchemaFault(f"the endings of “{name}” are a list such as [“.zip”], on a path or a name")
    if described.get("x-ending") and (kind is not None or described["type"] != "string"):
        raise SchemaFault(f"“{name}” can only be an ending as a string that names no file")
    if (table := described.get("x-column-of")) is not None and table not in schema.get("properties", {}):
        raise SchemaFault(f"“{name}” is to name a column of “{table}”, which the schema does not have")
    if described.get("x-reference") and (kind is not None or name in NEVER_REFERENCED):
        raise SchemaFault(f"the parameter “{name}” decides what runs or where; it may not take a reference")
    if "default" in described and problems(schema, {name: described["default"]}, partial=True):
        raise SchemaFault(f"the default of “{name}” does not fit its own schema")


def _are_endings(endings: Any) -> bool:
    return isinstance(endings, list) and all(isinstance(one, str) and one[:1] in ("", ".") for one in endings)


def problems(schema: Mapping[str, Any], values: Mapping[str, Any], *, partial: bool = False) -> list[tuple[str, str]]:
    """Return (field, message) for everything in `values` that does not fit; `partial`: required ones may be missing."""
    plainly, validator = _checks_of(schema)
    if plainly.fits(values):
        return []
    found = []
    for error in validator.iter_errors(dict(values)):
        if not (partial and error.validator == "required"):
            found.extend(_in_words(error))
    return sorted(set(found))


_Checks = tuple[Plainly, Draft202012Validator]
# By the object's id, which is its own as long as it is held here.
_held: dict[int, tuple[Mapping[str, Any], _Checks]] = {}
_MOST_HELD = 512


def _checks_of(schema: Mapping[str, Any]) -> _Checks:
    """A command's schema stays one object as long as the command is there, and every step is checked against one."""
    held = _held.get(id(schema))
    if held is None or held[0] is not schema:
        if len(_held) >= _MOST_HELD:
            _held.clear()
        held = _held[id(schema)] = (schema, _checks(json.dumps(schema)))
    return held[1]


@lru_cache(maxsize=_MOST_HELD)
def _checks(schema: str) -> _Checks:
    read = json.loads(schema)
    return Plainly(read), Draft202012Validator(read)


def _in_words(error: ValidationError) -> list[tuple[str, str]]:
    field = ".".join(str(part) for part in error.absolute_path)
    bound: Any = error.validator_value
    given: Any = error.instance
    if error.validator == "required":
        return [(name, "is missing; fill it in") for name in bound if name not in given]
    if error.validator == "additionalProperties":
        described: Any = error.schema
        known = described.get("properties", {})
        allowed = ", ".join(known) or "no field at all"
        return [
            (name, f"is not a field of this command; it takes {allowed}") for name in sorted(set(given) - set(known))
        ]
    words = {
        "type": f"must be of type {bound}",
        "minLength": "must not be empty" if bound == 1 else f"needs at least {bound} characters",
        "maxLength": f"has more than {bound} characters; shorten it",
        "minimum": f"must be at least {bound}",
        "maximum": f"must be at most {bound}",
        "maxItems": f"has more than {bound} entries; leave some out",
        "enum": f"must be one of {', '.join(map(str, bound)) if isinstance(bound, list) else bound}",
    }
    return [(field, words.get(str(error.validator), error.message[:200]))]
