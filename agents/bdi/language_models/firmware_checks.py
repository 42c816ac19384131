"""The checks that firmware carries beside its text: read from its lines, and looked for in steps. Pure.

Behind a line `CHECKS:` each line is one check, `NAME: forbid KIND VALUE, VALUE, …`. Values of hosts and paths may hold
`*` for any characters. There are no regular expressions: whoever writes one could stop every planning with it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.plans.parameters import texts_in
from agents.toolkit.effects import EFFECTS
from agents.toolkit.registry import Registry, UnknownTool

HEAD = "CHECKS:"
KINDS = ("tool", "command", "host", "path", "words", "effect")
MOST_CHECKS, MOST_VALUES = 50, 50
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[\s\"'=;|&<>()]+")
_LINE = re.compile(r"(?P<name>[a-z][a-z0-9-]{0,39}): forbid (?P<kind>[a-z]{1,10}) (?P<values>\S.*)")


@dataclass(frozen=True)
class Check:
    """One check: its name for people, what kind of thing it forbids, and which ones."""

    name: str
    kind: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Looked:
    """A step as the checks see it: what it calls, the hosts it may reach, its effect and its values."""

    position: int
    tool: str
    command: str
    effect: str
    hosts: tuple[str, ...]
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Violation:
    """A step that a check forbids. `value` is the forbidden thing as the firmware names it."""

    position: int
    check: Check
    value: str

    @property
    def says(self) -> str:
        """As a sentence that names the check."""
        return f"The firmware's check “{self.check.name}” forbids the {self.check.kind} “{self.value}”."


def read(body: str) -> tuple[tuple[Check, ...], tuple[str, ...]]:
    """The checks of a text, and what is wrong with its lines, as sentences that name the line."""
    checks: list[Check] = []
    problems: list[str] = []
    for number, line in _lines(body):
        found = _LINE.fullmatch(line)
        if found is None or found["kind"] not in KINDS:
            problems.append(f"Line {number} is no check. Write: name: forbid {'|'.join(KINDS)} value, value.")
            continue
        values = tuple(filter(None, (one.strip() for one in found["values"].split(","))))
        check = Check(found["name"], found["kind"], values)
        if any(check.name == other.name for other in checks):
            problems.append(f"Line {number}: there is a check “{check.name}” already.")
        problems += [f"Line {number}: {problem}" for problem in _wrong(check)]
        checks.append(check)
    if len(checks) > MOST_CHECKS:
        problems.append(f"There are {len(checks)} checks; at most {MOST_CHECKS} are possible.")
    return tuple(checks), tuple(problems)


def unknown(checks: Iterable[Check], registry: Registry) -> list[str]:
    """The tools and commands that no check can ever find, as sentences: most likely they are misspelt."""
    said = []
    for check in checks:
        for value in check.values if check.kind in ("tool", "command") else ():
            tool, _, command = value.partition(".")
            try:
                registry.tool(tool) if check.kind == "tool" else registry.command(tool, command)
            except UnknownTool:
                said.append(f"The check “{check.name}” forbids “{value}”, and there is no such {check.kind}.")
    return said


def dropped(before: Iterable[Check], after: Sequence[Check]) -> list[str]:
    """The names of checks that forbid something which `after` lets through. A check may be renamed or split."""
    now = {(check.kind, _folded(value)) for check in after for value in check.values}
    return [check.name for check in before if any((check.kind, _folded(value)) not in now for value in check.values)]


def violations(checks: Iterable[Check], steps: Iterable[Looked]) -> list[Violation]:
    """Every step that a check forbids, once for each check, with the first of its values that was found."""
    seen = list(steps)
    found = []
    for check in checks:
        for step in seen:
            value = next((value for value in check.values if _FORBIDS[check.kind](value, step)), None)
            if value is not None:
                found.append(Violation(step.position, check, value))
    return sorted(found, key=lambda one: one.position)


def in_text(checks: Iterable[Check], text: str) -> list[Violation]:
    """The checks of words that a text violates, such as the code of a tool; positions are 0."""
    words = [check for check in checks if check.kind == "words"]
    return violations(words, [Looked(0, "", "", "", (), {"text": text})])


def _lines(body: str) -> Iterator[tuple[int, str]]:
    """The lines behind the head, numbered from 1 through the whole text, without empty ones."""
    is_behind = False
    for number, line in enumerate(body.splitlines(), start=1):
        if is_behind and line.strip():
            yield number, line.strip()
        is_behind = is_behind or line.strip() == HEAD


def _wrong(check: Check) -> Iterator[str]:
    if not check.values or len(check.values) > MOST_VALUES:
        yield f"a check names 1 to {MOST_VALUES} values."
    if any(not value.strip("*/. ") for value in check.values):
        yield "a value of nothing but * would forbid everything."
    if check.kind == "effect" and (wrong := [value for value in check.values if value not in EFFECTS]):
        yield f"“{wrong[0]}” is no effect; there are {', '.join(EFFECTS)}."
    if check.kind == "command" and (wrong := [value for value in check.values if value.count(".") != 1]):
        yield f"“{wrong[0]}” is no command; write tool.command."


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_like(pattern: str, text: str) -> bool:
    """Whether a text fits a pattern in which * stands for any characters. Linear in both: no backtracking."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    if not text.startswith(first):
        return False
    *middle, last = rest
    at = len(first)
    for piece in middle:
        if (at := text.find(piece, at)) < 0:
            return False
        at += len(piece)
    return len(text) - at >= len(last) and text.endswith(last)


def _path(value: str, step: Looked) -> bool:
    """Whether a value or a word of one is such a path, or lies below it. A command line names paths as words."""
    wanted = posixpath.normpath(value.casefold())
    return any(
        _is_like(wanted, path) or _is_like(f"{wanted}/*", path)
        for text in texts_in(step.params)
        for word in (text, *_BETWEEN.split(text))
        if word and (path := posixpath.normpath(word.casefold()))
    )


def _as_words(text: str) -> str:
    """Its words in small letters, with one space around each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _words(value: str, step: Looked) -> bool:
    """Whether the words stand somewhere as whole words, in any case and with any signs between them."""
    wanted = _as_words(value)
    return bool(wanted.strip()) and any(wanted in _as_words(text) for text in texts_in(step.params))


_FORBIDS: Mapping[str, Callable[[str, Looked], bool]] = {
    "tool": lambda value, step: value == step.tool,
    "command": lambda value, step: value == f"{step.tool}.{step.command}",
    "host": lambda value, step: any(_is_like(value.casefold(), host.casefold()) for host in step.hosts),
    "path": _path,
    "words": _words,
    "effect": lambda value, step: value == step.effect,
}
