"""How likely one name is meant by another: its case, its ending, its spelling, usual short forms."""

from __future__ import annotations

import re
from functools import lru_cache

from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.words.spelling import distance
from agents.bdi.understanding.words.written_paths import has_ending, parted

_DIGITS = re.compile(r"\d+")


def folders_alike(said: str, there: str) -> float:
    if said.casefold() == there.casefold():
        return 1.0
    ours, theirs = said.casefold().split("/"), there.casefold().split("/")
    if theirs[-len(ours) :] == ours or (ours[-len(theirs) :] == theirs and there):
        return 0.97
    if len(ours) == len(theirs) and all(_slip(a, b) for a, b in zip(ours, theirs, strict=True)):
        return 0.93
    return 0.4 if set(ours) & set(theirs) else 0.0


def _slip(one: str, other: str) -> bool:
    longest = max(len(one), len(other))
    most = 0 if longest < 3 else 1 if longest < 7 else 2
    return distance(one, other, most) <= most


@lru_cache(maxsize=65_536)
def names_alike(said: str, there: str, *, is_folder: bool) -> tuple[float, str]:
    """How likely one name is meant by another."""
    if said == there:
        return 1.0, "it is there"
    if said.casefold() == there.casefold():
        return 0.98, "only the case differs"
    stem, ending = parted(said)
    there_stem, there_ending = (there, "") if is_folder else parted(there)
    if not ending and stem.casefold() == there_stem.casefold():
        return (0.96, "its ending was left out") if there_ending else (0.98, "only the case differs")
    if words_of(stem) == words_of(there_stem) and (ending.casefold() == there_ending.casefold() or not ending):
        return 0.94, "it is written otherwise"
    is_of_a_kind = _is_of_a_kind(ending.casefold(), there_ending.casefold())
    if stem.casefold() == there_stem.casefold() and not is_folder:
        # “Rules.txt” is no slip of Rules.pdf: another kind of file is another file.
        sure = 0.86 if is_of_a_kind else 0.7
        return sure, f"its ending is .{there_ending}" if there_ending else "it has no ending"
    slips = distance(stem.casefold(), there_stem.casefold(), 3)
    if _DIGITS.findall(stem) != _DIGITS.findall(there_stem):
        # Another number is another thing, never a slip.
        slips = 9
    allowed = _allowed_slips(stem)
    if slips <= allowed:
        if ending.casefold() == there_ending.casefold():
            return 0.93 - 0.03 * slips, "it is spelt otherwise"
        if not ending:
            return 0.9 - 0.03 * slips, "it is spelt otherwise"
        if is_of_a_kind:
            return 0.87 - 0.03 * slips, "it is spelt otherwise"
        return 0.72 - 0.03 * slips, "name and ending are spelt otherwise"
    if stem.casefold() == there_stem.casefold():
        return 0.8, "it is a folder of that name"
    ours, theirs = words_of(stem), words_of(there_stem)
    if not ending and (full := _abbreviated(ours, theirs, there_ending.casefold())):
        return full
    if not ending and ours and set(ours) <= set(theirs):
        return 0.6 + 0.25 * len(set(ours)) / len(set(theirs)), "its name says so"
    if not is_folder and ending and ending.casefold() == there_ending.casefold() and set(ours) & set(theirs):
        return 0.5, "a part of its name is the same"
    if slips <= most_slips(stem) and len(stem) >= _LONG:
        return 0.5, "it is spelt a little alike"
    return 0.0, ""


# A name of so many letters is alike with three slips, too, if only for people to choose from.
_LONG = 5


def _allowed_slips(stem: str) -> int:
    return 0 if len(stem) < 3 else 1 if len(stem) < 6 else 2 if len(stem) < 11 else 3


def most_slips(stem: str) -> int:
    """With more slips than these a name is not alike at all."""
    return 3 if len(stem) >= _LONG else _allowed_slips(stem)


# Endings that files of one kind have, so that people take one for the other.
_OF_A_KIND = (
    "txt text md markdown rst adoc org",
    "yaml yml json toml ini cfg conf",
    "jpg jpeg png gif webp tif tiff bmp",
    "htm html xhtml",
    "csv tsv",
    "js jsx ts tsx mjs cjs",
    "doc docx odt rtf",
    "xls xlsx ods",
    "ppt pptx odp",
    "c h cpp hpp cc",
    "sh bash zsh",
    "pem crt cer",
)


def _is_of_a_kind(one: str, other: str) -> bool:
    """Whether files with these endings are of one kind, or one ending is a slip of the other: `.mdd` of `.md`."""
    if not one or any(one in kind.split() and other in kind.split() for kind in _OF_A_KIND):
        return True
    # What is an ending itself is no slip of another: `.pdf` of `.pdb`.
    return not has_ending(f"x.{one}") and distance(one, other, 1) <= 1


# What folders and files are usually short for.
SHORT = {
    "source": "src", "sources": "src", "documentation": "docs", "documents": "docs", "document": "docs", "doc": "docs",
    "configuration": "config", "configs": "config", "utilities": "utils", "utility": "utils",
    "util": "utils", "database": "db", "temporary": "tmp", "temp": "tmp", "library": "lib", "libraries": "lib",
    "binaries": "bin", "testing": "tests", "test": "tests", "log": "logs", "script": "scripts", "package": "pkg",
    "image": "images", "example": "examples", "note": "notes", "tool": "tools", "template": "templates",
    "requirement": "requirements", "environment": "env", "picture": "images", "application": "app",
    "development": "dev", "production": "prod", "information": "info", "administration": "admin",
    "specification": "spec", "statistics": "stats", "references": "refs", "messages": "msgs",
    "setting": "settings", "backups": "backup", "asset": "assets",
}  # fmt: skip


def _abbreviated(ours: tuple[str, ...], theirs: tuple[str, ...], ending: str) -> tuple[float, str] | None:
    """Names by their usual short forms, and with the ending said as a word: “the error log” is error.log."""
    short = tuple(SHORT.get(word, word) for word in ours)
    if short == theirs or ours == tuple(SHORT.get(word, word) for word in theirs):
        return 0.9, "it is usually short for that"
    if ending and len(ours) > 1 and ours[-1] == ending and ours[:-1] == theirs:
        return 0.93, "its ending is said as a word"
    return None
