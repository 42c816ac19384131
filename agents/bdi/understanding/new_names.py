"""Names with spaces of what is to be made: “a folder called Supplier contracts”, “to Marks winter.csv”.

Nothing that is here says where such a name ends. It ends where the clause does, or with an ending of files.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.bdi.understanding.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.naming_words import FILE_HEADS, FOLDER_HEADS
from agents.bdi.understanding.paths import Tree
from agents.bdi.understanding.spelling import is_near
from agents.bdi.understanding.tokens import NUMBER, PATH, QUOTED, SIGN, WORD, Token
from agents.bdi.understanding.written_paths import has_ending

# Behind these a name may stand, and behind those of the second row nothing but one.
_BEFORE = frozenset({"to", "as", "into", "file", "folder", "directory"})
_CALLED = frozenset({"called", "named", "titled"})
_ENDING = frozenset(
    """
and or in inside into under within with for to at that which who please from then on by as so because saying containing
reading
    """.split()
)
# Written small, these are no part of a name: “called Ideas next to Drafts”, “to the new file plan.md”.
_NO_NAMES = IDLE | DOUBT | FILE_HEADS | FOLDER_HEADS
MAX_WORDS = 6


def with_new_names(tokens: Sequence[Token], tree: Tree, raw: str) -> list[Token]:
    """The tokens with each name that is written with spaces, and is none that is here, as one token."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        end, kind = _name_at(tokens, at, tree, raw)
        if end > at + 1:
            start, stop = tokens[at].start, tokens[end - 1].end
            value = raw[start:stop]
            found.append(Token(kind, value.casefold(), value, start, stop, tokens[at].after_break))
        else:
            found.append(tokens[at])
            end = at + 1
        at = end
    return found


def _name_at(tokens: Sequence[Token], at: int, tree: Tree, raw: str) -> tuple[int, str]:
    """Where a name ends that begins here, and as what it is read; it ends where it begins where there is none."""
    before = [one.text for one in tokens[max(0, at - 2) : at] if one.text not in ARTICLES]
    is_called = _is_called(before)
    begins = is_called or bool(before and before[-1] in _BEFORE)
    first = tokens[at]
    if first.kind not in (WORD, NUMBER, PATH) or first.text in _ENDING | ARTICLES or first.said:
        return at, ""
    if first.value.islower() and first.text in _NO_NAMES:
        return at, ""
    if (first.kind == PATH and has_ending(first.value)) or any(is_near(first.text, one) for one in _CALLED):
        return at, ""
    run = _run(tokens, at, raw)
    ended = next((end for end in range(at + 2, run + 1) if _is_end(tokens[end - 1])), 0)
    if ended and (begins or (first.kind == PATH and ended == at + 2)) and not tree.kind(tokens[ended - 1].value):
        return ended, PATH
    whole = run > at + 1 and (run == len(tokens) or tokens[run].kind == SIGN or tokens[run].text in _ENDING)
    if not whole or ended:
        return at, ""
    if is_called:
        return run, QUOTED
    # “To Accounts/Invoices 2024”: what begins with a path goes on with numbers or with words as names are written.
    is_path = first.kind == PATH and "/" in first.value and begins
    goes_on = all(one.kind == NUMBER or one.value[:1].isupper() or run == len(tokens) for one in tokens[at + 1 : run])
    return (run, PATH) if is_path and goes_on else (at, "")


def _is_called(before: Sequence[str]) -> bool:
    return before[-1:] != [] and (before[-1] in _CALLED or (before[-2:-1] == ["call"] and before[-1] in ("it", "them")))


def _is_end(token: Token) -> bool:
    return token.kind == PATH and "/" not in token.value and has_ending(token.value)


def _run(tokens: Sequence[Token], at: int, raw: str) -> int:
    """Where the words end that nothing but spaces parts."""
    end = at + 1
    while end < len(tokens) and end - at < MAX_WORDS and tokens[end].kind in (WORD, NUMBER, PATH):
        if tokens[end].text in _ENDING | ARTICLES or tokens[end].said or tokens[end].after_break:
            break
        if tokens[end].value.islower() and tokens[end].text in _NO_NAMES:
            break
        if raw[tokens[end - 1].end : tokens[end].start].strip() or tokens[end].start == tokens[end - 1].end:
            break
        end += 1
    return end
