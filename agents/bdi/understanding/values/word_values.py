"""Names and patterns as values: the one word that matters."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import FILE, FOLDER, Candidate
from agents.bdi.understanding.names.tree_index import by_folder
from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.values.kinds_of_values import without_its_head
from agents.bdi.understanding.values.text_values import LITTLE
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS, IT, TYPES, type_of
from agents.bdi.understanding.words.spelling import nearest
from agents.bdi.understanding.words.tokens import DATA, NUMBER, PATH, PLACEHOLDER, QUOTED, URL, WORD, Token, number_of

_FOR_THE = re.compile(r"\bfor\s+(?:the|this|my|our|a|an|all|some|your|his|her|their)\s+\Z", re.IGNORECASE)
# So much of something is nobody's name.
_AMOUNTS = frozenset(
    {"more", "less", "much", "many", "most", "least", "few", "fewer", "another", "else", "something", "anything"}
)
# Between an article and what it is, these tell how it is to be: “a separate branch”.
_HOW_IT_IS = frozenset("separate fresh extra own different temporary additional further private proper local".split())
# “Is the program running?” does not say which.
_STATES = frozenset({"running", "run", "runs", "alive", "up", "down", "active"})
_NO_NAMES = frozenset(
    """
please me for to all every everything any each both now today here there too also again first then next just soon
quickly immediately right away already later down
    """.split()
)


def pattern_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    for token in tokens:
        if token.said:
            # What a phrase names is looked for by its own name: a pattern holds no folder.
            value, why = _part_of(posixpath.basename(token.value), words_of(token.said)), "its name says so"
            rest = [one for one in tokens if one is not token]
            return Filled(value, (token.start, token.end), token.said, 0.93, why, literals=1), rest
        if token.kind in (QUOTED, PATH, PLACEHOLDER):
            value = _as_it_is_written(token, asked)
            if re.fullmatch(r"\.\w{1,6}", value):
                made = f"*{value}"
                return Filled(
                    made, (token.start, token.end), value, 0.95, "an ending stands for all that end so", literals=1
                ), [one for one in tokens if one is not token]
            # A quoted word without a star or an ending is rather a text that is looked for.
            penalty = 0.4 if token.kind == QUOTED and not set(value) & set("*?.[") else 0.0
            rest = [one for one in tokens if one is not token]
            return Filled(value, (token.start, token.end), literals=1, penalty=penalty), rest
    for token in tokens:
        if made := _kind_here(token, asked):
            rest = without_its_head(tokens, token)
            why = "files of this kind end so"
            return Filled(made, (token.start, token.end), token.value, 0.93, why, literals=1), rest
    for token in tokens:
        is_type = token.kind == WORD and type_of(token.text) and asked.tree.kind(token.value) != FOLDER
        # “With rota in the text” looks for no text files.
        behind_the = asked.raw[max(0, token.start - 4) : token.start].casefold().endswith("the ")
        is_type = is_type and not (behind_the and token.text == "text")
        if is_type and (token.text not in ("text", "log", "logs") or len(tokens) < 3):
            made = type_of(token.text)
            rest = without_its_head(tokens, token)
            return Filled(
                made, (token.start, token.end), token.value, 0.93, "files of this kind end so", literals=1
            ), rest
    it = next((one for one in tokens if one.kind == WORD and one.text in IT), None)
    if it is not None and asked.last:
        name = posixpath.basename(asked.last[-1])
        rest = [one for one in tokens if one is not it]
        return Filled(name, (it.start, it.end), it.value, 0.9, f"“{it.value}” is {name}"), rest
    words = [
        one
        for one in tokens
        if one.kind in (WORD, NUMBER)
        and one.text not in IDLE | DOUBT | asked.about
        and number_of(one) is None
        and asked.tree.kind(one.value) != FOLDER
    ]
    if words and (named := _named_so(words, tokens, asked)) is not None:
        return named, [one for one in tokens if one not in words]
    if len(words) == 1:
        # “The mistake” is nothing that a file is called.
        told_of = any(one.text in ("the", "a", "an", "my", "our") for one in tokens if one.end <= words[0].start)
        penalty = 0.7 if told_of else 0.25
        return Filled(words[0].value, (words[0].start, words[0].end), confidence=0.85, penalty=penalty), [
            one for one in tokens if one is not words[0]
        ]
    return None, list(tokens)


def _named_so(words: Sequence[Token], tokens: Sequence[Token], asked: Asked) -> Filled | None:
    """“(Where is) the rota”: by the name that is there, or by the part of names that these words are."""
    at = next(number for number, one in enumerate(tokens) if one is words[0])
    is_known = at > 0 and tokens[at - 1].text in _KNOWN
    if not is_known or list(tokens[at : at + len(words)]) != list(words) or len(words) > _MOST_WORDS:
        return None
    said = [part for one in words for part in words_of(one.value)]
    exact, part = set(), set()
    if not said:
        return None
    whole = re.compile(r"[\W_]*".join(map(re.escape, said)), re.IGNORECASE)
    for entry in asked.tree.index.entries:
        name = entry.name
        stem = posixpath.splitext(name)[0] if entry.kind == FILE else name
        if words_of(stem) == tuple(said):
            exact.add(name)
        elif (found := whole.search(name)) is not None:
            part.add(f"*{found[0]}*")
    meant = exact or part
    if len(meant) != 1:
        return None
    span = (words[0].start, words[-1].end)
    return Filled(meant.pop(), span, asked.raw[span[0] : span[1]], 0.92, "a name here says so", penalty=0.1)


def _part_of(name: str, said: Sequence[str]) -> str:
    """The pattern of the part of a name that these words are; the name itself where they are all of it, or none."""
    found = re.search(r"[\W_]*".join(map(re.escape, said)), name, re.IGNORECASE)
    return name if found is None or words_of(posixpath.splitext(name)[0]) == tuple(said) else f"*{found[0]}*"


_KNOWN, _MOST_WORDS = frozenset({"the", "my", "our", "his", "her", "their", "this", "that"}), 4


def _as_it_is_written(token: Token, asked: Asked) -> str:
    """A part of a name with the capitals that the names here have: patterns tell them apart. What was typed stays."""
    value = token.value
    inner = value.strip("*")
    if value == inner or "*" in asked.raw[token.start : token.end] or not inner:
        return value
    names = (posixpath.basename(path) for path in asked.tree.visible)
    found = {name[at : at + len(inner)] for name in names if (at := name.casefold().find(inner.casefold())) >= 0}
    return value.replace(inner, found.pop()) if len(found) == 1 else value


_FILES = re.compile(r"\s+files?\b", re.IGNORECASE)


def _kind_here(token: Token, asked: Asked) -> str:
    """“Tif files”: an ending that files here have, though nobody listed it."""
    if token.kind != WORD or token.text in TYPES or len(token.text) > 5 or not _FILES.match(asked.raw, token.end):
        return ""
    ending = "." + token.text
    return "*" + ending if any(path.casefold().endswith(ending) for path in asked.tree.visible) else ""


def word_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """One name: what is quoted, else the one word that is no noun of the command and no filler."""
    if any(one.said for one in tokens) and not (asked.place is not None and asked.place.wanted == "note"):
        # A phrase that names a file is the name of nothing else.
        return None, list(tokens)
    if asked.place is not None and asked.place.wanted == "note" and (there := _note_in_words(tokens, asked)):
        return there
    literal = next((one for one in tokens if one.kind in (QUOTED, DATA)), None)
    if literal is None:
        literal = next((one for one in tokens if one.kind in (PATH, NUMBER, URL)), None)
    words = [
        one
        for one in tokens
        if one.kind == WORD
        and one.text not in asked.about
        and one.text not in IDLE
        and one.text not in _AMOUNTS
        and not (one.text in _HOW_IT_IS and asked.is_loose)
        # “A branch for the fix” says what it is for, and not what it is called.
        and not (asked.is_loose and _FOR_THE.search(asked.raw[max(0, one.start - 16) : one.start]))
    ]
    token = literal or (words[0] if words else None)
    if token is None and asked.shape == "word":
        # A name may be an ordinary word where nothing else stands: "the branch new".
        spoken = [
            one for one in tokens if one.kind == WORD and one.text not in ARTICLES and one.text not in asked.about
        ]
        if spoken and any(one.start > spoken[0].end and one.text in asked.about for one in tokens):
            # “A new branch” names none.
            spoken = []
        token = spoken[0] if len(spoken) == 1 and spoken[0].text not in IT | _NO_NAMES | LITTLE else None
    if token is None and asked.before:
        it = next((one for one in tokens if one.text in IT | {"its"}), None)
        if it is not None:
            filled = Filled(asked.before, (it.start, it.end), it.value, 0.92, f"“{it.value}” is {asked.before}")
            return filled, [one for one in tokens if one is not it]
    if token is None:
        return None, list(tokens)
    rest = [one for one in tokens if one is not token]
    if asked.place is not None and asked.place.wanted == "note":
        return _note(token, asked), rest
    # “Close the file”, “stop talking”: what things are, and what people do, is rarely what something is called.
    is_common = literal is None and (
        token.text in FILE_HEADS | FOLDER_HEADS | _STATES or (token.text.endswith("ing") and len(tokens) == 1)
    )
    return Filled(token.value, (token.start, token.end), literals=1 if literal else 0, penalty=0.8 * is_common), rest


def _notes(asked: Asked) -> tuple[str, ...]:
    """The names of the notes that are there."""
    folder = asked.tree.full("notes")
    there = asked.tree.index.at(by_folder, folder)
    return tuple(entry.name.removesuffix(".md") for entry in there if entry.name.endswith(".md"))


def _note_in_words(tokens: Sequence[Token], asked: Asked) -> tuple[Filled, list[Token]] | None:
    """A note whose name is said in several words: “the note tax office”."""
    for name in _notes(asked):
        words = words_of(name)
        for at in range(len(tokens) - len(words) + 1 if len(words) > 1 else 0):
            said = tokens[at : at + len(words)]
            if tuple(one.text for one in said) == words:
                span = (said[0].start, said[-1].end)
                original = asked.raw[span[0] : span[1]]
                filled = Filled(
                    name, span, None if original == name else original, 0.95, "a note of that name is there"
                )
                return filled, [one for one in tokens if one not in said]
    return None


def _note(token: Token, asked: Asked) -> Filled:
    """The name of a note, as one that is there where it is near one."""
    span = (token.start, token.end)
    known = _notes(asked)
    said = token.value.removesuffix(".md").removeprefix("notes/")
    if token.kind == PATH and asked.tree.kind(token.value) and posixpath.dirname(token.value) != "notes":
        return Filled(None, span, token.value, 0.2, problem=f"“{token.value}” is a file, and no note", penalty=0.6)
    # What is there would be replaced: rather it is one that is added to.
    penalty = 0.35 if asked.place is not None and asked.place.careful else 0.0
    if said in known:
        return Filled(said, span, token.value if said != token.value else None, literals=1, penalty=penalty)
    by_case = {name.casefold(): name for name in known}
    near = by_case.get(said.casefold()) or by_case.get(nearest(said.casefold(), by_case))
    if near:
        return Filled(near, span, token.value, 0.9, "a note of that name is there", literals=1, penalty=penalty)
    if known and asked.place is not None and not asked.place.makes:
        choices = tuple(Candidate(name, 0.5, "there is a note of that name") for name in sorted(known))[:6]
        return Filled(None, span, token.value, 0.3, problem=f"there is no note “{said}”", choices=choices)
    return Filled(said, span)
