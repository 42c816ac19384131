"""Where one command ends and the next begins, and in which order they are meant."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from agents.bdi.understanding.words.filler import IDLE
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.tokens import NUMBER, SIGN, WORD, Token, number_of
from sandbox.command_line import PROGRAMS

_JOINING = frozenset(
    {
        "and",
        "then",
        "next",
        "finally",
        "afterwards",
        "lastly",
        "also",
        "plus",
        "afterward",
        "later",
        "subsequently",
        "before",
        "after",
        "once",
    }
)
# Behind a comma these go on with the command before it: “a folder, named x”.
_NAMING = frozenset({"named", "called", "titled"})
_STOPS = frozenset({";", ".", "!", "?", "&&", "|"})
_LEADING = frozenset(
    {
        "first",
        "second",
        "third",
        "firstly",
        "secondly",
        "then",
        "next",
        "finally",
        "and",
        "also",
        "afterwards",
        "lastly",
        "now",
        "after",
        "that",
        "step",
        "please",
        "i",
        "you",
        "to",
        "want",
        "kindly",
        "just",
        "could",
        "can",
        "would",
        "we",
        "should",
        "it",
        "me",
        "let",
        "us",
        "will",
        "must",
        "they",
    }
)


def boundaries(tokens: Sequence[Token], lexicon: Lexicon) -> list[int]:
    """The places at which another command may begin: behind a stop, a line break, or “and” with a verb after it."""
    found = []
    for at in range(1, len(tokens)):
        token, before = tokens[at], tokens[at - 1]
        if token.text in _NAMING and before.value[:1] == ",":
            continue
        if (
            (before.kind == SIGN and before.value[:1] in _STOPS | {"&"} and before.value not in ("&",))
            or token.after_break
            or (_joins(tokens, at) and _begins(tokens, at, lexicon))
            or (
                token.kind == NUMBER
                and at + 1 < len(tokens)
                and tokens[at + 1].value[:1] in ".)"
                and _begins(tokens, at + 2, lexicon)
            )
            or (before.kind == SIGN and before.value[:1] == "," and (token.is_literal or token.kind == WORD))
            or (
                token.kind == WORD
                and token.text in ("and", "then")
                and at + 1 < len(tokens)
                and (tokens[at + 1].is_literal or _says_how_much(tokens[at + 1 :]))
            )
        ):
            found.append(at)
    return found


_OF_PARTS = frozenset("the first last top bottom line lines row rows byte bytes to till until through - –".split())


def _says_how_much(tokens: Sequence[Token]) -> bool:
    """“… and the first 10 lines of y”: so much of another thing."""
    said = list(itertools.takewhile(lambda one: one.text in _OF_PARTS or number_of(one) is not None, tokens))
    is_counted = any(number_of(one) is not None for one in said) and any(one.kind == WORD for one in said)
    return is_counted and len(said) < len(tokens) and tokens[len(said)].text in ("of", "from", "in")


def _joins(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    before = tokens[at - 1]
    if before.kind == SIGN and before.value[:1] in ",-–—+&":
        return True
    return token.kind == WORD and token.text in _JOINING and not (before.kind == WORD and before.text in _JOINING)


def _begins(tokens: Sequence[Token], at: int, lexicon: Lexicon) -> bool:
    """Whether a verb comes here, after words that may lead to one."""
    for token in tokens[at : at + 6]:
        if lexicon.is_verb(token) and token.text not in ("and", "then"):
            return True
        if token.kind == WORD and ((token.text,) in lexicon.tools or token.value in PROGRAMS):
            return True  # “…, then pytest -q”, “… and git status”
        if token.kind == SIGN or (
            token.kind == WORD and (token.text in _LEADING or token.text in _JOINING or token.text in IDLE)
        ):
            continue
        return False
    return False


def _counts(tokens: Sequence[Token]) -> bool:
    """“First 2000 bytes of x” leads to nothing: it says which of them."""
    return len(tokens) > 1 and tokens[0].text == "first" and number_of(tokens[1]) is not None


def trimmed(tokens: Sequence[Token]) -> list[Token]:
    """A clause without the numbering, signs and joining words around it."""
    kept = list(tokens)
    while kept and kept[-1].kind == SIGN and kept[-1].value[:1] not in ")]}>/*":
        kept.pop()
    while (
        kept
        and kept[-1].kind == WORD
        and kept[-1].text
        in ("and", "then", "please", "afterwards", "later", "next", "also", "finally", "after", "before")
    ):
        kept.pop()
        while kept and kept[-1].kind == SIGN and kept[-1].value[:1] == ",":
            kept.pop()
    if len(kept) > 1 and kept[0].kind == NUMBER and kept[1].kind == SIGN and kept[1].value[:1] in ".):":
        kept = kept[2:]
    while (
        kept
        and not _counts(kept)
        and (
            (kept[0].kind == SIGN and kept[0].value[:1] in ",;:.-–—*•!?&|)")
            or (
                kept[0].kind == WORD
                and kept[0].text
                in (
                    "and",
                    "then",
                    "next",
                    "finally",
                    "also",
                    "first",
                    "firstly",
                    "afterwards",
                    "plus",
                    "lastly",
                    "second",
                    "third",
                    "secondly",
                )
            )
        )
    ):
        kept = kept[1:]
    if len(kept) > 2 and kept[0].text in ("after", "once") and kept[1].text in ("that", "this", "which"):
        kept = kept[2:]
        while kept and kept[0].kind == SIGN:
            kept = kept[1:]
    if len(kept) > 2 and kept[0].kind == WORD and kept[0].text in ("after", "once"):
        kept = kept[1:]
    return kept


_BEFORE = re.compile(r"\A\s*before\s{1,9}(?:you\s{1,9})?(?P<late>[^,]+?),\s*(?P<early>.+)\Z", re.IGNORECASE | re.DOTALL)
_AFTER = re.compile(
    r"\A(?P<late>(?:(?!\b(?:and|then)\b)[^,.;])+?),?\s{1,9}(?:but\s{1,9}(?:only\s{1,9})?)?(?:after|once)\s{1,9}(?:you\s{1,9}(?:have\s{1,9}|'ve\s{1,9})?)?(?P<early>(?:(?:[a-z]+ing)\b|[a-z]+ed\b).+)\Z",
    re.IGNORECASE | re.DOTALL,
)


def in_order(text: str) -> list[tuple[int, int]]:
    """The parts of a text in the order in which they are meant: “before A, B” says B first."""
    for pattern in (_BEFORE, _AFTER):
        if found := pattern.match(text):
            return [found.span("early"), found.span("late")]
    return [(0, len(text))]
