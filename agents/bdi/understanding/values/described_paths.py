"""Paths as values, by description: “the letter to the supervisor”, “the config file in docs”."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.understanding.names import components, descriptions, paths
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import ANY, FILE, FOLDER, Candidate, Found
from agents.bdi.understanding.names.tree_index import by_folder
from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.tokens import Token
from agents.toolkit.saying import Place

# With this confidence a plain word names something; with less it only resembles it.
EXACT = 0.93
_INDEFINITE = re.compile(r"\b(?:an?|another|some|any)\s+(?:\w+\s+)?\Z", re.IGNORECASE)
_FILE_IN = re.compile(
    r"\bthe\s+(?:only\s+|single\s+)?(?:file|document|script|page|image|picture|table|module)\s+"
    r"(?:in|inside|of|from|under|below|within)\s+(?:the\s+|my\s+|our\s+)?(?:folder\s+|directory\s+)?\Z",
    re.IGNORECASE,
)


def path_described(
    described: Sequence[Token], rest: list[Token], words: Sequence[Token], asked: Asked, place: Place, wanted: str
) -> tuple[Filled | None, list[Token]]:
    """Something that is there, by what it is called or what it is: “the settings file”, “the letter to my boss”."""
    said = " ".join(one.value for one in described)
    if wanted == FILE and len(described) == 1 and (inside := file_inside(described[0], asked)) is not None:
        return inside, rest
    found, left = _called(described, asked, wanted)
    if found.confidence < EXACT or found.value is None:
        heads = [one.text for one in words if one not in described and one.text not in ARTICLES]
        fitting = descriptions.described([one.value for one in described], heads, asked.tree, wanted)
        is_verb = len(described) == 1 and asked.is_verb(described[0])
        if fitting.value is not None and not (is_verb and fitting.confidence < 0.9):
            found, left = fitting, []
        elif fitting.choices and (found.value is None or (len(fitting.choices) > 1 and found.confidence < 0.9)):
            # Several fit as well: a name that is spelt a little alike is no better than they are.
            found, left = fitting, []
    if len(described) == 1 and (other := _called_so_rather(described[0], found)):
        both = (Candidate(str(found.value), 0.5, found.why), Candidate(other, 0.5, "its name says so"))
        found = Found(None, 0.5, f"“{described[0].value}” may be 2 of them", both)
    is_one_of_many = len(found.choices) > 1 and not place.code
    if found.value is None and not is_one_of_many and (place.code or wanted in (FILE, ANY)):
        named = [one.value for one in words if one in described or one.text in components.KINDS]
        located = components.locate(named, asked.tree)
        if located.value is not None and paths.fits(asked.tree.kind(located.value), wanted):
            found, left = located, []
        elif located.choices and not found.choices:
            found = replace(located, value=None)
    span = (described[0].start, described[-1].end)
    if found.value is None:
        # Where several things fit it is rather asked which of them.
        penalty = 0.2 if len(found.choices) > 1 else 0.3
        return Filled(None, span, said, problem=found.why, choices=found.choices, penalty=penalty), rest
    if place.careful and found.confidence < EXACT:
        # What cannot be taken back is not done on a guess at a plain word.
        choices = found.choices or (Candidate(found.value, found.confidence, found.why),)
        return Filled(
            None, span, said, found.confidence, problem=f"“{said}” may be {found.value}", choices=choices
        ), rest
    changed = found.value != said
    # “A mail” is none of those that are there.
    penalty = 0.8 if _INDEFINITE.search(asked.raw[max(0, span[0] - 24) : span[0]]) else 0.1
    filled = Filled(
        found.value, span, said if changed else None, found.confidence, found.why if changed else "", penalty=penalty
    )
    return filled, [*rest, *left]


def _called_so_rather(word: Token, found: Found) -> str:
    """“Read customers”, found as customer.py, where a customers_2025.csv is: the one whose name has the very word."""
    if found.value is None or found.confidence >= EXACT or word.text in words_of(found.value):
        return ""
    return next(
        (one.path for one in found.choices if word.text in words_of(posixpath.basename(one.path))),
        "",
    )


def _is_one_of_many(described: Sequence[Token], path: str, asked: Asked) -> bool:
    """Whether one thing is said and the folder has the name of many: “the invoice” is none of “invoices”."""
    names = words_of(posixpath.basename(path)) or ("",)
    name = names[-1]
    said = described[-1].text
    if asked.tree.kind(path) != FOLDER or len(described) > len(names) or said == name or singular(name) != said:
        return False
    return not any(
        head in asked.raw[described[-1].end : described[-1].end + 12].casefold() for head in ("folder", "dir")
    )


def _called(described: Sequence[Token], asked: Asked, wanted: str) -> tuple[Found, list[Token]]:
    """What is there by that name, and the words that are no part of it."""
    tries: list[tuple[str, list[Token]]] = [("_".join(one.value for one in described), [])]
    if len(described) > 1:
        tries += [
            (one.value, [other for other in described if other is not one])
            for one in described
            if asked.tree.kind(one.value)
        ]
    best: Found | None = None
    for text, left in tries:
        found = paths.find(text, asked.tree, wanted, tool=asked.tool, parameter=asked.parameter)
        if found.value is not None and "spelt" in found.why and len(described) == 1 and asked.is_verb(described[0]):
            # “Show” is no slip of the folder “shop”.
            found = replace(found, value=None, why=f"“{described[0].value}” names nothing that is here")
        if found.value is not None and _is_one_of_many(described, found.value, asked):
            found = replace(found, value=None, confidence=0.5, why=f"“{described[-1].value}” is no folder here")
        if found.value is not None:
            return found, left
        best = best if best and best.choices else found
    return best or Found(None), []


def file_inside(token: Token, asked: Asked) -> Filled | None:
    """“The file in logs”: the only one that lies there."""
    if not _FILE_IN.search(asked.raw[max(0, token.start - 60) : token.start]):
        return None
    folder = paths.find(token.value, asked.tree, FOLDER, tool=asked.tool, parameter=asked.parameter)
    if folder.value is None or folder.confidence < EXACT:
        return None
    full = asked.tree.full(folder.value)
    inside = asked.tree.index.at(by_folder, full)
    if len(inside) != 1 or inside[0].kind != FILE:
        return None
    why = f"it is the only file in {folder.value}"
    return Filled(asked.tree.said(inside[0].path), (token.start, token.end), token.value, 0.9, why, literals=1)
