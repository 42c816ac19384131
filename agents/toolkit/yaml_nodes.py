"""YAML read into nodes or events within bounds that hold while it is read. Lives in the jail too.

PyYAML looks through every open bracket at every token, and composes by recursion: 250,000 open brackets keep even the
reader that is written in C for minutes. So depth and values are counted at the events, which come one by one, and
reading ends there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

# Any node of PyYAML; the module is found when it runs.
Node = Any


class YamlFault(ValueError):
    """The text is not YAML as mindX reads it; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line, self.message = line, message


def compose(text: str, *, most_depth: int, most_values: int | None = None) -> Node | None:
    """The nodes of the one document, None for an empty text.

    Raises YamlFault, also for aliases: a few lines with them grow without end.
    """
    yaml = reader()
    found = events(text, most_depth=most_depth, most_values=most_values)
    next(found)  # the stream begins
    if isinstance(next(found), yaml.StreamEndEvent):
        return None
    node = _Composer(yaml, found).node(next(found))
    next(found)  # the document ends
    after = next(found)
    if not isinstance(after, yaml.StreamEndEvent):
        raise YamlFault(_line(after), "but found another document")
    return node


def events(text: str | bytes, *, most_depth: int, most_values: int | None = None, in_c: bool = False) -> Iterator[Any]:
    """The events of all documents. Raises YamlFault where lists and mappings lie deeper in each other, and where there
    are more values (keys count, too).

    `in_c`: by libyaml, twenty times as fast, which takes `{a:}` for a fault.
    """
    yaml = reader()
    depth = values = 0
    try:
        for event in yaml.parse(
            text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader) if in_c else yaml.SafeLoader
        ):
            values += isinstance(event, yaml.NodeEvent)
            if most_values is not None and values > most_values:
                raise YamlFault(_line(event), f"it has more than {most_values:,} values")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > most_depth:
                    raise YamlFault(_line(event), "it is nested too deeply")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlFault(mark.line + 1 if mark else 1, error.problem or "it cannot be read") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise YamlFault(1, f"it holds what no text has: {error}"[:200]) from error


class _Composer:
    def __init__(self, yaml: ModuleType, found: Iterator[Any]) -> None:
        self._yaml, self._events, self._resolver = yaml, found, yaml.resolver.Resolver()

    def node(self, event: Any) -> Node:
        yaml = self._yaml
        if isinstance(event, yaml.AliasEvent):
            raise YamlFault(_line(event), "aliases (*name) are not read; write it out")
        if isinstance(event, yaml.ScalarEvent):
            tag = self._tag(event, yaml.ScalarNode, event.value)
            return yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark, style=event.style)
        if isinstance(event, yaml.SequenceStartEvent):
            return yaml.SequenceNode(self._tag(event, yaml.SequenceNode, None), [*self._inner()], event.start_mark)
        inner = [*self._inner()]
        pairs = list(zip(inner[::2], inner[1::2], strict=True))
        return yaml.MappingNode(self._tag(event, yaml.MappingNode, None), pairs, event.start_mark)

    def _inner(self) -> Iterator[Node]:
        while not isinstance(event := next(self._events), self._yaml.CollectionEndEvent):
            yield self.node(event)

    def _tag(self, event: Any, kind: Any, value: str | None) -> str:
        is_said = event.tag is not None and event.tag != "!"
        return str(event.tag if is_said else self._resolver.resolve(kind, value, event.implicit))


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def reader() -> ModuleType:
    """PyYAML itself."""
    place = os.environ.get("MINDX_KIT", "")
    if place and place not in sys.path:
        sys.path.insert(0, place)
    import yaml  # in the jail it lies in the kit, and files of other kinds do not need it

    return yaml
