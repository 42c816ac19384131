"""Perceiving: what is so in the workspace, the session and the machine becomes English sentences that rules can stand
on.

Small folders are listed completely, and a complete list also says what is not there. Large ones are cut, which the
sentence says ("and 212 more"); what the goal mentions by name is then looked up and said on its own.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

from agents.bdi.beliefs.denial import Correction, corrected
from agents.rules.facts import Installed, Inventory, Listing, Place, Thing, Venv, join, place
from agents.rules.naming import path_problem
from agents.rules.speaking import Speaking, speaking_of
from agents.toolkit.types import Belief
from agents.toolkit.wording.kinds import FUNCTION_WORDS
from agents.toolkit.wording.words import NOISE, Text, quote, read_text

MAX_NAMES = 40
HAS_MODEL = "A language model is available."
MAX_FOLDERS = 40
MAX_MENTIONED = 20
MAX_TOLD = 200
# What a person may say at once with a decision: none of their words is dropped for its length.
MAX_TOLD_CHARS = 4_000
# Folders whose inside is machinery: thousands of files that no rule ever asks about.
MACHINERY = frozenset({".git", "__pycache__", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox"})
_TEST_FILE = re.compile(r"(?:test_.*|.*_test)\.py\Z")
_NAMING = frozenset({"named", "file", "folder", "project", "note", "of"})
_PLAIN_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?\Z")


@dataclass(frozen=True)
class Entry:
    """A path of the workspace, relative to its root; `kind` is file, dir or link."""

    path: str
    kind: str
    size_bytes: int = 0


@dataclass(frozen=True)
class World:
    """Everything that can be perceived, as plain values.

    `complete` is False when `entries` leaves some out. `programs` are those that run in the jail, None when nobody
    looked.
    `has_model`: the goal's agent has a language model that steps may ask.
    `told` are beliefs from elsewhere (people, experience), taken over as they are. `corrections` are what people denied
    of what was perceived. `about` is the goal text, whose names are looked up. `now` is an ISO time.
    """

    entries: tuple[Entry, ...] = ()
    complete: bool = True
    folder: str = ""
    venv: str | None = None
    autonomous: bool = False
    python_version: str = ""
    sandbox_level: str = ""
    programs: tuple[str, ...] | None = None
    tools: tuple[str, ...] = ()
    has_model: bool = False
    told: tuple[Belief, ...] = ()
    corrections: tuple[Correction, ...] = ()
    about: str = ""
    now: str = ""


def perceive(world: World) -> list[Belief]:
    """Return what is so, most useful first, each sentence once; what was told comes last and unchanged.

    What is seen now outweighs what was said before: a told sentence that it contradicts is left out. A correction
    outweighs what is seen, because it was made by a person who was shown that.
    """
    tree = _Tree.of(world.entries)
    seen = dict.fromkeys(
        (
            *_session(world),
            *_mentioned(world, tree),
            *_folders(world, tree),
            *_machine(world),
        )
    )
    perceived = [Belief(sentence, "perception", 1.0, world.now) for sentence in seen]
    beliefs = corrected(perceived, world.corrections)
    held = {belief.sentence for belief in beliefs}
    told = [one for one in _told(world.told) if one.sentence not in held]
    sentences = [belief.sentence for belief in beliefs]
    filed = Speaking([*compress(sentences, speaking_of((one.sentence for one in told), sentences))])
    return beliefs + [one for one in told if not _denied(one, filed)]


def _denied(told: Belief, filed: Speaking) -> bool:
    return any(verdict.answer == "no" for verdict in filed.decide(told.sentence).values())


@dataclass
class _Tree:
    """The workspace by folder; the inside of virtual environments and machinery is left out."""

    files: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    folders: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    kinds: dict[str, str] = field(default_factory=dict)
    venvs: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> _Tree:
        tree = cls()
        known = {entry.path: entry.kind for entry in entries if entry.path}
        for path in [*known]:
            above = path.rpartition("/")[0]
            while above and above not in known:
                known[above] = "dir"
                above = above.rpartition("/")[0]
        tree.kinds = known
        tree.venvs = {path.rpartition("/")[0] for path in known if path.endswith("/pyvenv.cfg")}
        # Each folder is judged once: an agent that looks after each step asks this of every file there is.
        inside = {"": False}
        for path in sorted(known):
            folder, _, name = path.rpartition("/")
            if folder not in inside:  # the folder above came before it
                above, _, called = folder.rpartition("/")
                inside[folder] = inside[above] or folder in tree.venvs or called in MACHINERY
            if not inside[folder]:
                (tree.folders if known[path] == "dir" else tree.files)[folder].append(name)
        return tree

    def listed(self) -> list[str]:
        """Folders worth a look inside, the shallow ones first; machinery and environments are not."""
        folders = [join(folder, name) for folder in self.folders for name in self.folders[folder]]
        worth = [path for path in folders if path not in self.venvs and posixpath.basename(path) not in MACHINERY]
        return ["", *sorted(worth, key=lambda path: (path.count("/"), path))]


def _session(world: World) -> Iterator[str]:
    yield Place("you", "in", world.folder, positive=True, is_folder=True).sentence()
    yield f"Autonomous mode is {'on' if world.autonomous else 'off'}."
    yield "A virtual environment is active." if world.venv else "A virtual environment is not active."


def _machine(world: World) -> Iterator[str]:
    version = tuple(int(part) for part in re.findall(r"\d+", world.python_version)[:3])
    if version:
        yield Installed("program", "Python", present=True, version=version).sentence()
    if world.sandbox_level:
        yield f"The sandbox level is {quote(world.sandbox_level)}."
    if world.programs is not None:
        yield Inventory("program", tuple(sorted({*world.programs, *(("python",) if version else ())}))).sentence()
    if world.tools:
        yield Inventory("tool", tuple(sorted(world.tools))).sentence()
    if world.has_model:
        yield HAS_MODEL


def _folders(world: World, tree: _Tree) -> Iterator[str]:
    listed = tree.listed()
    for folder in listed[:MAX_FOLDERS]:
        yield from _contents(folder, world, tree)
        yield from _character(folder, world, tree)
    if len(listed) > MAX_FOLDERS:
        yield f"There are {len(listed) - MAX_FOLDERS} more folders that are not listed here."


def _contents(folder: str, world: World, tree: _Tree) -> Iterator[str]:
    files, folders = tree.files.get(folder, []), tree.folders.get(folder, [])
    if world.complete and not files and not folders:
        yield Listing("entry", folder, ()).sentence()
        return
    if not folder:
        yield from _list("entry", folder, sorted([*files, *folders]), world)
    yield from _list("folder", folder, folders, world)
    yield from _list("file", folder, files, world)


def _list(kind: str, folder: str, names: list[str], world: World) -> Iterator[str]:
    shown = tuple(names[:MAX_NAMES])
    if world.complete:
        yield Listing(kind, folder, shown, len(names) - len(shown)).sentence()
    elif names:
        # How many are missing is not known; without "more" the list would claim to be complete.
        yield Listing(kind, folder, shown, max(1, len(names) - len(shown))).sentence()


def _character(folder: str, world: World, tree: _Tree) -> Iterator[str]:
    """Say what a folder is good for: its environment, its tests, its notes."""
    environments = [name for name in tree.folders.get(folder, []) if join(folder, name) in tree.venvs]
    for name in environments[:MAX_NAMES]:
        yield Venv(folder, name, present=True).sentence()
        yield from _in_environment(folder, join(folder, name), world, tree)
    if not environments and world.complete:
        yield Venv(folder, None, present=False).sentence()
    yield from _tests(folder, environments, world, tree)
    yield from _notes(folder, world, tree)


def _tests(folder: str, environments: Sequence[str], world: World, tree: _Tree) -> Iterator[str]:
    where = place(folder)
    tests = _has_tests(folder, tree)
    if tests and world.complete and not any(f"{join(folder, name)}/bin/pytest" in tree.kinds for name in environments):
        yield Installed("program", "pytest", present=False, folder=folder).sentence()
    if tests or world.complete:
        yield f"{where[0].upper()}{where[1:]} has {'' if tests else 'no '}tests."


def _notes(folder: str, world: World, tree: _Tree) -> Iterator[str]:
    where = place(folder)
    notes = [name[:-3] for name in tree.files.get(join(folder, "notes"), []) if name.endswith(".md")]
    if notes:
        said = ", ".join(quote(name) for name in notes[:MAX_NAMES])
        rest = len(notes) - MAX_NAMES
        missing = rest if rest > 0 else 0 if world.complete else 1
        yield f"The notes in {where} are: {said}{f' and {missing} more' if missing else ''}."
        yield f"{where[0].upper()}{where[1:]} has notes."
    elif world.complete and not folder:
        yield f"There are no notes in {where}."


def _in_environment(folder: str, environment: str, world: World, tree: _Tree) -> Iterator[str]:
    """Say whether pytest is in a virtual environment, the one program that rules ask for there."""
    if f"{environment}/bin/pytest" in tree.kinds:
        yield Installed("program", "pytest", present=True, folder=folder).sentence()


def _has_tests(folder: str, tree: _Tree) -> bool:
    """Say whether a test runner started in the folder would find some: beside it, in tests/, or through packages."""
    waiting = [folder]
    while waiting:
        inside = waiting.pop()
        if any(_TEST_FILE.match(name) for name in tree.files.get(inside, ())):
            return True
        for name in tree.folders.get(inside, ()):
            below = join(inside, name)
            if (inside == folder and name in ("tests", "test")) or "__init__.py" in tree.files.get(below, ()):
                waiting.append(below)
    return False


def _mentioned(world: World, tree: _Tree) -> Iterator[str]:
    """Say of every name in the goal whether something of that name is there."""
    said = _names(read_text(world.about), frozenset(tree.kinds), world.folder)
    names = dict.fromkeys(name for name in said if path_problem(name, world.folder) is None)
    for name in list(names)[:MAX_MENTIONED]:
        path = join(world.folder, name)
        kind = tree.kinds.get(path)
        if path and kind is not None:
            yield Thing("folder" if kind == "dir" else "file", path, exists=True).sentence()
        elif path and world.complete:
            yield Thing("entry", path, exists=False).sentence()
        note = join(world.folder, f"notes/{name}.md")
        if tree.kinds.get(note) == "file":
            yield f"There is a note named {quote(name)}{'' if not world.folder else f' in {place(world.folder)}'}."


def _names(text: Text, there: frozenset[str], folder: str) -> Iterator[str]:
    """Words that could name a file: quoted ones, unusual ones, any word after “named”, “called”, “file” or “folder”,
    and any other that something there is named.

    A plain word of the language is none, with a capital letter or not: of “Remove the folder named old” only “old” is.
    """
    for group in text.groups:
        yield text.raw[group.start : group.end]
    before = ""
    for number, word in enumerate(text.words):
        said = text.word_value(number).raw
        if word.group < 0 and (
            not _PLAIN_WORD.match(said) or join(folder, said) in there or _is_named(word.text, before)
        ):
            yield said
        before = word.text


def _is_named(word: str, before: str) -> bool:
    return before in _NAMING and word not in _NAMING and word not in FUNCTION_WORDS and word not in NOISE


def _told(beliefs: Iterable[Belief]) -> Iterator[Belief]:
    """Pass on what was told, each sentence once, no longer than a sentence is."""
    seen: Mapping[str, Belief] = {
        belief.sentence: belief for belief in beliefs if 0 < len(belief.sentence.strip()) <= MAX_TOLD_CHARS
    }
    yield from list(seen.values())[:MAX_TOLD]
