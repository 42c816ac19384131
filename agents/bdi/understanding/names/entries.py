"""A file or folder of a workspace with all that its name says, worked out once."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from functools import lru_cache

from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.words.written_paths import parted

FILE, FOLDER = "file", "folder"
_PER_ENDING = {
    ending: tuple(words.split())
    for ending, words in {
        "py": "python script module code program",
        "md": "markdown page document text doc guide manual",
        "txt": "text document",
        "csv": "table spreadsheet sheet data list",
        "json": "data config configuration setting",
        "yaml": "yml config configuration setting",
        "yml": "yaml config configuration setting",
        "toml": "config configuration setting",
        "ini": "config configuration setting",
        "cfg": "config configuration setting",
        "conf": "config configuration setting",
        "jpg": "image photo picture",
        "jpeg": "image photo picture",
        "png": "image photo picture",
        "gif": "image picture",
        "tif": "image picture photo scan",
        "tiff": "image picture photo scan",
        "svg": "image picture drawing",
        "log": "protocol",
        "html": "page web website",
        "css": "style stylesheet sheet",
        "js": "javascript script",
        "ts": "typescript script",
        "sh": "shell script bash",
        "pdf": "document",
        "ipynb": "notebook jupyter",
        "sql": "database query",
        "bib": "bibliography reference",
    }.items()
}


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """What is at a path, and the words that say it.

    `stem` and `ending` are as people part a name (in small letters; a folder has no ending), `words` those of the stem.
    `own` are the words of the name without whatever stands behind its last dot, `behind`; `around` those of the folders
    it lies in and of its ending.
    """

    path: str
    kind: str
    folder: str
    name: str
    stem: str
    ending: str
    words: tuple[str, ...]
    own: tuple[str, ...]
    behind: str
    around: tuple[str, ...]

    @property
    def place(self) -> tuple[int, str]:
        """Where it stands among others: what lies higher comes first."""
        return self.path.count("/"), self.path


@lru_cache(maxsize=16_384)
def entry_of(path: str, kind: str) -> Entry:
    """The entry of this path and kind."""
    folder, name = posixpath.split(path)
    if kind == FOLDER:
        words = words_of(name)
        return Entry(path, kind, folder, name, name.casefold(), "", words, words, "", _words_of_folder(folder))
    stem, ending = parted(name)
    plain, dotted = posixpath.splitext(name)
    behind = dotted[1:].casefold()
    around = _words_of_folder(folder)
    if name.startswith("."):
        # `.env.example` is said by all its words.
        plain = name
    elif behind:
        around = (*around, behind, *_PER_ENDING.get(behind, ()))
    words = words_of(stem)
    own = words if plain == stem else words_of(plain)
    return Entry(path, kind, folder, name, stem.casefold(), ending.casefold(), words, own, behind, around)


@lru_cache(maxsize=4_096)
def _words_of_folder(folder: str) -> tuple[str, ...]:
    return words_of(folder)
