"""What an imprecise path means among the files that are there: placeholders, other folders, case, endings, spelling.

Every candidate has a reason and a confidence; the best is taken only when no other is about as good. What is to be made
new is never bent towards what exists: only its folder is.
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from agents.bdi.plans import lessons
from agents.bdi.understanding.effort import Effort
from agents.bdi.understanding.names import entries, tree_index
from agents.bdi.understanding.names.entries import Entry
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.similarity import SHORT, folders_alike, most_slips, names_alike
from agents.bdi.understanding.names.tree_index import TreeIndex
from agents.bdi.understanding.words.written_paths import cleaned, is_written_absolute, parted, without_placeholders
from agents.rules.naming import leaves_workspace

# What is there is a file or a folder; what is looked for may be either, or something that need not be there.
FILE, FOLDER, ANY, NEW = entries.FILE, entries.FOLDER, "any", "new"
# Below this nothing is taken without a person; a second candidate must be so much worse.
LEAST, MARGIN = 0.75, 0.06
MOST_CHOICES = 6


@dataclass(frozen=True)
class Mapped:
    """What the mapping table says: this name means that path, for one parameter of one tool or for all ("").

    `lesson` is the number of the lesson by which the goal's own submitter said so, 0 where it holds for everybody.
    """

    said: str
    path: str
    tool: str = ""
    parameter: str = ""
    lesson: int = 0


@dataclass(frozen=True)
class Candidate:
    """A path that may be meant, how sure that is (0 to 1), and why."""

    path: str
    confidence: float
    why: str


@dataclass(frozen=True)
class Found:
    """What a path means. `value` None: nobody can tell without asking; `choices` are the best guesses, best first."""

    value: str | None
    confidence: float = 1.0
    why: str = ""
    choices: tuple[Candidate, ...] = ()
    is_placeholder: bool = False


@dataclass(frozen=True)
class Tree:
    """The files and folders of a workspace, by path from its root. `folder` is where relative paths start."""

    index: TreeIndex
    folder: str = ""
    mapped: tuple[Mapped, ...] = ()
    # Paths spoken of before in the same text, newest last; they are meant rather than equals elsewhere.
    recent: tuple[str, ...] = field(default=())
    # What comparing with names here is counted against; None: it is not counted.
    effort: Effort | None = field(default=None, compare=False)

    @classmethod
    def of(cls, entries: Iterable[tuple[str, str]], folder: str = "", mapped: Iterable[Mapped] = ()) -> Tree:
        """From (path, kind) pairs, kind file, dir or link; folders above what is named are there too."""
        kinds: dict[str, str] = {}
        for path, kind in entries:
            clean = path.strip("/")
            if clean:
                kinds[clean] = FOLDER if kind in ("dir", FOLDER) else FILE
                above = posixpath.dirname(clean)
                while above and above not in kinds:
                    kinds[above] = FOLDER
                    above = posixpath.dirname(above)
        return cls(TreeIndex(kinds), folder, tuple(mapped))

    @property
    def kinds(self) -> Mapping[str, str]:
        """file or folder, by path."""
        return self.index.kinds

    def compared(self, names: int) -> None:
        """Count that so many names here were compared with a word. Raises TooMuch."""
        if self.effort is not None:
            self.effort.compare(names)

    def full(self, path: str) -> str:
        """The path from the workspace's root, of one that starts at the current folder; "" for the root itself."""
        joined = posixpath.normpath(posixpath.join(self.folder, path))
        return "" if joined in (".", "/") else joined

    def said(self, full: str) -> str:
        """A path from the root, as it is said from the current folder."""
        return posixpath.relpath(full or ".", self.folder or ".") if self.folder else full or "."

    def kind(self, path: str) -> str:
        """file or folder, "" for what is not there."""
        if path not in self._kinds_at:
            full = self.full(path)
            self._kinds_at[path] = FOLDER if not full else self.kinds.get(full, "")
        return self._kinds_at[path]

    @cached_property
    def _kinds_at(self) -> dict[str, str]:
        return {}

    @cached_property
    def found(self) -> dict[tuple[Any, ...], Any]:
        """What was looked for in these files before: ways of reading ask the same again and again."""
        return {}

    @property
    def visible(self) -> Iterator[str]:
        """What may be meant without being named exactly: no machinery, and not the inside of environments."""
        return (entry.path for entry in self.index.entries)


def fits(kind: str, wanted: str) -> bool:
    """Whether what is there is of the wanted kind."""
    return wanted in (ANY, NEW) or kind == wanted


def find(said: str, tree: Tree, wanted: str = ANY, *, tool: str = "", parameter: str = "") -> Found:
    """What a path means, of the wanted kind. `NEW`: something that need not be there."""
    asked = (said, wanted, tool, parameter) if tree.mapped else (said, wanted)
    if asked not in tree.found:
        tree.found[asked] = _find(said, tree, wanted, tool, parameter)
    return cast(Found, tree.found[asked])


def _find(said: str, tree: Tree, wanted: str, tool: str, parameter: str) -> Found:
    path = cleaned(said)
    if not path:
        return Found(None, 0.0, "no path is named", is_placeholder=True)
    if table := _from_table(path, said, tree, tool, parameter, wanted):
        return table
    is_absolute = said.strip().strip("\"'`“”‘’«»").replace("\\", "/") != path and is_written_absolute(said)
    is_said_from_here = not path.startswith("/") and not is_absolute
    stays = not leaves_workspace(path, tree.folder)
    if is_said_from_here and stays and (kind := tree.kind(path)) and fits(kind, wanted):
        return Found(path, 1.0, "it is there")
    if wanted == NEW:
        return _new(path, tree, is_absolute)
    return _existing(path, tree, wanted, is_absolute)


def _from_table(path: str, said: str, tree: Tree, tool: str, parameter: str, wanted: str) -> Found | None:
    """The table overrides what is found. What the goal's submitter taught comes before what holds for everybody, and
    then the row that says most exactly where it holds decides.
    """
    names = {_plain(path), _plain(said)}
    rows = [
        row
        for row in tree.mapped
        if _plain(row.said) in names
        and row.tool in ("", tool)
        and row.parameter in ("", parameter)
        and fits(FOLDER if row.path == "." else tree.kinds.get(row.path) or wanted, wanted)
    ]
    if not rows:
        return None
    row = max(rows, key=lambda one: (bool(one.lesson), bool(one.tool), bool(one.parameter)))
    # The table names paths from the workspace's root, and a step may begin in a folder.
    path = tree.said(row.path)
    if row.lesson:
        return Found(path, 0.95, lessons.of_mapping(row.lesson, row.said, row.path))
    return Found(path, 0.95, f"the mapping table says that “{row.said}” is “{row.path}”")


def is_in_table(said: object, tree: Tree) -> bool:
    """Whether people have said what a name means, so that it is no guess."""
    return isinstance(said, str) and any(
        _plain(row.said) in (_plain(said), _plain(cleaned(said))) for row in tree.mapped
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().replace("_", " ").split())


def _new(path: str, tree: Tree, is_absolute: bool) -> Found:
    kept, was = without_placeholders(path.lstrip("/"))
    if not kept:
        return Found(None, 0.0, "the path is a placeholder", is_placeholder=True)
    if is_absolute or path.startswith("/"):
        whole, kept = kept, _inside(kept, tree)
        if kept != whole and "/" not in kept and not was and (upper := _home_cut(whole)[1:-1]):
            return _either(kept, posixpath.join(*upper, kept), "how much of the path is a place here is not said")
    folder, name = posixpath.split(kept)
    if not folder or tree.kind(folder) == FOLDER or folder.startswith(".."):
        changed = kept != path
        return Found(kept, 0.9 if changed else 1.0, "the part that is no place here is left out" if changed else "")
    near = [one for one in _ranked(folder, tree, FOLDER) if one.confidence >= 0.85]
    if near and (len(near) == 1 or near[0].confidence - near[1].confidence >= MARGIN):
        if not was and not is_absolute and near[0].path.endswith(f"/{folder}"):
            there = posixpath.join(near[0].path, name)
            return _either(
                kept, there, f"there is no folder “{folder}” here, and one in {posixpath.dirname(near[0].path)}"
            )
        return Found(posixpath.join(near[0].path, name), near[0].confidence, f"its folder: {near[0].why}")
    return Found(kept, 0.9 if was or kept != path else 1.0, "the placeholder is left out" if was else "")


def _either(one: str, other: str, why: str) -> Found:
    """What is to be made has two places, and whoever asks for it knows which."""
    choices = (Candidate(one, 0.5, "as it is written"), Candidate(other, 0.5, why))
    return Found(None, 0.5, why, choices)


def _home_cut(path: str) -> list[str]:
    """The parts of an absolute path behind somebody's home: the first of them is what they call this folder."""
    parts = path.split("/")
    return parts[2:] if parts[0] in ("home", "Users") and len(parts) > 2 else parts


def _inside(path: str, tree: Tree) -> str:
    """Of an absolute path the longest end whose first folder is here; else only its name."""
    parts = path.split("/")
    for at in range(len(parts)):
        rest = "/".join(parts[at:])
        if tree.kind(rest) or (at < len(parts) - 1 and tree.kind(parts[at]) == FOLDER):
            return rest
    return parts[-1]


def _existing(path: str, tree: Tree, wanted: str, is_absolute: bool) -> Found:
    kept, was = without_placeholders(path.lstrip("/"))
    if not kept:
        return _nothing_said(tree, wanted)
    ranked = _ranked(kept, tree, wanted)
    if tree.kind(kept):
        # What is exactly the name of something else here is no slip.
        ranked = [one for one in ranked if "spelt" not in one.why]
    best = ranked[0] if ranked else None
    choices = tuple(one for one in ranked if one.confidence >= 0.45)[:MOST_CHOICES]
    if best is None or best.confidence < LEAST:
        what = {FILE: "file", FOLDER: "folder"}.get(wanted, "file or folder")
        return Found(None, best.confidence if best else 0.0, f"there is no {what} “{kept}”", choices, was)
    rivals = [one for one in ranked[1:] if best.confidence - one.confidence < MARGIN]
    if rivals:
        recent = [one for one in (best, *rivals) if tree.full(one.path) in tree.recent]
        if len(recent) == 1:
            return Found(recent[0].path, 0.85, "it was spoken of before", choices)
        return Found(None, best.confidence, f"“{kept}” may be {len(rivals) + 1} of them", choices, was)
    why = best.why if not (was or is_absolute) else f"{best.why}; what stands before it is no place here"
    return Found(best.path, best.confidence, why, choices)


def _nothing_said(tree: Tree, wanted: str) -> Found:
    """A placeholder alone: only where there is exactly one thing that it can mean is that taken."""
    there = (entry.path for entry in tree.index.entries if fits(entry.kind, wanted))
    choices = tuple(Candidate(tree.said(path), 0.5, "it is there") for path in itertools.islice(there, MOST_CHOICES))
    return Found(None, 0.0, "the path is a placeholder", choices, is_placeholder=True)


def _ranked(path: str, tree: Tree, wanted: str) -> list[Candidate]:
    """Everything there that the path may mean, best first."""
    here = tree.full(path)
    here = path if here.startswith("..") else here
    found = []
    alike = [entry for entry in _called_alike(posixpath.basename(path), tree) if fits(entry.kind, wanted)]
    tree.compared(len(alike))
    for entry in alike:
        confidence, why = _likeness(here, path, entry, tree)
        if confidence >= 0.4:
            found.append(Candidate(tree.said(entry.path), round(confidence, 3), why))
    return sorted(found, key=lambda one: (-one.confidence, one.path.count("/"), one.path))


def _called_alike(name: str, tree: Tree) -> Iterable[Entry]:
    """What is called like this in any way that `names_alike` knows, so that it need not be compared with all names."""
    index = tree.index
    stem, ending = parted(name)
    folded, words = stem.casefold(), words_of(stem)
    ways = [
        (tree_index.by_name, name.casefold()),
        (tree_index.by_stem, folded),
        (tree_index.by_words, words),
        (tree_index.by_words, tuple(SHORT.get(word, word) for word in words)),
        (tree_index.by_short_words, words),
        (tree_index.by_words, words[:-1]),
    ]
    found = [index.at(way, key) for way, key in ways]
    of_each = [index.at(tree_index.by_any_word, word) for word in dict.fromkeys(words)]
    if ending:
        # Of files of that kind those that share a word.
        found += [[one for one in some if one.ending == ending.casefold()] for some in of_each]
    elif of_each:
        first, *others = sorted(of_each, key=len)
        every = [frozenset(some) for some in others]
        found.append([one for one in first if all(one in some for some in every)])
    found.append(list(index.spelt_like(folded, most_slips(stem))))
    return dict.fromkeys(itertools.chain.from_iterable(found))


def _likeness(here: str, said: str, there: Entry, tree: Tree) -> tuple[float, str]:
    """How likely the path is meant, and why in words."""
    if here == there.path:
        return 1.0, "it is there"
    if here.casefold() == there.path.casefold():
        return 0.99, "only the case differs"
    folder, name = posixpath.split(said)
    there_folder = there.folder
    base = names_alike(name, there.name, is_folder=there.kind == FOLDER)
    if base[0] < 0.4:
        return base
    if not folder:
        inside = there_folder == tree.folder
        # Where nothing but the name is said, one that lies here is meant before one that lies deeper.
        return base[0] - (0.0 if inside else 0.01 if base[0] > 0.97 else 0.02), (
            base[1] if inside or base[1] != "it is there" else f"it lies in {there_folder or 'the workspace itself'}"
        )
    near = folders_alike(tree.full(folder) if not folder.startswith("..") else folder, there_folder)
    if near >= 0.9:
        return base[0] * near, base[1] if near == 1.0 else "its folder is spelt otherwise"
    if base[0] > 0.97:
        return 0.82 + 0.1 * near, f"it lies in {there_folder or 'the workspace itself'} instead"
    return base[0] * 0.84 + 0.06 * near, f"{base[1]}, and it lies in {there_folder or 'the workspace itself'}"
