"""Names as they are dictated: *settings dot toml*, *tmp slash scratch dot txt*."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.tokens import NUMBER, PATH, WORD, Token
from agents.bdi.understanding.words.written_paths import has_ending

_MARKS = {"slash": "/", "backslash": "/", "dot": "."}
# Behind one of these a path begins: “in slash tmp”, “the file slash tmp slash x”.
_BEFORE = ARTICLES | frozenset(
    "in into to of at from under inside file folder directory and open read show list delete audit cat print".split()
)

_NO_PART = frozenset("is are was were a an and or in of for by with means".split())


def written(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with dictated names as they are written; each keeps the place of the words that it stands for."""
    if not any(token.text in _MARKS for token in tokens if token.kind == WORD):
        return list(tokens)
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        end = _end_of_name(tokens, at)
        if end > at + 1:
            words = tokens[at:end]
            value = "".join(_MARKS.get(one.text, one.value) for one in words)
            found.append(Token(PATH, value.casefold(), value, words[0].start, words[-1].end, words[0].after_break))
            at = end
        else:
            found.append(tokens[at])
            at += 1
    return found


def _end_of_name(tokens: Sequence[Token], at: int) -> int:
    """Where the dictated name ends that begins here; here, where none does."""
    end = at
    if _is_mark(tokens, at):
        if at and tokens[at - 1].text not in _BEFORE:
            return at
    elif tokens[at].kind in (WORD, NUMBER, PATH) and tokens[at].text not in _BEFORE and _is_mark(tokens, at + 1):
        end = at + 1
    else:
        return at
    while _is_mark(tokens, end) and end + 1 < len(tokens):
        start = end + 1
        # “Dot slash tmp” is ./tmp.
        while tokens[end].text == "dot" and _is_mark(tokens, start) and start + 1 < len(tokens):
            start += 1
        if tokens[start].kind not in (WORD, NUMBER, PATH) or not _may_follow(tokens[end], tokens[start], start - end):
            return end
        end = start + 1
    return end


def _is_mark(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].kind == WORD and tokens[at].text in _MARKS


def _may_follow(mark: Token, word: Token, steps: int) -> bool:
    """Behind a dot stands an ending, so that no sentence about dots becomes a name."""
    if word.text in _NO_PART:
        return False
    return mark.text != "dot" or steps > 1 or has_ending(f"x.{word.text}")
