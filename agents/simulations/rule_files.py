"""The plan rules that are shipped with worlds, a folder for each, and a part of them drawn for a run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.rules.grammar import Rule, parse

FOLDER = Path(__file__).parent / "rules"


@dataclass(frozen=True)
class RuleFile:
    """Rules as text, under the name of their file or of where they are from."""

    name: str
    text: str


def shipped(world: str) -> tuple[RuleFile, ...]:
    """The rule files of a world that is part of mindX, by name."""
    return tuple(RuleFile(file.stem, file.read_text()) for file in sorted((FOLDER / world).glob("*.plan")))


def rules_of(files: Sequence[RuleFile]) -> tuple[Rule, ...]:
    """All rules of the files. Raises RuleSyntaxError for the first fault."""
    return tuple(rule for file in files for rule in parse(file.text))


def digest_of(files: Sequence[RuleFile]) -> str:
    """Twelve hexadecimal digits that change with any text."""
    return hashlib.sha256("\0".join(file.text for file in files).encode()).hexdigest()[:12]


def part_of(rules: Sequence[Rule], share: int) -> tuple[Rule, ...]:
    """So many percent of the rules, by the digest of their names: the same ones each time, and a smaller part lies in
    every larger one.
    """
    drawn = sorted(rules, key=lambda rule: hashlib.sha256(rule.name.encode()).digest())
    taken = {rule.name for rule in drawn[: round(len(drawn) * share / 100)]}
    return tuple(rule for rule in rules if rule.name in taken)
