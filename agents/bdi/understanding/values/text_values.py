"""A person's own texts as values: quoted, or everything in that place."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.words import written_paths
from agents.bdi.understanding.words.filler import IDLE
from agents.bdi.understanding.words.naming_words import FILE_HEADS, FOLDER_HEADS, IT, type_of
from agents.bdi.understanding.words.tokens import DATA, FLAG, PATH, PLACEHOLDER, QUOTED, SIGN, WORD, Token
from agents.toolkit.wording.words import line_breaks

LITTLE = frozenset("in on at to of as from with into under inside by for and or then via onto".split())

_TOLD_OF = frozenset(
    "what whatever a an the my our some this that these those your its their all every each any both".split()
)
_LEAVING_OUT = frozenset({"except", "excluding", "besides", "but", "unless", "without", "outside", "apart"})
_KINDS = frozenset({"files", "folders", "directories", "scripts", "documents"})
_NO_TEXT = frozenset({"something", "anything", "nothing", "everything", "stuff", "things", "whatever"})


_OF_TEXTS = frozenset(
    {"text", "content", "contents", "words", "word", "line", "sentence", "message", "body", "following"}
)


def text_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """Quoted text as it is; else everything that stands there, word for word."""
    kept = without_ends(tokens)
    if not kept:
        return None, list(tokens)
    kept, inside = _without_in_it(_without_flags(kept, asked), asked.raw)
    if _is_code(kept):
        span = (kept[0].start, kept[-1].end)
        return Filled(asked.raw[span[0] : span[1]], span, literals=1), inside
    tokens = [one for one in tokens if one not in inside] if inside else tokens
    filled, rest = _text_value(tokens, kept, asked)
    return filled, [*rest, *inside]


def _without_in_it(kept: list[Token], raw: str) -> tuple[list[Token], list[Token]]:
    """“With 3.12 in it” says where the text goes, and no more of the text."""
    texts = [one.text for one in kept]
    length = 1 if texts[-1:] == ["inside"] else 2 if texts[-2:] in _IN_IT else 0
    if not length or len(kept) <= length or not _WITH.search(raw[max(0, kept[0].start - 32) : kept[0].start]):
        return kept, []
    return kept[:-length], kept[-length:]


# Typed as at a terminal, these say what is done anyway: in all folders, with the numbers of the lines.
_DONE_ANYWAY = frozenset({"-r", "-n", "-rn", "-nr", "-hn", "-nh", "-rhn", "--recursive", "--line-number"})


def _without_flags(kept: list[Token], asked: Asked) -> list[Token]:
    while asked.is_loose and len(kept) > 1 and kept[0].kind == FLAG and kept[0].text in _DONE_ANYWAY:
        kept = kept[1:]
    return kept


_IN_IT = (["in", "it"], ["inside", "it"], ["in", "them"])
_WITH = re.compile(
    r"\b(?:with|have|has|having|write|put)\s+(?:(?:the|a|this)\s+)?(?:following\s+)?(?:(?:text|words?|lines?|sentence|contents?)\s+)?\Z",
    re.IGNORECASE,
)


def _is_code(kept: Sequence[Token]) -> bool:
    """“VERSION = "1.0"”, “print("hi")”: what stands in quotes there is a part of what is written."""
    return any(
        two.kind == QUOTED and one.kind in (WORD, SIGN) and (one.value == "=" or one.value.endswith("("))
        for one, two in itertools.pairwise(kept)
    )


def _text_value(tokens: Sequence[Token], kept: list[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    if (own := _quoted_text(tokens, kept, asked)) is not None:
        rest = [one for one in tokens if one is not own]
        said = line_breaks(own.value) if own.kind == QUOTED and asked.of_lines else own.value
        return Filled(said, (own.start, own.end), literals=1), rest
    kept = _without_what_announces(kept, asked)
    if all(one.kind == SIGN or (one.kind == WORD and one.text in asked.about | IDLE) for one in kept):
        # “everything”, “it all”: nouns of the command, no text of anybody's.
        return None, list(tokens)
    kept, behind = together(kept, asked.raw)
    if not _is_announced(asked.raw, kept[0].start):
        kept, further = _to_the_next_clause(kept)
        behind = [*further, *behind]
    if len(kept) > 1 and _ONE_WORD.search(asked.raw[max(0, kept[0].start - 20) : kept[0].start]):
        # “The word discount everywhere in …”: one word is announced.
        kept, behind = kept[:1], [*kept[1:], *behind]
    start, end = kept[0].start, kept[-1].end
    if start >= end:
        # Words that a turn of phrase stands for are nobody's text.
        return None, list(tokens)
    penalty = _of_its_words(kept, asked)
    penalty += 0.0 if _is_announced(asked.raw, start) else _of_its_ends(kept, asked)
    return Filled(
        asked.raw[start:end], (start, end), confidence=0.92, why="it is not in quotes", penalty=penalty
    ), behind


def _quoted_text(tokens: Sequence[Token], kept: Sequence[Token], asked: Asked) -> Token | None:
    """What is quoted, where that is the text: quoted first, however they go on, or with hardly a word outside."""
    begins = next((one for one in kept if one.kind != WORD or one.text not in asked.about | IDLE | _OF_TEXTS), kept[0])
    if begins.kind == QUOTED and begins in kept[:4]:
        return begins
    quoted = next((one for one in kept if one.kind in (QUOTED, DATA)), None)
    outside = [one for one in tokens if one.kind == WORD and one.text not in asked.about | IDLE]
    return quoted if len(outside) < 3 else None


def _without_what_announces(kept: list[Token], asked: Asked) -> list[Token]:
    """The tokens behind “the text”, “the following lines”, and behind the own word of “where does it say x”."""
    while len(kept) > 1 and kept[0].kind == WORD and kept[0].text in ("the", "following"):
        if kept[1].text not in asked.about:
            break
        kept = kept[2:] or kept[:1]
    while len(kept) > 1 and kept[0].text in ("do", "does", "did"):
        kept = kept[1:]
    return kept


def _of_its_words(kept: Sequence[Token], asked: Asked) -> float:
    """What its own words say against their being somebody's text."""
    # A path in running text is rather what something is done to, and no text of anybody's ends with a little word.
    penalty = 0.9 if any(one.kind in (PATH, PLACEHOLDER) for one in kept) else 0.05
    first, last = kept[0], kept[-1]
    # “My data”, “something nice”: that tells of a text, and is none.
    if asked.is_loose and first.kind == WORD and first.text in _TOLD_OF | _PEOPLE | _ASKING:
        penalty += 1.2
    # “The folder Templates” is one of that name; “is there a png anywhere?” looks for no “there”.
    penalty += (
        1.2 if first.text == "there" or _HEADED.search(asked.raw[max(0, first.start - 24) : first.start]) else 0.0
    )
    # “Grep -v x” leaves x out: nobody looks for the flag.
    penalty += 1.2 if asked.is_loose and first.kind == FLAG else 0.0
    if [one.text for one in kept[:2]] in (["what", "you"], ["what", "it"], ["whatever", "you"]):
        # “With what you find”: nobody has said it yet.
        penalty += 1.2
    penalty += 1.2 if len(kept) == 1 and first.text in IT else 0.0
    # “The contents of README.md” are what stands there.
    penalty += 1.2 if first.text == "of" and len(kept) > 1 and kept[1].kind in (PATH, PLACEHOLDER) else 0.0
    penalty += 1.2 if first.kind == WORD and first.text in _NO_TEXT else 0.0
    # “Find all text files” looks for files of a kind, and for no word “files”.
    is_kind = first.text in FILE_HEADS | FOLDER_HEADS or (first.text.endswith("s") and bool(type_of(first.text)))
    penalty += 0.6 if len(kept) == 1 and is_kind else 0.0
    # “Find files whose name starts with x” looks for such files, and for no text.
    is_told = len(kept) > 1 and first.text in FILE_HEADS | FOLDER_HEADS | _NO_TEXT and kept[1].text in _WHICH_ONES
    penalty += 1.2 if is_told or _IN_ITS_NAME.search(asked.raw[first.start : last.end]) else 0.0
    penalty += 0.6 if last.kind == WORD and last.text in LITTLE else 0.0
    # “What does x not mention” looks for no text that ends with “not”.
    return penalty + (1.2 if last.kind == WORD and last.text in ("not", "never") else 0.0)


def _of_its_ends(kept: Sequence[Token], asked: Asked) -> float:
    """What more speaks against it where neither quotes nor a colon say where it begins: what of it is the text?"""
    little = sum(one.kind == WORD and one.text in LITTLE for one in kept)
    penalty = min(1.0, 0.25 * little) + (0.3 if len(kept) > 4 else 0.0) + (0.4 if kept[0].text in LITTLE else 0.0)
    # “Files except x” leaves something out, and is no text of anybody's.
    penalty += 1.0 if any(one.text in _LEAVING_OUT for one in kept) else 0.0
    # “Find python files changed yesterday” looks for no such text.
    penalty += 1.0 if len(kept) > 1 and any(one.text in _KINDS for one in kept) else 0.0
    # “Apple in data” says where, unless quotes say otherwise.
    pairs = itertools.pairwise(kept)
    named = any(one.text in ("in", "inside", "under") and asked.tree.kind(two.value) for one, two in pairs)
    return penalty + (1.0 if named else 0.0)


_ANNOUNCING = re.compile(
    r"(?:[:=>]|\b(?:that|saying|says?|texts?|words?|sentences?|lines?|messages?|contents?|reads?|reading|phrase|string))\s*\Z",
    re.IGNORECASE,
)


_WHICH_ONES = frozenset(
    "named called titled whose with that which having matching ending starting beginning like containing".split()
)
_HEADED = re.compile(r"\b(?:the|a|my|our)\s+(?:folder|directory|subfolder|dir)\s+\Z", re.IGNORECASE)
_IN_ITS_NAME = re.compile(r"\bin\s+(?:its|their|the|his|her)\s+(?:file\s*)?(?:names?|titles?)\Z", re.IGNORECASE)
# “Is there x in …?”, where “there x” is no text.
_ASKING = frozenset({"is", "are", "was", "were", "there"})
_PEOPLE = frozenset({"i", "we", "you", "they", "he", "she"})
_SUBJECTS = frozenset("i we it he she they this that there please thanks you my our".split())


def _to_the_next_clause(tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """The tokens up to a comma behind which somebody goes on: “debug, I need more output”."""
    for at in range(1, len(tokens) - 1):
        if tokens[at].kind == SIGN and tokens[at].value[:1] in ",-–—" and tokens[at + 1].text in _SUBJECTS:
            return tokens[:at], tokens[at:]
    return tokens, []


_ONE_WORD = re.compile(r"\b(?:word|term|identifier|symbol|name)\s*\Z", re.IGNORECASE)


def _is_announced(raw: str, start: int) -> bool:
    """Whether what stands before it says that somebody's own text begins here."""
    return bool(_ANNOUNCING.search(raw[max(0, start - 20) : start]))


def together(tokens: list[Token], raw: str) -> tuple[list[Token], list[Token]]:
    """The tokens up to where another value stands between them, and those behind it."""
    for at in range(1, len(tokens)):
        if raw[tokens[at - 1].end : tokens[at].start].strip():
            return tokens[:at], tokens[at:]
    return tokens, []


def quoted_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    token = next((one for one in tokens if one.kind == QUOTED), None)
    if token is None or (" " not in token.value and written_paths.looks_like_path(token.value)):
        return None, list(tokens)
    return Filled(token.value, (token.start, token.end), literals=1), [one for one in tokens if one is not token]


def without_ends(tokens: Sequence[Token]) -> list[Token]:
    kept = list(tokens)
    while kept and kept[-1].kind == SIGN and kept[-1].value not in (")", "]", "}"):
        kept.pop()
    while len(kept) > 1 and kept[-1].kind == WORD and kept[-1].text in ("everywhere", "anywhere"):
        kept.pop()
    while kept and kept[-1].kind == WORD and kept[-1].text in ("please", "thanks", "now", "ok", "okay", "lol", "btw"):
        kept.pop()
    while kept and (
        kept[0].value in ",;:.-–—>" if kept[0].kind == SIGN else len(kept) > 1 and kept[0].text == "please"
    ):
        kept.pop(0)
    return kept
