"""The programs of a plan: which files they are given, and whether they run or may read what an earlier step of the plan
got from outside, from a host or from the package index. Pure.

What came is followed by the paths that steps name, through moves, copies, archives and folders, and by the results that
later steps are given. Programs are not read:
one that is given what came and writes somewhere has put it anywhere, and then whatever was not there before may be it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from agents.bdi.forecast.requests import requests_of
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.packages import installs_packages
from agents.toolkit.references import references
from agents.toolkit.registry import Registry
from sandbox.command_line import split
from sandbox.commands import Refusal, place
from sandbox.contract import Request
from sandbox.gate.hosts import PACKAGES

# As hosts name the package index.
INDEX = PACKAGES
Hosts = frozenset[str]
_NOWHERE: Hosts = frozenset()
# Programs whose first argument is a program.
_INTERPRETER = re.compile(r"(?:python|pypy|sh|bash|dash|zsh|node|perl|ruby|php|lua|Rscript)[\d.]*")
# More lines are a text and no list of files.
_LINES = 500


@dataclass(frozen=True)
class ProgramRun:
    """A program that runs. `paths`: what its command line names, from the workspace's root, whether it is there or not.

    `hosts`: from where something came before. `runs_it`: that is what runs; else the program only starts after it.
    """

    position: int
    command_line: str
    paths: tuple[str, ...] = ()
    # One of them is what an earlier step of the plan writes.
    is_written: bool = False
    hosts: tuple[str, ...] = ()
    runs_it: bool = False
    # Autonomous mode is on: it may remove files that it did not make, whatever it did in the dry run.
    may_remove: bool = False


@dataclass
class _Known:
    """What came so far: by path, into each environment, as a step's result, and somewhere that nobody can name."""

    there: Collection[str]
    folder: str | None = ""
    environment: str = ""
    came: dict[str, Hosts] = field(default_factory=dict)
    installed: dict[str, Hosts] = field(default_factory=dict)
    results: dict[int, Hosts] = field(default_factory=dict)
    anywhere: Hosts = _NOWHERE
    is_autonomous: bool = False
    made: set[str] = field(default_factory=set)

    def at(self, path: str) -> Hosts:
        """From where what lies at this path came, in it, or around it."""
        return _NOWHERE.union(*(hosts for one, hosts in self.came.items() if _meet(one, path)))

    def given(self, spec: IntentSpec) -> Hosts:
        """From where the results of earlier steps came that this one is given."""
        return _NOWHERE.union(*(self.results.get(one.position, _NOWHERE) for _, one in references(spec.params)))

    def around(self) -> Hosts:
        """From where the folder came in which the session stands."""
        folder = self.folder or ""
        inside = (hosts for one, hosts in self.came.items() if folder == one or folder.startswith(f"{one}/"))
        return _NOWHERE.union(*inside) if folder else _NOWHERE

    def is_file(self, name: str) -> bool:
        """Whether a word names what is there, was made, or came."""
        path = self.placed(name)
        return path is not None and (path in self.there or path in self.made or path in self.came)

    def placed(self, name: object) -> str | None:
        """The path that a word means in the folder where the session stands; None if it is none."""
        if not isinstance(name, str) or not name or "{{" in name or (self.folder is None and not name.startswith("/")):
            return None
        try:
            return place(self.folder or "", name)
        except Refusal:
            return None


def program_runs(document: Document, registry: Registry, there: Collection[str]) -> tuple[ProgramRun, ...]:
    """The programs of the main steps, in their order. `there`: the paths before the plan."""
    known = _Known(there)
    return tuple(one for spec in document.intents for one in _step(known, spec, registry))


def cleanup_runs(document: Document, registry: Registry, there: Collection[str]) -> tuple[ProgramRun, ...]:
    """The programs of the clean-up, which may come after any of the main steps and begins at the root again."""
    known = _Known(there)
    for spec in document.intents:
        list(_step(known, spec, registry))
    known.folder, known.environment, known.is_autonomous = "", "", False
    return tuple(one for spec in document.cleanup for one in _step(known, spec, registry))


def _step(known: _Known, spec: IntentSpec, registry: Registry) -> Iterator[ProgramRun]:
    for request in requests_of(spec, registry):
        if request.command in ("run", "start"):
            yield _program(known, spec, str(request.params.get("command_line", "")))
        elif request.command == "cd":
            known.folder = None if spec.condition is not None else known.placed(request.params.get("path"))
        elif request.command == "activate_venv":
            known.environment = known.placed(request.params.get("venv_name")) or ""
        elif request.command == "deactivate_venv":
            known.environment = ""
        elif request.command == "toggle_autonomous_mode":
            # Of a step under a condition nobody knows whether it is done.
            known.is_autonomous = request.params.get("on") is not False or (
                known.is_autonomous and spec.condition is not None
            )
        else:
            _files(known, spec, request)


def _files(known: _Known, spec: IntentSpec, request: Request) -> None:
    """A step that names files: what it fetches comes there, and what came goes where it is put."""
    named = request.params.get("paths")
    values = list(named.values()) if isinstance(named, dict) else [request.params.get(one) for one in ("path", "to")]
    paths = [path for path in map(known.placed, values) if path is not None]
    given = known.given(spec).union(*(known.at(path) for path in (*paths, *_listed(known, spec))))
    hosts = given | frozenset(spec.hosts)
    known.results[spec.position] = known.results.get(spec.position, _NOWHERE) | hosts
    if spec.effect == "idempotent":
        return
    if not hosts:
        known.made.update(paths)
        return
    known.came |= dict.fromkeys(paths, hosts)
    if not paths:
        known.anywhere |= hosts
    elif isinstance(named, dict):
        # Code of mindX that works on files may give them names of its own.
        known.anywhere |= given


def _listed(known: _Known, spec: IntentSpec) -> set[str]:
    """The paths among a step's values that came: some commands take a list of files as lines of one text."""
    lines = [line for value in spec.params.values() if isinstance(value, str) for line in value.splitlines()[:_LINES]]
    return {path for path in map(known.placed, lines) if path is not None and path in known.came}


def _program(known: _Known, spec: IntentSpec, line: str) -> ProgramRun:
    words = _words(line)
    executed = list(dict.fromkeys(path for path in map(known.placed, _executed(words, known)) if path is not None))
    given = [path for path in map(known.placed, words[1:]) if path is not None]
    itself = known.around().union(*map(known.at, executed)) | known.installed.get(known.environment, _NOWHERE)
    itself |= known.given(spec)
    if executed and not any(path in known.there or path in known.made for path in executed):
        itself |= known.anywhere
    before = known.anywhere.union(*known.came.values())
    known.results[spec.position] = itself.union(spec.hosts, *map(known.at, given))
    if installs_packages(line):
        # What pip installs is run by it, or by what runs in the environment later.
        itself |= _NOWHERE.union(*map(known.at, given)) | frozenset(spec.hosts)
        known.installed[known.environment] = known.installed.get(known.environment, _NOWHERE) | itself
    else:
        known.anywhere |= frozenset(spec.hosts).union(*map(known.at, given))
    paths = tuple(dict.fromkeys([*executed, *given]))
    is_written = not known.made.isdisjoint(paths)
    hosts = tuple(sorted(itself or before))
    return ProgramRun(spec.position, line, paths, is_written, hosts, bool(itself), known.is_autonomous)


def _words(line: str) -> list[str]:
    try:
        words = split(line)
    except Refusal:
        return line.split()
    while words and "=" in words[0].partition("/")[0]:
        words = words[1:]
    # What starts another program (env, nice, timeout) is told by that program's name further on.
    at = next((at for at, word in enumerate(words) if _INTERPRETER.fullmatch(posixpath.basename(word))), 0)
    return words[at:] if at and "/" not in words[0] else words


def _executed(words: Sequence[str], known: _Known) -> Iterator[str]:
    """The words of a command line that name what runs: the program, or what an interpreter is given."""
    if not words:
        return
    if "/" in words[0]:
        yield words[0]
    if not _INTERPRETER.fullmatch(posixpath.basename(words[0])):
        return
    for at, word in enumerate(words[1:], 1):
        if word == "-m" and at + 1 < len(words):
            module = words[at + 1].replace(".", "/")
            yield from (module, f"{module}.py")
            return
        if not word.startswith("-"):
            yield word
            # What names no file may be the value of the option before it.
            if known.is_file(word) or not words[at - 1].startswith("-"):
                return


def _meet(one: str, other: str) -> bool:
    """Whether one path is the other, lies in it, or holds it."""
    return one == other or not one or not other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
