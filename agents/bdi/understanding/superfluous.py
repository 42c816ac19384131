"""Values that no parameter takes: flags, `name=value`, asides with a number."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.understanding.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.tokens import FLAG, NUMBER, WORD, Token


def without_superfluous(left: Sequence[Token]) -> tuple[list[Token], tuple[str, ...]]:
    """Values that no parameter takes: flags, `name=value`, “with 8 threads”, “with mode 755”. The rest comes back."""
    rest: list[Token] = []
    found: list[str] = []
    at = 0
    while at < len(left):
        token = left[at]
        if token.kind == FLAG and token.text.lstrip("-") not in DOUBT:
            found.append(token.value)
        elif token.kind == WORD and at + 2 < len(left) and left[at + 1].value == "=":
            found.append(f"{token.value}={left[at + 2].value}")
            at += 2
        elif (
            token.kind == WORD and token.text in ("with", "using", "at", "in") and (length := _counted(left[at + 1 :]))
        ):
            found.append(" ".join(one.value for one in left[at : at + 1 + length]))
            at += length
        else:
            rest.append(token)
        at += 1
    return rest, tuple(found)


def _counted(tokens: Sequence[Token]) -> int:
    """How many tokens an aside with a number takes: (a) timeout (of) 30 (seconds), 8 threads, verbosity 3."""
    words = 0
    for at, token in enumerate(tokens[:5]):
        if token.kind == NUMBER:
            after = tokens[at + 1 : at + 2]
            takes = (
                after
                and after[0].kind == WORD
                and not words
                and after[0].start - token.end < 3
                and after[0].text not in IDLE
            )
            return at + 2 if takes else (at + 1 if words else 0)
        if token.kind != WORD or token.text in DOUBT:
            return 0
        if token.text not in ARTICLES and token.text != "of":
            words += 1
        if words > 2:
            return 0
    return 0
