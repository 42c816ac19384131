"""References to earlier results: `{{intents.N.result.KEY}}` filling one whole parameter, nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_REFERENCE = re.compile(r"\{\{\s*intents\.([1-9][0-9]{0,3})\.result\.([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}")
_LOOKS_LIKE = re.compile(r"\{\{.*?\}\}", re.DOTALL)


class UnresolvedReference(LookupError):
    """The result that a reference names is not there; the message says which."""


@dataclass(frozen=True)
class Reference:
    """The result key of the intent at a position (from 1)."""

    position: int
    key: str

    def __str__(self) -> str:
        return f"{{{{intents.{self.position}.result.{self.key}}}}}"


def is_reference(value: object) -> bool:
    """Say whether a value is exactly one reference."""
    return parse_reference(value) is not None


def parse_reference(value: object) -> Reference | None:
    """Return the reference that the whole value is, or None."""
    found = _REFERENCE.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 200 else None
    return Reference(int(found[1]), found[2]) if found else None


def embedded(value: object) -> str | None:
    """Return a reference that stands inside a longer text, where it would not be filled; None when there is none."""
    if not isinstance(value, str) or is_reference(value) or "{{" not in value:
        return None
    found = _REFERENCE.search(value)
    return found.group() if found else None


def malformed(value: object) -> str | None:
    """Return a whole value that tries to be a reference but is none (`{{intents.x…}}`), or None."""
    if not isinstance(value, str) or is_reference(value):
        return None
    found = _LOOKS_LIKE.fullmatch(value.strip())
    return value.strip() if found and "intents" in value else None


def references(params: Mapping[str, Any]) -> Iterator[tuple[str, Reference]]:
    """Yield (parameter, reference) for every parameter that is a reference."""
    for name, value in params.items():
        reference = parse_reference(value)
        if reference is not None:
            yield name, reference


def resolve(params: Mapping[str, Any], results: Mapping[int, Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return the parameters with references replaced by results (position → result).

    The filled values are as untrusted as any output: validate them again. Raises UnresolvedReference.
    """
    return {name: _resolved(value, results) for name, value in params.items()}


def _resolved(value: Any, results: Mapping[int, Mapping[str, Any] | None]) -> Any:
    reference = parse_reference(value)
    if reference is None:
        return value
    result = results.get(reference.position)
    if result is None:
        raise UnresolvedReference(f"step {reference.position} has no result yet")
    if reference.key not in result:
        raise UnresolvedReference(f"the result of step {reference.position} has no “{reference.key}”")
    return result[reference.key]


def shifted(value: Any, offsets: Mapping[int, int]) -> Any:
    """Return a reference with its position looked up in `offsets`; KeyError when it names a position that has none."""
    reference = parse_reference(value)
    return value if reference is None else str(Reference(offsets[reference.position], reference.key))
