"""Paths as values: named exactly, in passing, by description, or by “it”."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.understanding.names import components, paths
from agents.bdi.understanding.names.paths import ANY, FILE, FOLDER, NEW, Candidate
from agents.bdi.understanding.values.described_paths import EXACT, file_inside, path_described
from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.words import written_paths
from agents.bdi.understanding.words.filler import ARTICLES, IDLE
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS, IT, LINKING, NAMING, WHOLE
from agents.bdi.understanding.words.spelling import nearest
from agents.bdi.understanding.words.tokens import NUMBER, PATH, PLACEHOLDER, QUOTED, WORD, Token
from agents.toolkit.saying import Place

_HERE = frozenset(
    "here everything workspace project repo repository root codebase current folder code all stuff system".split()
)


def path_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    place = asked.place or Place(NEW)
    # A phrase that names what is here is no name of a new folder.
    taken = [one for one in tokens if one.said and place.makes == "folder"]
    literal = next((one for one in tokens if one.kind in (PATH, QUOTED, PLACEHOLDER) and one not in taken), None)
    # “Scripts” is a name and no kind of thing where a folder is called so.
    heads = {one.text for one in tokens if one.kind == WORD and not asked.tree.kind(one.value)}
    calls_folder, calls_file = bool(heads & FOLDER_HEADS), bool(heads & FILE_HEADS)
    wanted = place.wanted
    if wanted == ANY and calls_folder != calls_file:
        wanted = FOLDER if calls_folder else FILE
    if literal is not None:
        rest = [one for one in tokens if one is not literal and not _is_head(one)]
        if (spaced := _with_spaces(literal, tokens, asked, wanted)) is not None:
            return spaced
        return replace(_resolved(literal, asked, place, wanted), is_folder=calls_folder), rest
    words = [one for one in tokens if one.kind in (WORD, NUMBER)]
    described = [one for one in words if _says_something(one, asked)] or _named_as_its_kind(words, asked)
    if described and place.wanted != NEW and asked.shape != "newname":
        described = _with_words_around(described, words, asked, wanted)
    known = set(described)
    rest = [one for one in tokens if one not in known and not _is_head(one)]
    if not described and place.wanted == NEW:
        described = [one for one in tokens if _is_name_after_all(one, tokens, asked)][:1]
    if not described:
        return _unnamed(words, tokens, asked, place)
    if place.wanted == NEW or asked.shape == "newname":
        return _new_name(described, tokens, asked, place, calls_folder)
    filled, left = path_described(described, rest, words, asked, place, wanted)
    if filled is not None and _is_one_file(filled, asked) and _says_several(words, described, asked):
        return _of_several(filled, left, (described, rest, words), asked, place)
    return filled, left


# “The config files” are several, and none of them is config.py alone.
_SEVERAL = frozenset({"files", "documents", "scripts", "modules"})


def _says_several(words: Sequence[Token], described: Sequence[Token], asked: Asked) -> bool:
    """“The config files”, “the files of config”; not “the files a and b”, which are named one by one."""
    first, last = described[0], described[-1]
    before = asked.raw[max(0, first.start - 16) : first.start].split()[-2:]
    return any(one.text in _SEVERAL and one.start > last.start for one in words) or (
        len(before) == 2 and before[0].casefold() in _SEVERAL and before[1] in ("of", "in", "from")
    )


def _is_one_file(filled: Filled, asked: Asked) -> bool:
    return filled.original is not None and asked.tree.kind(str(filled.value)) == FILE


def _of_several(
    one: Filled,
    left: list[Token],
    said: tuple[Sequence[Token], list[Token], Sequence[Token]],
    asked: Asked,
    place: Place,
) -> tuple[Filled | None, list[Token]]:
    """The folder that they lie in, where that is called so and nothing in it is changed; else it is asked which."""
    described, rest, words = said
    if place.wanted == ANY and not place.goes and not asked.about & {"copy"}:
        filled, others = path_described(described, rest, words, asked, place, FOLDER)
        if filled is not None and filled.value is not None:
            return filled, others
    text = " ".join(token.value for token in described)
    problem = f"“{text}” may be several files"
    choices = one.choices or (Candidate(str(one.value), one.confidence, one.why),)
    return replace(one, value=None, original=text, problem=problem, choices=choices), left


def _with_words_around(described: list[Token], words: Sequence[Token], asked: Asked, wanted: str) -> list[Token]:
    """“The project plan”, “yields 2023”: with a word that says nothing by itself, or a year, it is a name here."""
    is_year = any(one.kind == NUMBER and len(one.value) > 3 for one in words)
    known = set(described)
    more = [
        one
        for one in words
        if one in known
        or one.text in WHOLE
        or (one.kind == NUMBER and len(one.value) > 3)
        # “The annual report 2025”: what says a kind is a part of a name that ends in a year.
        or (is_year and one.text in FILE_HEADS and one.start > described[0].start)
    ]
    if len(more) == len(described) or "".join(asked.raw[one.end : one.end + 1].strip() for one in more[:-1]):
        return described
    found = paths.find("_".join(one.value for one in more), asked.tree, wanted)
    return more if found.value is not None and found.confidence >= 0.9 else described


_FOR = re.compile(
    r"\b(?:for|with|containing|about|(?<!name )(?<!end )(?<!bottom )(?<!content )(?<!contents )(?<!text )of)\s+"
    r"(?:(?:the|this|my|our|a|an|all|some|your|his|her|their)\s+)*\Z",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:named?|called|titled?)\s+\Z", re.IGNORECASE)


def _with_spaces(
    literal: Token, tokens: Sequence[Token], asked: Asked, wanted: str
) -> tuple[Filled, list[Token]] | None:
    """A name that is written with spaces, “project plan.md”, where its last word alone is nothing that is here."""
    at = next(number for number, one in enumerate(tokens) if one is literal)
    if literal.kind != PATH or "/" in literal.value or wanted == NEW or not at or asked.tree.kind(literal.value):
        return None
    for begin in range(max(0, at - 3), at):
        words = tokens[begin : at + 1]
        if any(one.kind != WORD or _is_head(one) for one in words[:-1]) or words[0].text in ARTICLES:
            continue
        found = paths.find("_".join(one.value for one in words), asked.tree, wanted)
        if found.value is not None and found.confidence >= 0.9:
            span = (words[0].start, literal.end)
            said = asked.raw[span[0] : span[1]]
            rest = [one for one in tokens if one not in words and not _is_head(one)]
            return Filled(found.value, span, said, found.confidence, found.why, literals=1), rest
    return None


_ENVIRONMENTS = frozenset({"environment", "virtualenv", "venv", "env"})


def _named_as_its_kind(words: Sequence[Token], asked: Asked) -> list[Token]:
    """“The venv env”, “the env environment”: of two nouns in a row that say what it is, one is its name."""
    for one, two in itertools.pairwise(words):
        nouns = {one.text, two.text} <= _ENVIRONMENTS & asked.about
        if nouns and not asked.raw[one.end : two.start].strip():
            return [one if len(two.text) > len(one.text) else two]
    # “The folder script”: of two nouns that say a kind, the other is what it is called.
    if any(one.text in FOLDER_HEADS for one in words):
        kinds = [one for one in words if one.kind == WORD and one.text in FILE_HEADS]
        if len(kinds) == 1 and paths.find(kinds[0].value, asked.tree, FOLDER).confidence >= 0.85:
            return kinds
    return []


def _is_name_after_all(token: Token, tokens: Sequence[Token], asked: Asked) -> bool:
    """An article of a list (“a, b and c”), a year, or any word behind “called”."""
    behind = asked.raw[token.end : token.end + 4]
    if token.kind == NUMBER:
        of_folder = asked.place is not None and asked.place.makes == "folder"
        return of_folder and len(token.value) > 2 and not any(one is not token and one.kind == NUMBER for one in tokens)
    if token.kind != WORD or token.text in IT:
        return False
    is_named = bool(_NAMED.search(asked.raw[max(0, token.start - 24) : token.start]))
    return is_named or (len(tokens) == 1 and token.text in ("a", "i") and behind.lstrip()[:1] == ",")


def _is_head(token: Token) -> bool:
    return token.kind == WORD and token.text in FILE_HEADS | FOLDER_HEADS | NAMING


def _says_something(token: Token, asked: Asked) -> bool:
    if token.kind == NUMBER:
        return False
    if asked.place is not None and asked.place.wanted == NEW and not asked.place.into:
        # “A folder for this project” does not say what it is called.
        before = asked.raw[max(0, token.start - 24) : token.start]
        if _FOR.search(before) or (token.text in WHOLE and not _NAMED.search(before)):
            return False
    if (
        token.text in WHOLE
        and not asked.tree.kind(token.value)
        and asked.place is not None
        and asked.place.wanted != NEW
    ):
        return False
    if token.text in ARTICLES or token.text in LINKING or (token.text == "only" and not asked.tree.kind("only")):
        return False
    if _is_folder_of(token, asked):
        return True
    if asked.tree.kind(token.value) or (
        (token.text not in IDLE or _is_capital(token, asked))
        and token.text not in asked.about | FILE_HEADS | FOLDER_HEADS
    ):
        if token.kind == WORD and len(token.text) > 5 and nearest(token.text, asked.about):
            # “A virtuaenv” is a slip of what is to be made, and not its name.
            return bool(asked.tree.kind(token.value))
        return token.text not in IT and (token.text not in NAMING or bool(asked.tree.kind(token.value)))
    return False


def _is_folder_of(token: Token, asked: Asked) -> bool:
    """“Below doc”, where the folder is called docs: there it is a name, and says no kind of thing."""
    wants = asked.place is not None and asked.place.wanted == FOLDER
    return wants and token.text in FILE_HEADS and asked.tree.kind(f"{token.value}s") == FOLDER


def _is_capital(token: Token, asked: Asked) -> bool:
    """“A new file VERSION”: what is to be made may be called by a word that else carries nothing."""
    is_new = asked.place is not None and asked.place.wanted == NEW
    return is_new and len(token.value) > 3 and token.value.isupper()


def _resolved(token: Token, asked: Asked, place: Place, wanted: str) -> Filled:
    span = (token.start, token.end)
    if asked.shape == "newname":
        return Filled(written_paths.cleaned(token.value), span, literals=1)
    found = paths.find(token.value, asked.tree, wanted, tool=asked.tool, parameter=asked.parameter)
    if wanted == NEW and place.into and " " in token.value and not asked.tree.kind(token.value):
        # “To old files”: the folder of that name, wherever it lies, and no new name.
        folder = paths.find(token.value, asked.tree, FOLDER, tool=asked.tool, parameter=asked.parameter)
        if folder.value is None and folder.choices:
            problem = f"“{token.value}” may be {len(folder.choices)} folders"
            return Filled(None, span, token.value, 0.5, problem=problem, choices=folder.choices, literals=1)
        found = folder if folder.value is not None and folder.confidence >= 0.9 else found
    if found.value is None and place.code and token.kind == QUOTED:
        located = components.locate(token.value.split(), asked.tree)
        found = located if located.value is not None else found
    if found.value is None:
        if wanted == FILE and (inside := file_inside(token, asked)) is not None:
            return inside
        if wanted not in (ANY, NEW):
            other = paths.find(token.value, asked.tree, ANY, tool=asked.tool, parameter=asked.parameter)
            if other.value is not None:
                what = {FILE: "file", FOLDER: "folder"}[wanted]
                problem = f"“{token.value}” is no {what}"
                return Filled(
                    None, span, token.value, 0.2, problem=problem, choices=found.choices, literals=1, penalty=0.5
                )
        return Filled(None, span, token.value, found.confidence, problem=found.why, choices=found.choices, literals=1)
    if token.said:
        return _mentioned(token, asked, place, found.value)
    trailing = token.value.rstrip().endswith(("/", "\\")) and found.value not in (".", "..")
    changed = found.value != token.value
    return Filled(
        found.value + ("/" if trailing and place.into else ""),
        span,
        token.value if changed else None,
        found.confidence,
        found.why if changed else "",
        literals=1,
    )


def _mentioned(token: Token, asked: Asked, place: Place, path: str) -> Filled:
    """What a phrase names; what cannot be taken back is not done where a word of it was only met otherwise spelt."""
    span, why = (token.start, token.end), "its name says so"
    if place.careful and token.sure < EXACT:
        choices = (Candidate(path, token.sure, why),)
        return Filled(None, span, token.said, token.sure, problem=f"“{token.said}” may be {path}", choices=choices)
    return Filled(path, span, token.said, round(0.95 * token.sure, 3), why, literals=1)


def _unnamed(
    words: Sequence[Token], tokens: Sequence[Token], asked: Asked, place: Place
) -> tuple[Filled | None, list[Token]]:
    """No name: what was spoken of before, or the current folder where that can be meant."""
    spoken = {one.text for one in words}
    here = spoken & _HERE
    first = next((one for one in words if one.text in IT | _HERE), None)
    span = (first.start, first.end) if first else None
    if asked.last and spoken & IT:
        folder = place.wanted == FOLDER or ("there" in spoken and place.wanted != FILE)
        if folder or place.wanted == NEW:
            known = [path for path in asked.last if asked.tree.kind(path) == FOLDER] or [
                path
                for path in asked.last
                if place.wanted != FOLDER or not (asked.tree.kind(path) or written_paths.has_ending(path))
            ]
        else:
            known = [
                path
                for path in asked.last
                if paths.fits(asked.tree.kind(path), place.wanted) or not asked.tree.kind(path)
            ]
        if spoken & {"original", "former", "source"}:
            # What was there before a copy was made of it is named before it.
            known = known[-2:-1]
        if known:
            value = known[-1]
            filled = Filled(
                value,
                span,
                " ".join(one.value for one in words),
                0.9,
                f"“{first.value if first else 'it'}” is {value}",
                is_folder="there" in spoken,
            )
            return filled, []
    if place.code and not spoken & {"current", "here", "this"}:
        # Where no code is named, all of it is meant anyway.
        return None, list(tokens)
    if (
        "current" in spoken
        or "here" in spoken
        or (here and not place.goes and place.wanted in (FOLDER, ANY) and here - {"folder", "code", "all"})
    ):
        return Filled(".", span, confidence=0.9), [one for one in tokens if one.text not in _HERE]
    return None, list(tokens)


def _new_name(
    described: Sequence[Token], tokens: Sequence[Token], asked: Asked, place: Place, calls_folder: bool
) -> tuple[Filled | None, list[Token]]:
    """The name of something new: one word; more of them are a description that names nothing."""
    token = described[0]
    tokens = [one for one in tokens if not _is_head(one)]
    if place.makes in ("file", "same") and asked.shape != "newname":
        definite = next((one for one in tokens if one.end <= token.start and one.text in ("the", "my", "our")), None)
        there = asked.tree.kind(token.value) or (place.into and _lies_here(described, asked))
        if definite is not None and not there:
            # “The note” names something that ought to be there, and no file of that name is.
            said = " ".join(one.value for one in described)
            problem = f"there is no file “{said}”"
            rest = [one for one in tokens if one not in described]
            return Filled(None, (token.start, described[-1].end), said, 0.2, problem=problem, penalty=0.4), rest
    if place.into and asked.shape != "newname":
        joined = "_".join(one.value for one in described)
        found = paths.find(joined, asked.tree, FOLDER, tool=asked.tool, parameter=asked.parameter)
        if found.value is not None and found.confidence >= (0.85 if calls_folder else 0.9):
            span = (token.start, described[-1].end)
            changed = found.value != token.value
            filled = Filled(
                found.value,
                span,
                joined if changed else None,
                found.confidence,
                found.why if changed else "",
                is_folder=True,
            )
            return filled, [one for one in tokens if one not in described]
    if asked.shape == "newname":
        value, confidence, why = token.value, 1.0, ""
    else:
        found = paths.find(token.value, asked.tree, NEW, tool=asked.tool, parameter=asked.parameter)
        if found.value is None:
            return Filled(None, (token.start, token.end), token.value, problem=found.why), [
                one for one in tokens if one is not token
            ]
        value, confidence, why = found.value, found.confidence, found.why
    changed = value != token.value
    is_named = bool(_NAMED.search(asked.raw[max(0, token.start - 24) : token.start]))
    filled = Filled(
        value,
        (token.start, token.end),
        token.value if changed else None,
        confidence,
        why if changed else "",
        # “A branch with …” is no file called branch.
        # “Mkdir docs” as it is typed names one.
        penalty=0.6 if asked.is_key(token.text) and not is_named and len(tokens) > 1 else 0.0,
        is_folder=calls_folder,
    )
    return filled, [one for one in tokens if one is not token]


def _lies_here(described: Sequence[Token], asked: Asked) -> bool:
    said = "_".join(one.value for one in described)
    return paths.find(said, asked.tree, ANY, tool=asked.tool, parameter=asked.parameter).value is not None
