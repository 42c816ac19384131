"""The files of a workspace indexed by name, so that no word needs a search through all of them.

It is made once for the files of a plan. What a command is expected to leave behind differs from them by a few paths,
and its index says so: it looks into the first one and leaves out, or adds, what differs.
"""

from __future__ import annotations

import itertools
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from agents.bdi.understanding.names.entries import FILE, Entry, entry_of
from agents.bdi.understanding.names.similarity import SHORT
from agents.bdi.understanding.names.word_matching import Vocabulary, meets
from agents.bdi.understanding.words.spelling import distance, letters_of, may_be_near

MACHINERY = frozenset({".git", "__pycache__", "node_modules", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox"})
_ENVIRONMENT = "pyvenv.cfg"
# With more changes than these a new index costs less than leaving them out of every answer.
_MOST_CHANGES = 64
CODE = (".py", ".pyi", ".ipynb")
_DIGITS = re.compile(r"\d+")
Way = Callable[[Entry], Iterable[object]]


def by_name(entry: Entry) -> Iterator[object]:
    """Its whole name, in small letters."""
    yield entry.name.casefold()


def by_stem(entry: Entry) -> Iterator[object]:
    """Its name without its ending, in small letters."""
    yield entry.stem


def by_words(entry: Entry) -> Iterator[object]:
    """The words of its name, in their order."""
    yield entry.words


def by_short_words(entry: Entry) -> Iterator[object]:
    """The words of its name by their usual short forms, where one of them has one."""
    if not SHORT.keys().isdisjoint(entry.words):
        yield tuple(SHORT.get(word, word) for word in entry.words)


def by_any_word(entry: Entry) -> Iterator[object]:
    """Each word of its name, and what is behind its last dot."""
    yield from {*entry.words, *entry.own, entry.behind}


def by_number(entry: Entry) -> Iterator[object]:
    """The words of its name before a number, each with that number: chapter 2, run 3."""
    for noun, number in itertools.pairwise(entry.own):
        if number.isdecimal():
            yield noun, number.lstrip("0")


def by_folder(entry: Entry) -> Iterator[object]:
    """The folder that it lies in."""
    yield entry.folder


def by_saying(entry: Entry) -> Iterator[object]:
    """Each word that says it: of its name, of the folders it lies in, of its ending."""
    yield from {*entry.own, *entry.around}


def by_whole(entry: Entry) -> Iterator[object]:
    """A file's own words in one, without and with its ending."""
    if entry.kind == FILE:
        whole = "".join(entry.own)
        yield whole
        if entry.behind:
            yield whole + entry.behind


@dataclass(frozen=True, eq=False)
class TreeIndex:
    """What is at which path, and what of it is called how.

    `base`: the index that this one differs from by the paths that are `gone` and the entries that are `added`.
    """

    kinds: Mapping[str, str]
    base: TreeIndex | None = None
    gone: frozenset[str] = frozenset()
    added: tuple[Entry, ...] = ()

    def changed(self, gone: Collection[str], added: Mapping[str, str]) -> TreeIndex:
        """The index without the paths that are gone, and with those that are added, with their kinds."""
        kinds = dict(self.kinds)
        for path in gone:
            kinds.pop(path, None)
        kinds.update(added)
        base = self.base or self
        differing = {**{one.path: one.kind for one in self.added if one.path not in gone}, **added}
        differing = {path: kind for path, kind in differing.items() if base.kinds.get(path) != kind}
        away = {path for path in (*self.gone, *gone, *differing) if kinds.get(path) != base.kinds.get(path)}
        if len(differing) + len(away) > _MOST_CHANGES or any(
            posixpath.basename(path) == _ENVIRONMENT for path in (*differing, *away)
        ):
            return TreeIndex(kinds)
        shown = (entry_of(path, kind) for path, kind in differing.items() if not base.hides(path))
        return TreeIndex(kinds, base, frozenset(away), tuple(sorted(shown, key=lambda one: one.place)))

    def within(self, folder: str) -> TreeIndex:
        """The index of what lies in this folder, at any depth; "" is all of it."""
        if not folder:
            return self
        return TreeIndex({path: kind for path, kind in self.kinds.items() if path.startswith(f"{folder}/")})

    def hides(self, path: str) -> bool:
        """Whether a path is none that could be meant without being named exactly: machinery, inside of environments."""
        return not MACHINERY.isdisjoint(path.split("/")) or any(path.startswith(f"{one}/") for one in self.environments)

    @cached_property
    def environments(self) -> tuple[str, ...]:
        """The folders that hold a virtual environment."""
        if self.base is not None:
            # Where one comes or goes, an index is made anew.
            return self.base.environments
        ends = f"/{_ENVIRONMENT}"
        return tuple(posixpath.dirname(path) for path in self.kinds if path == _ENVIRONMENT or path.endswith(ends))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All that may be meant without being named exactly, what lies higher first."""
        if self.base is not None:
            kept = (one for one in self.base.entries if one.path not in self.gone)
            return tuple(sorted((*kept, *self.added), key=lambda one: one.place)) if self.added else tuple(kept)
        every = [entry_of(path, kind) for path, kind in self.kinds.items()]
        hidden = {folder for folder in {one.folder for one in every} if folder and self.hides(f"{folder}/")}
        shown = [one for one in every if one.folder not in hidden and one.name not in MACHINERY]
        return tuple(sorted(shown, key=lambda one: one.place))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all that may be meant, each once, in their order."""
        return tuple(sorted({one.name for one in self.entries}))

    @cached_property
    def spaced(self) -> tuple[Entry, ...]:
        """What has a space in its path, the longest path first."""
        return tuple(sorted((one for one in self.entries if " " in one.path), key=lambda one: -len(one.path)))

    @cached_property
    def of_code(self) -> frozenset[str]:
        """The folders in which code lies, at any depth."""
        return _above(path for path in self.kinds if path.endswith(CODE))

    @cached_property
    def packages(self) -> frozenset[str]:
        """The folders in which a file of Python lies, at any depth."""
        return _above(path for path in self.kinds if path.endswith(".py"))

    def at(self, way: Way, key: object) -> Sequence[Entry]:
        """The entries that `way` files under this key, what lies higher first."""
        if self.base is None:
            return self._filed(way).get(key, ())
        found = tuple(one for one in self.base.at(way, key) if one.path not in self.gone)
        added = tuple(one for one in self.added for filed in way(one) if filed == key)
        return tuple(sorted((*found, *added), key=lambda one: one.place)) if added else found

    def said_with(self, word: str) -> frozenset[Entry]:
        """The entries of which one word is met by this one."""
        if self.base is None:
            if word not in self._said_with:
                said = (self.at(by_saying, theirs) for theirs in self._vocabulary.met_by(word))
                self._said_with[word] = frozenset(itertools.chain.from_iterable(said))
            return self._said_with[word]
        added = (one for one in self.added if any(meets(word, theirs) for theirs in (*one.own, *one.around)))
        kept = self.base.said_with(word)
        return frozenset((*(one for one in kept if one.path not in self.gone), *added))

    def spelt_like(self, stem: str, most: int) -> Iterator[Entry]:
        """The entries whose name without ending is at most so many slips from `stem`, and has the same numbers."""
        for theirs in (self.base or self)._stems_near(stem, most):
            yield from self.at(by_stem, theirs)
        if self.base is not None:
            yield from (one for one in self.added if distance(stem, one.stem, most) <= most)

    def _stems_near(self, stem: str, most: int) -> tuple[str, ...]:
        asked = stem, most
        if asked not in self._near:
            letters, length = letters_of(stem), len(stem)
            self._near[asked] = tuple(
                theirs
                for theirs, own in self._stems.get(tuple(_DIGITS.findall(stem)), ())
                if abs(len(theirs) - length) <= most
                and may_be_near(letters, own, most)
                and distance(stem, theirs, most) <= most
            )
        return self._near[asked]

    @cached_property
    def _stems(self) -> Mapping[tuple[str, ...], list[tuple[str, int]]]:
        found: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
        for stem in self._filed(by_stem):
            found[tuple(_DIGITS.findall(str(stem)))].append((str(stem), letters_of(str(stem))))
        return found

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(str(word) for word in self._filed(by_saying))

    def _filed(self, way: Way) -> Mapping[object, Sequence[Entry]]:
        """All entries by the keys that `way` files them under; worked out when it is first asked for."""
        if way not in self._ways:
            found: defaultdict[object, list[Entry]] = defaultdict(list)
            for entry in self.entries:
                for key in way(entry):
                    found[key].append(entry)
            self._ways[way] = found
        return self._ways[way]

    @cached_property
    def _ways(self) -> dict[Way, Mapping[object, Sequence[Entry]]]:
        return {}

    @cached_property
    def _said_with(self) -> dict[str, frozenset[Entry]]:
        return {}

    @cached_property
    def _near(self) -> dict[tuple[str, int], tuple[str, ...]]:
        return {}


def _above(paths: Iterable[str]) -> frozenset[str]:
    """All folders that these lie in; the root is none of them."""
    found: set[str] = set()
    for path in paths:
        while (path := posixpath.dirname(path)) and path not in found:
            found.add(path)
    return frozenset(found)
