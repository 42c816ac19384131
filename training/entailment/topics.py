"""What can be said of a thing, in several wordings, and which of it follows from or excludes the other.

A topic is a small theory: its claims, what each of them implies and what it excludes. Whether one claim follows from
another is computed from these, never written down for a pair of sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("topics.toml")
# Every fourth wording is held out: of these every other one for choosing thresholds, the others for measuring only.
HELD_OUT = 4
TRAINED, CHECKED, MEASURED = "trained", "checked", "measured"


@dataclass(frozen=True)
class Claim:
    """`says` are its wordings with slots; `implies` and `excludes` name other claims of the topic. `apart`: each of its
    wordings says something else, which is only near the topic.
    """

    says: Sequence[str]
    implies: Sequence[str] = ()
    excludes: Sequence[str] = ()
    apart: bool = False

    def wordings(self, part: str) -> list[str]:
        """The wordings of TRAINED, CHECKED or MEASURED; where there is none, all that are held out, else all."""
        parts = [part_of(number) for number in range(len(self.says))]
        held_out = [said for said, own in zip(self.says, parts, strict=True) if own != TRAINED]
        return [said for said, own in zip(self.says, parts, strict=True) if own == part] or held_out or list(self.says)


@dataclass(frozen=True)
class Topic:
    """`slots` are the kinds of values that its wordings name, by slot."""

    name: str
    group: str
    slots: Mapping[str, str]
    claims: Mapping[str, Claim]
    _implied: dict[str, frozenset[str]] = field(default_factory=dict, compare=False)

    def implied(self, claim: str) -> frozenset[str]:
        """What is true when the claim is true, itself included."""
        if claim not in self._implied:
            found, open_ends = {claim}, [claim]
            while open_ends:
                new = set(self.claims[open_ends.pop()].implies) - found
                found |= new
                open_ends.extend(new)
            self._implied[claim] = frozenset(found)
        return self._implied[claim]

    def follows(self, premise: str, hypothesis: str) -> bool:
        return hypothesis in self.implied(premise)

    def excluded(self, premise: str, hypothesis: str) -> bool:
        """Whether both cannot be true: something that one implies excludes something that the other implies."""
        one, other = self.implied(premise), self.implied(hypothesis)
        return any(set(self.claims[a].excludes) & other for a in one) or any(
            set(self.claims[b].excludes) & one for b in other
        )


def part_of(number: int) -> str:
    """The part that the wording of this number belongs to."""
    if number % HELD_OUT != HELD_OUT - 1:
        return TRAINED
    return CHECKED if number % (2 * HELD_OUT) == HELD_OUT - 1 else MEASURED


def read(path: Path = FILE) -> list[Topic]:
    """The topics of a TOML file."""
    return [_topic(row) for row in tomllib.loads(path.read_text("utf-8"))["topic"]]


def _topic(row: dict[str, Any]) -> Topic:
    claims = {
        name: Claim(
            tuple(said["says"]),
            tuple(said.get("implies", ())),
            tuple(said.get("excludes", ())),
            said.get("apart", False),
        )
        for name, said in row["claims"].items()
    }
    return Topic(row["name"], row["group"], row["slots"], claims)
