"""What a plan endangers, in one sentence made from facts, the worst first. Pure.

The facts are read from the steps, and from the dry run once it has ended. What neither tells is said to be unknown.
The sentence is what people decide on: it stands at the head of the plan and first in its row, orders the queue, and no
short way of deciding (the familiar, a batch, a key, a policy) passes it by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from agents.bdi.forecast.program_runs import INDEX, ProgramRun
from review.reading.texts import counted, size

# A sentence names so many things of a kind, and so many kinds; the page below it has all.
_NAMED = 3
_CLAUSES = 3
_LONGEST_NAME = 60
# Blanks that a page runs together or shows as one: several, at an end, and all but the ordinary one.
_BLANKS = re.compile(r"[^\S ]| {2,}|\A +| +\Z")
_SIGNS = {" ": "␣", "\n": "⏎", "\t": "⇥"}
_READS_ON = re.compile(r"[,;:“”()]| and | which ")
_HERE = "in this workspace and its history"
_OR_HERE = "in this workspace or its history"
# The state before a plan stays in the history for as long as the operator keeps states.
_BACK = " (going back to before the plan restores that)"
DUE = "not known before the dry run has ended"


class Danger(IntEnum):
    """The worst of a plan, the most dangerous first."""

    LOSES = 0
    DELETES = 1
    OVERWRITES = 2
    RUNS_FOREIGN = 3
    REACHES_OUT = 4
    UNKNOWN = 5
    CHANGES = 6
    NOTHING = 7

    @property
    def is_grave(self) -> bool:
        """Whether each such plan is looked at by itself: it deletes, overwrites, sends, or runs what came."""
        return self <= Danger.REACHES_OUT


Clause = tuple[Danger, str]
_LOOKS = {
    Danger.LOSES: ("bad", "trash"),
    Danger.DELETES: ("bad", "trash"),
    Danger.OVERWRITES: ("bad", "warn"),
    Danger.RUNS_FOREIGN: ("bad", "net"),
    Danger.REACHES_OUT: ("person", "net"),
    Danger.UNKNOWN: ("person", "shade"),
    Danger.CHANGES: ("plain", "edit"),
    Danger.NOTHING: ("plain", "eye"),
}


@dataclass(frozen=True)
class File:
    """A file that would be lost. `is_elsewhere`: the same content lies elsewhere in the workspace or its history.

    `holds`: there is content that could be lost, which a folder, a link and an empty file have not. `is_made_again`: it
    stands for what of a virtual environment nobody loses.
    """

    path: str
    size_bytes: int = 0
    is_elsewhere: bool = False
    holds: bool = True
    is_made_again: bool = False


@dataclass(frozen=True)
class Facts:
    """What is known of a plan. Paths and command lines are those of main steps.

    `others` are clauses of their own: about what reaches beyond the workspace, or happens only after a failure.
    `unknown` says what is not known, and why; `is_due`: the dry run will tell the rest.
    """

    deleted: Sequence[File] = ()
    overwritten: Sequence[File] = ()
    changed: Sequence[str] = ()
    added: Sequence[str] = ()
    moved: Sequence[str] = ()
    folders: Sequence[str] = ()
    programs: Sequence[ProgramRun] = ()
    others: Sequence[Clause] = ()
    unknown: Sequence[str] = ()
    is_due: bool = False


@dataclass(frozen=True)
class Told:
    """The sentence of a plan, and its worst kind."""

    danger: Danger
    sentence: str
    is_due: bool = False

    @property
    def tone(self) -> str:
        """How pages mark it."""
        return _LOOKS[self.danger][0]

    @property
    def icon(self) -> str:
        """The icon beside it."""
        return _LOOKS[self.danger][1]


def tell(facts: Facts) -> Told:
    """The sentence. What is certain is said also while the dry run is due."""
    clauses = [*_losses(facts), *_foreign(facts), *facts.others]
    if facts.is_due:
        clauses.append((Danger.UNKNOWN, f"the rest is {DUE}" if clauses else DUE))
    else:
        clauses += [*((Danger.UNKNOWN, one) for one in facts.unknown), *_changes(facts)]
    clauses = sorted(dict.fromkeys(clauses), key=lambda one: one[0]) or [(Danger.NOTHING, "changes nothing")]
    # What is grave is never cut: whoever reads that there is more does not know of what kind.
    grave = [words for kind, words in clauses if kind < Danger.REACHES_OUT]
    grave += [words for kind, words in clauses if kind == Danger.REACHES_OUT][:_CLAUSES]
    rest = [words for kind, words in clauses if kind > Danger.REACHES_OUT]
    shown = [*grave, *rest[: max(0, _CLAUSES - len(grave))]]
    if more := len(clauses) - len(shown):
        shown.append(f"and {counted(more, 'more effect')}")
    sentence = "; ".join(shown)
    return Told(clauses[0][0], sentence[:1].upper() + sentence[1:], facts.is_due)


def _losses(facts: Facts) -> Iterator[Clause]:
    if deleted := [one for one in facts.deleted if not one.is_made_again]:
        only = sum(one.holds and not one.is_elsewhere for one in deleted)
        yield Danger.LOSES if only else Danger.DELETES, _deleted(deleted, only)
    if again := [one.path for one in facts.deleted if one.is_made_again]:
        what = "a virtual environment" if len(again) == 1 else "virtual environments"
        yield Danger.DELETES, f"deletes {names(again)}, {what} that can be made again"
    if facts.overwritten:
        total = size(sum(one.size_bytes for one in facts.overwritten))
        yield Danger.OVERWRITES, f"overwrites {_files(facts.overwritten)} ({total}; can be restored)"


def _deleted(files: Sequence[File], only: int) -> str:
    if len(files) == 1 and not files[0].holds:
        return f"deletes {named(files[0].path)}, which holds nothing"
    if len(files) == 1:
        where = f"exists nowhere else {_HERE}{_BACK}" if only else f"also exists elsewhere {_OR_HERE}"
        return f"deletes {named(files[0].path)}, which {where}"
    if not any(one.holds for one in files):
        return f"deletes {_files(files)}, which hold nothing"
    if not only:
        return f"deletes {_files(files)}, which also exist elsewhere {_OR_HERE}"
    everything = "both exist" if only == 2 else "all of them exist"
    which = everything if only == len(files) else "one exists" if only == 1 else f"{only:,} exist"
    return f"deletes {_files(files)}; {which} nowhere else {_HERE}{_BACK}"


def _foreign(facts: Facts) -> Iterator[Clause]:
    foreign = [one for one in facts.programs if one.hosts]
    if ran := [one for one in foreign if one.runs_it]:
        yield Danger.RUNS_FOREIGN, f"runs code that comes from {_hosts(ran)} ({_lines(ran)})"
    elif foreign:
        yield Danger.RUNS_FOREIGN, f"runs {_lines(foreign)} after files came from {_hosts(foreign)}"


def _changes(facts: Facts) -> Iterator[Clause]:
    """What is ordinary. Programs are named with it, because a reader wants to know what did it."""
    for verb, noun, paths in (
        ("writes", "new file", facts.added),
        ("changes", "file", facts.changed),
        ("moves", "file", facts.moved),
    ):
        if paths:
            yield Danger.CHANGES, f"{verb} {named(paths[0]) if len(paths) == 1 else counted(len(paths), noun)}"
    if facts.folders and not facts.added:
        one = f"the folder {named(facts.folders[0])}"
        yield Danger.CHANGES, f"makes {one if len(facts.folders) == 1 else counted(len(facts.folders), 'folder')}"
    if facts.programs and not any(one.hosts for one in facts.programs):
        may = ", which may remove files" if any(one.may_remove for one in facts.programs) else ""
        yield Danger.CHANGES, f"runs {_lines(facts.programs)}{may}"


def _files(files: Sequence[File]) -> str:
    paths = [one.path for one in files]
    return names(paths) if len(paths) <= _NAMED else counted(len(paths), "file")


def _lines(runs: Sequence[ProgramRun]) -> str:
    return lines([one.command_line for one in runs])


def _hosts(runs: Sequence[ProgramRun]) -> str:
    return hosts_in_words([host for one in runs for host in one.hosts])


def hosts_in_words(hosts: Sequence[str]) -> str:
    """`example.org and the package index`."""
    return _and(["the package index" if one == INDEX else one for one in dict.fromkeys(hosts)])


def names(paths: Sequence[str]) -> str:
    """The first of these paths, and how many more there are."""
    return _first(paths, named)


def lines(command_lines: Sequence[str]) -> str:
    """The same of command lines."""
    return _first(command_lines, _line)


def _first(texts: Sequence[str], shown_as: Callable[[str], str]) -> str:
    texts = list(dict.fromkeys(texts))
    shown = [shown_as(one) for one in texts[:_NAMED]]
    if more := len(texts) - len(shown):
        shown.append(f"{more:,} more")
    return _and(shown)


def _and(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def named(text: str) -> str:
    """A path in a sentence, with signs for blanks that a page would run together or not show at all."""
    return _short(_BLANKS.sub(lambda found: "".join(_SIGNS.get(one, f"[U+{ord(one):04X}]") for one in found[0]), text))


def _line(command_line: str) -> str:
    return _short(" ".join(command_line.split()))


def _short(text: str) -> str:
    """Where it is long its beginning and its end, as a path's end counts most."""
    if len(text) > _LONGEST_NAME:
        half = _LONGEST_NAME // 2 - 1
        text = f"{text[:half]}…{text[-half:]}"
    # A name must not read as part of the sentence: “x, which holds nothing”.
    return f"“{text}”" if _READS_ON.search(text) else text
