"""Settings of agents as values: allowed tools, version, limits of steps, amounts a day."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.tokens import NUMBER, PATH, QUOTED, SIGN, WORD, Token

_VERSION = re.compile(r"v?(\d+\.\d+\.\d+)\Z", re.IGNORECASE)
_CEILING = re.compile(r"(?:\w+|\*)\.\w+=\d+(?:\.\d+)?\Z")
_AMOUNT = re.compile(r"\$?(\d{1,3}(?:[,']\d{3})+|\d+)(\.\d+)?\s?(k|\$)?\Z", re.IGNORECASE)
# Said around the names of tools, these carry nothing.
_AROUND = ARTICLES | frozenset({"only", "just", "use", "using", "tool", "tools", "take", "make", "do", "both"})
_BETWEEN = frozenset({",", "and", "or", "&", "+", "plus"})


def tools_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """Tools by their names or as they are called, with commas between them; what stands behind is something else."""
    found: list[str] = []
    at, end = 0, 0
    while at < len(tokens):
        name, length = _tool_at(tokens, at, asked)
        if name:
            found.append(name)
            at = end = at + length
        elif tokens[at].text in _AROUND or tokens[at].value in _BETWEEN or tokens[at].text in _BETWEEN:
            at += 1
        else:
            break
    if not found:
        return None, list(tokens)
    while end < len(tokens) and tokens[end].text in ("tool", "tools"):
        end += 1
    value = ",".join(dict.fromkeys(found))
    span = (tokens[0].start, tokens[end - 1].end)
    said = asked.raw[span[0] : span[1]]
    why = "" if said == value else "tools by their names"
    return Filled(value, span, None if said == value else said, 1.0, why, literals=1), list(tokens[end:])


def _tool_at(tokens: Sequence[Token], at: int, asked: Asked) -> tuple[str, int]:
    """The tool whose name begins here, and how many tokens that has."""
    for said, name in sorted(asked.tools.items(), key=lambda one: -len(one[0])):
        spoken = tokens[at : at + len(said)]
        if tuple(one.text for one in spoken) == said:
            return name, len(said)
    return "", 0


def version_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """A version in three numbers: “1.2.0”, “v1.2.0”."""
    for token in tokens:
        if token.kind in (WORD, PATH, NUMBER, QUOTED) and (found := _VERSION.match(token.value)):
            said = None if found[1] == token.value else token.value
            filled = Filled(found[1], (token.start, token.end), said, literals=1)
            return filled, [one for one in tokens if one is not token]
    return None, list(tokens)


def ceilings_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """Ceilings of steps, as they are written: `git_tool.hard_s=30`, with blanks between them."""
    said = asked.raw[tokens[0].start : tokens[-1].end].split() if tokens else []
    named = [word.strip(",;:.\"'“”") for word in said]
    kept = [word for word in named if _CEILING.match(word)]
    if not kept or any(word not in kept and word not in _BETWEEN and word for word in named):
        return None, list(tokens)
    return Filled(" ".join(kept), (tokens[0].start, tokens[-1].end), literals=1), []


def amount_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """An amount behind what it is of: “tokens per day 5000”."""
    found = amount_of(tokens, 0, asked.raw) if tokens else None
    if found is None:
        return None, list(tokens)
    amount, end = found
    return Filled(amount, (tokens[0].start, tokens[end - 1].end), literals=1), list(tokens[end:])


def amount_of(tokens: Sequence[Token], at: int, raw: str) -> tuple[str, int] | None:
    """The number that is written here, in digits, and where it ends: “50,000”, “20k”, “$1.50”."""
    for end in (at + 3, at + 2, at + 1):
        if end > len(tokens):
            continue
        written = raw[tokens[at].start : tokens[end - 1].end]
        if tokens[at].kind != SIGN and (found := _AMOUNT.match(written)):
            whole = re.sub(r"\D", "", found[1])
            thousands = (found[3] or "").casefold() == "k"
            return (whole + "000" if thousands and not found[2] else whole + (found[2] or "")), end
    return None
