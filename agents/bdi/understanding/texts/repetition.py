"""“Move a.txt to the attic, and the same for b.txt”: the command before, with another object."""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.tokens import SIGN, WORD, Token

_LEADING = frozenset(
    "and then also please now next afterwards after do repeat make can could you would just so".split()
)
_FOR = frozenset({"for", "with", "to", "on"})


def the_same(
    tokens: Sequence[Token], before: Sequence[Token], meant: Sequence[Meant], lexicon: Lexicon
) -> Sequence[Token]:
    """The words of the command before with the things that are said here as its object; else the words as they are.

    `before` are its words and `meant` what was made of them; where that are several commands it is not clear which.
    """
    at = 0
    while at < len(tokens) and (tokens[at].kind == SIGN or tokens[at].text in _LEADING):
        at += 1
    texts = [one.text for one in tokens[at : at + 3]]
    if texts[:2] != ["the", "same"] or len(texts) < 3:
        return tokens
    at += 3 if texts[2] in ("thing", "again") else 2
    if at + 1 >= len(tokens) or tokens[at].text not in _FOR or len(meant) != 1:
        return tokens
    span = _object(meant[0], lexicon)
    inside = [one for one in before if span is not None and span[0] <= one.start and one.end <= span[1]]
    if not inside or any(one.kind == WORD and one.text in ("it", "them") for one in tokens[at:]):
        return tokens
    first = before.index(inside[0])
    return (*before[:first], *tokens[at + 1 :], *(one for one in before[first:] if one not in inside))


def _object(one: Meant, lexicon: Lexicon) -> tuple[int, int] | None:
    senses = lexicon.registry.said(lexicon.registry.command(one.tool, one.command)).senses
    names = {slot.parameter for sense in senses for slot in sense.slots if slot.is_object}
    return next((one.params[name].span for name in names if name in one.params), None)
