"""YAML as people write it by hand, read strictly: plain data only, and the line of everything for messages. Pure.

No tags and no aliases (a few lines with aliases grow without end), no key twice in one mapping, no dates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from agents.toolkit.yaml_nodes import YamlFault, compose

MAX_CHARS = 100_000
MAX_DEPTH = 20
# Reading happens in web requests: so many take PyYAML a third of a second.
MAX_VALUES = 10_000
_BOOLEANS = {"true": True, "false": False}
_INTEGER, _FLOAT, _NULL, _BOOLEAN = (f"tag:yaml.org,2002:{name}" for name in ("int", "float", "null", "bool"))


@dataclass(frozen=True)
class Loaded:
    """The data of a text, and the line on which each of its parts begins, by the path that leads to it."""

    data: Any
    lines: Mapping[tuple[str | int, ...], int] = field(repr=False)

    def line_of(self, path: Sequence[str | int]) -> int:
        """The line of a part, or of the nearest part around it that is there; from 1."""
        at = tuple(path)
        while at not in self.lines and at:
            at = at[:-1]
        return self.lines.get(at, 1)


def load(text: str) -> Loaded:
    """Read one document. Raises YamlFault."""
    if len(text) > MAX_CHARS:
        raise YamlFault(1, f"the text has more than {MAX_CHARS:,} characters")
    node = compose(text, most_depth=MAX_DEPTH, most_values=MAX_VALUES)
    lines: dict[tuple[str | int, ...], int] = {}
    return Loaded(None if node is None else _value(node, (), lines), lines)


def _value(node: Node, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> Any:
    line = node.start_mark.line + 1
    lines[path] = line
    if isinstance(node, MappingNode):
        return _mapping(node, path, lines)
    if isinstance(node, SequenceNode):
        _check_tag(node, "seq", line)
        return [_value(one, (*path, at), lines) for at, one in enumerate(node.value)]
    return _scalar(node, line)


def _mapping(node: MappingNode, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> dict[str, Any]:
    _check_tag(node, "map", node.start_mark.line + 1)
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, ScalarNode):
            raise YamlFault(line, "a key is one word or a text")
        if key.value in found:
            raise YamlFault(line, f"“{key.value[:60]}” is here twice; keep one of them")
        found[key.value] = _value(value, (*path, key.value), lines)
        lines[*path, key.value] = line
    return found


def _scalar(node: Node, line: int) -> Any:
    """Text, a number, true or false, or nothing. What else a plain word may mean in YAML stays the word it is."""
    word = str(node.value)
    if node.tag == _NULL:
        return None
    if node.tag == _BOOLEAN:
        return _BOOLEANS.get(word.casefold(), word)
    if node.tag in (_INTEGER, _FLOAT):
        try:
            number = int(word) if node.tag == _INTEGER else float(word)
        except ValueError:
            return word
        # What is too large for a number of JSON stays the word that it is.
        return word if isinstance(number, float) and not math.isfinite(number) else number
    if node.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:merge"):
        raise YamlFault(line, f"the tag {node.tag[:60]} is not read")
    return word


def _check_tag(node: Node, kind: str, line: int) -> None:
    if node.tag != f"tag:yaml.org,2002:{kind}":
        raise YamlFault(line, f"the tag {node.tag[:60]} is not read")
