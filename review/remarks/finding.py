"""Objections to a plan from its bytes alone: missing checks, and differences from the goal. Pure.

Risks come from the same assessment as for policies, so that people never see two different ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agents.bdi.outcome.outcome import CheckKind
from agents.bdi.plans.document import Document, IntentSpec

RISK, CHECK, DIFFERENCE, VALUE = "risk", "check", "difference", "value"
MOST = 20
_SURE = 0.8
# A file or a quoted text: if a goal names it, its plan should, too.
_NAMED = re.compile(r"“([^”]{1,120})”|\"([^\"]{1,120})\"|(?<![\w/.-])([\w./-]*\w\.[A-Za-z]\w{0,5})(?![\w/-])")
_TAKES_AWAY = re.compile(r"^(?:rm|rmdir|delete|remove|clean|reset|drop)", re.IGNORECASE)
_SAYS_AWAY = re.compile(
    r"\b(?:delet|remov|clear|clean|drop|eras|empt|purg|discard|reset|undo|revert|get rid|throw|tidy)", re.IGNORECASE
)


@dataclass(frozen=True)
class Remark:
    """One remark. `position` 0: it is about the whole plan."""

    kind: str
    position: int
    text: str

    def __str__(self) -> str:
        return f"Step {self.position}: {self.text}" if self.position else self.text


def of_document(document: Document) -> list[Remark]:
    """The remarks from the plan itself, differences from the goal first."""
    return [*_differences(document), *_checks(document), *_values(document)]


def _differences(document: Document) -> Iterator[Remark]:
    said = "\n".join(_said_by(spec) for spec in document.intents)
    named = dict.fromkeys(next(filter(None, groups)) for groups in _NAMED.findall(document.goal_text))
    for name in named:
        if name.casefold() not in said.casefold():
            yield Remark(DIFFERENCE, 0, f"The goal names “{name}”, and no step does.")
    for spec in document.intents:
        for host in spec.hosts:
            if host.removeprefix("*.").casefold() not in document.goal_text.casefold():
                yield Remark(DIFFERENCE, spec.position, f"It may reach {host}, which the goal does not name.")
        if _TAKES_AWAY.match(_verb(spec)) and not _SAYS_AWAY.search(document.goal_text):
            yield Remark(DIFFERENCE, spec.position, f"It removes something ({_verb(spec)}), which nobody asked for.")


def _checks(document: Document) -> Iterator[Remark]:
    known = [check for check in document.checks if check.kind is not CheckKind.UNKNOWN]
    if not known:
        yield Remark(CHECK, 0, "Nothing is checked after it ran, so nobody will know whether it worked.")
        return
    for check in document.checks:
        if check.kind is CheckKind.UNKNOWN:
            for position in check.steps:
                yield Remark(CHECK, position, "Nothing says what it should achieve, so that is not checked.")


def _values(document: Document) -> Iterator[Remark]:
    for spec in document.intents:
        for parameter in spec.parameters:
            if parameter.confidence < _SURE:
                sure = f"{parameter.confidence:.0%}"
                yield Remark(
                    VALUE, spec.position, f"{parameter.name} is {sure} sure: {parameter.note or 'it was guessed'}."
                )


def _said_by(spec: IntentSpec) -> str:
    return f"{spec.sentence} {' '.join(map(str, spec.params.values()))}"


def _verb(spec: IntentSpec) -> str:
    """The command, or the program that a command line begins with."""
    line = spec.params.get("command_line")
    return line.split()[0] if isinstance(line, str) and line.split() else spec.command
