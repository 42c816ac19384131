"""What a sentence says, as a value that can be compared: the shapes behind beliefs and contexts.

Paths are relative to the root of the workspace, "" is the root itself. Every fact can say itself as a sentence again.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace

from agents.toolkit.wording.words import quote

# A folder that is not written as plainly as it could be.
_UNTIDY = re.compile(r"\.|//|/\Z")
STATES = frozenset({"folder", "file", "absent"})


@dataclass(frozen=True)
class Thing:
    """A file or folder is there, or is not. `kind` is folder, file or entry (either)."""

    kind: str
    path: str
    exists: bool

    def sentence(self) -> str:
        kind = "file or folder" if self.kind == "entry" else self.kind
        return f"There is {'a' if self.exists else 'no'} {kind} named {quote(self.path)}."

    @property
    def states(self) -> frozenset[str]:
        """The states of the path that agree with this fact."""
        there = frozenset({"folder", "file"}) if self.kind == "entry" else frozenset({self.kind})
        return there if self.exists else STATES - there


@dataclass(frozen=True)
class Listing:
    """All files, folders or entries directly in a folder; with `more` > 0 only some of them."""

    kind: str
    folder: str
    names: tuple[str, ...]
    more: int = 0

    @property
    def complete(self) -> bool:
        return self.more == 0

    def sentence(self) -> str:
        if not self.names and self.complete and self.kind == "entry":
            where = place(self.folder)
            return f"{where[0].upper()}{where[1:]} is empty."
        kinds = {"entry": "files and folders", "folder": "folders", "file": "files"}[self.kind]
        if not self.names and self.complete:
            return f"There are no {kinds} in {place(self.folder)}."
        names = ", ".join(quote(name) for name in self.names)
        return f"The {kinds} in {place(self.folder)} are: {names}{f' and {self.more} more' if self.more else ''}."


@dataclass(frozen=True)
class Inventory:
    """All installed programs, or all tools."""

    kind: str
    names: tuple[str, ...]

    def sentence(self) -> str:
        label = "installed programs" if self.kind == "program" else "tools"
        if not self.names:
            return f"There are no {label}."
        return f"The {label} are: {', '.join(quote(name) for name in self.names)}."


@dataclass(frozen=True)
class Installed:
    """A program (with a version, when known) or a tool can be used; in a folder: in its virtual environment.

    `kind` is program or tool, or "" where the sentence does not say which: then it may be something else altogether.
    """

    kind: str
    name: str
    present: bool
    folder: str | None = None
    version: tuple[int, ...] = ()

    def sentence(self) -> str:
        where = "" if self.folder is None else f" in {place(self.folder)}"
        version = " " + ".".join(map(str, self.version)) if self.version else ""
        if self.kind != "program":
            what = "The tool " if self.kind else ""
            return f"{what}{quote(self.name)} is {'' if self.present else 'not '}available{where}."
        return f"{quote(self.name)}{version} is {'' if self.present else 'not '}installed{where}."


@dataclass(frozen=True)
class Venv:
    """A folder holds a virtual environment (of this name, when given), or does not."""

    folder: str
    name: str | None
    present: bool

    def sentence(self) -> str:
        named = f" named {quote(self.name)}" if self.name is not None else ""
        subject = "The workspace" if not self.folder else f"The folder {quote(self.folder)}"
        return f"{subject} has {'a' if self.present else 'no'} virtual environment{named}."


@dataclass(frozen=True)
class Place:
    """Someone or something is in a place; a folder when `is_folder`.

    `is_named`: the words are the whole name of a place, so that another name is another place.
    """

    who: str
    preposition: str
    where: str
    positive: bool
    is_folder: bool = False
    is_named: bool = False

    def sentence(self) -> str:
        where = place(self.where) if self.is_folder else f"the {self.where}"
        verb = "are" if self.who == "you" else "is"
        who = "You" if self.who == "you" else f"The {self.who}"
        return f"{who} {verb} {'' if self.positive else 'not '}{self.preposition} {where}."


@dataclass(frozen=True)
class Quality:
    """A thing is, or is not, so: the cupboard is open, autonomous mode is off.

    `definite`: it is said of one thing that is known. “A door is not open” is read as “no door is open”.
    """

    subject: str
    value: str
    positive: bool
    definite: bool = True

    def sentence(self) -> str:
        article = "The" if self.definite else "A"
        return f"{article} {self.subject} is {'' if self.positive else 'not '}{self.value}."


@dataclass(frozen=True)
class Owning:
    """Someone, or a folder, has something or has it not. For a folder the owner is its path."""

    owner: str
    thing: str
    positive: bool
    is_folder: bool = False

    def sentence(self) -> str:
        owner = place(self.owner) if self.is_folder else self.owner
        verb = "have" if self.owner in ("you", "i", "they", "we") and not self.is_folder else "has"
        said = f"{owner} {verb} {'' if self.positive else 'no '}{self.thing}."
        return said[0].upper() + said[1:]


@dataclass(frozen=True)
class Measure:
    """A number lies between two bounds (None: open). Versions are tuples; counts and measures have one part.

    `folder` is set when things of a folder are counted, whose path is then part of what is measured.
    """

    subject: str
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None
    low_open: bool = False
    high_open: bool = False
    folder: str | None = None
    said: str = ""

    def sentence(self) -> str:
        return self.said

    def denied(self) -> Measure | None:
        """What is so when this is not: “not below 50” is “at least 50”. None where that lies not between two bounds."""
        if (self.low is None) == (self.high is None):
            return None
        return replace(self, low=self.high, high=self.low, low_open=not self.high_open, high_open=not self.low_open)


@dataclass(frozen=True)
class Sight:
    """Something is here, or is not: in or on a holder where one is named. `seen`: it is said to be seen."""

    what: str
    preposition: str
    holder: str
    positive: bool
    seen: bool

    def sentence(self) -> str:
        where = f" {self.preposition} the {self.holder}" if self.holder else ""
        said = "You see" if self.seen else "There is"
        return f"{said} {'' if self.positive else 'no '}{self.what}{where}{'' if self.seen or where else ' here'}."


@dataclass(frozen=True)
class Claim:
    """Any other sentence: its words without articles, and those of the sentence that it plainly denies, if it does."""

    words: tuple[str, ...]
    denies: tuple[str, ...] | None = None
    said: str = ""

    @property
    def about(self) -> tuple[str, ...]:
        """The words that it shares with the sentence that says the opposite."""
        return self.words if self.denies is None else self.denies

    def sentence(self) -> str:
        return self.said


Fact = Thing | Listing | Inventory | Installed | Venv | Place | Quality | Owning | Measure | Sight | Claim


def place(folder: str) -> str:
    """Return the words for a folder: the workspace, or the folder of that name."""
    return f"the folder {quote(folder)}" if folder else "the workspace"


def join(folder: str, name: str) -> str:
    """Return the path of a name in a folder, relative to the root; what leaves the workspace starts with / or ../ ."""
    # The names of a folder, which are joined by the thousand, need no tidying.
    if name not in ("", ".", "..") and "/" not in name and not _UNTIDY.search(folder):
        return f"{folder}/{name}" if folder else name
    path = posixpath.normpath(posixpath.join(folder, name)) if name else folder
    return "" if path == "." else path


def parent(path: str) -> str:
    """Return the folder that holds a path."""
    return posixpath.dirname(path)


def is_below(path: str, folder: str) -> bool:
    """Say whether a path lies somewhere inside a folder."""
    return path.startswith(folder + "/") if folder else bool(path)
