"""How people say a command in passing: verbs, nouns and the little words that stand before its values.

Phrases (agents.toolkit.phrases) are exact and compile rules; these declarations are for commands as they come, in any
order and form. Notation of `sense`:

    verbs   "delete, remove, get rid of, throw … away"        … stands for what may come between
    slots   "*path"                       the object: it stands without a little word
            "to > to, into, as"           a value behind one of these
            "name~word > named"           ~ says what a value looks like where its kind does not: word, text
            "most < commits"              a number before one of these: "five commits"
    about   "file folder"                 nouns that belong to it
    never   "commit branch"               words that say another command is meant: where one is said, it is asked
    same    {"to_line": "from_line"}      a parameter that takes the value of another: "line 42"
    flags   {"ignoring case": ("ignore_case", True)}

Everywhere `a|b` stands for either word and `[a]` for one that may be missing: "with|using [the] ca [file]".
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any


@dataclass(frozen=True)
class Slot:
    """Where a parameter's value stands in a sentence."""

    parameter: str
    is_object: bool = False
    cues: tuple[tuple[str, ...], ...] = ()
    behind: tuple[str, ...] = ()
    shape: str = ""


@dataclass(frozen=True)
class Sense:
    """One way in which a command is meant. `key`: one of these nouns must be said.
    `wants`: one of these parameters must be said. `line`: what runs, of a value.
    `never`: with one of these words, which another command is about, it is doubtful.
    `same`: parameters that take the value of another one.

    `fixed` are values that this way of saying it means.
    """

    verbs: tuple[tuple[str, ...], ...]
    slots: tuple[Slot, ...]
    about: frozenset[str] = frozenset()
    key: frozenset[str] = frozenset()
    wants: tuple[str, ...] = ()
    flags: Mapping[tuple[str, ...], tuple[str, Any]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    line: str = ""
    never: frozenset[str] = frozenset()
    same: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> frozenset[str]:
        """The words that it is said by: verbs, those that must be said, and what stands before and behind values."""
        found = {word for verb in self.verbs for word in verb} | {word for flag in self.flags for word in flag}
        for slot in self.slots:
            found |= {word for cue in slot.cues for word in cue} | set(slot.behind)
        return frozenset(found) | self.key


@dataclass(frozen=True)
class Place:
    """What a parameter is about that names something: `wanted` file, folder, note or any (it is there) or new (it need
    not be).

    `makes` what is there afterwards, `goes` whether it is gone then, `enters` whether the session goes there. `into`: a
    folder that is there takes what is put, under its own name. `code`: a component of the code may be named instead.
    `careful`: a plain word that only resembles a name is asked about; a note that is there is rather added to. `at`:
    the path of what is named otherwise, “notes/{}.md”.
    """

    wanted: str = "any"
    makes: str = ""
    goes: bool = False
    enters: bool = False
    into: bool = False
    code: bool = False
    careful: bool = False
    at: str = "{}"


@dataclass(frozen=True)
class Said:
    """How one command is said: its senses, what its paths are about, its parameters’ other names, what “it” is then."""

    senses: tuple[Sense, ...] = ()
    places: Mapping[str, Place] = field(default_factory=dict)
    also: Mapping[str, str] = field(default_factory=dict)
    # What a later “it” means where that is no file: "branch {name}".
    it: str = ""
    # The command that does the same by a path, with what its parameters are then: ("simple_coder.read", {"path": …}).
    done_by: tuple[str, Mapping[str, str]] | None = None
    # What a choice says that it does, where its phrase does not say it plainly: the values that must be so, and a
    # sentence with the others. The first that fits is taken.
    told: tuple[tuple[Mapping[str, Any], str], ...] = ()


def sense(
    verbs: str,
    *slots: str,
    about: str = "",
    key: str = "",
    wants: str = "",
    flags: Mapping[str, tuple[str, Any]] | None = None,
    line: str = "",
    never: str = "",
    same: Mapping[str, str] | None = None,
    **fixed: Any,
) -> Sense:
    """Read the notation of the module's docstring."""
    return Sense(
        tuple(said for one in _parts(verbs) for said in _spelt_out(one)),
        tuple(_slot(one) for one in slots),
        frozenset(about.split()) | frozenset(key.split()),
        frozenset(key.split()),
        tuple(wants.split()),
        {said: value for many, value in (flags or {}).items() for said in _spelt_out(many)},
        fixed,
        line,
        frozenset(never.split()),
        same or {},
    )


def _parts(text: str) -> Sequence[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


_CHOICE = frozenset("[]|")


def _spelt_out(text: str) -> list[tuple[str, ...]]:
    """Every row of words that a notation with `a|b` and `[a]` stands for."""
    if _CHOICE.isdisjoint(text):
        return [_row(text)]  # nearly all of the thousands that every process reads when it begins
    ways = [
        [*one.strip("[]").split("|"), *([""] if one.startswith("[") else [])] if one not in ("[", "]", "|") else [one]
        for one in text.split()
    ]
    return list(dict.fromkeys(_row(" ".join(way)) for way in itertools.product(*ways)))


@cache
def _row(text: str) -> tuple[str, ...]:
    """The words of a text. Most commands declare the same ones, which are kept once."""
    return tuple(map(sys.intern, text.split()))


def _slot(text: str) -> Slot:
    head, _, behind = text.partition("<")
    head, _, cues = head.partition(">")
    name, _, shape = head.strip().partition("~")
    is_object = name.startswith("*")
    return Slot(
        name.lstrip("*").strip(),
        is_object,
        tuple(said for cue in _parts(cues) for said in _spelt_out(cue)),
        tuple(" ".join(said) for one in _parts(behind) for said in _spelt_out(one)),
        shape.strip(),
    )
