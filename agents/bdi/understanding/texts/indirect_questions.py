"""Indirect questions made direct: “tell me whether my tree is clean” asks “is my tree clean”."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.bdi.understanding.words.filler import IDLE
from agents.bdi.understanding.words.tokens import WORD, Token

_ASKING = frozenset(
    """
tell know see check show wonder wondering say look learn find figure hear remember understand interested
verify remind forgot forget display print love like exactly out up me us you
    """.split()
)
_WHETHER = frozenset({"whether", "if"})
_WH = frozenset({"what", "which", "how", "who", "where"})
_FINITE = frozenset({"is", "are", "was", "were", "has", "have", "do", "does", "did", "had"})
# With these a subject begins.
_SUBJECTS = frozenset("i we you they he she it this that there the a an my our your their any all".split())
_SAYING = {"says": "say", "contains": "contain", "say": "say", "contain": "contain", "differs": "differ"}
_DOES = {"has": "does", "have": "do"}
_EXACTLY = frozenset({"exactly", "precisely", "actually", "really"})
_SET_ASIDE = re.compile(r"\b(?:know|tell me|tell us|see|check|say|wonder)\s*\Z", re.IGNORECASE)
_PRONOUNS = frozenset({"i", "we", "you", "they", "he", "she"})
# A subject has so many words at most.
_LONGEST_SUBJECT = 7


def direct(tokens: tuple[Token, ...], raw: str) -> Iterator[tuple[Token, ...]]:
    """The questions that a clause asks for the answer of; none where it asks for none. `raw`: the whole text."""
    if len(tokens) > 2 and tokens[0].text in _WH and tokens[1].text in _EXACTLY:
        yield (tokens[0], *tokens[2:])
    at = next((at for at, one in enumerate(tokens) if one.kind == WORD and one.text in _WHETHER | _WH), 0)
    before = tokens[:at]
    asks = any(one.text in _ASKING - {"me", "us", "you", "out", "up", "like"} for one in before)
    # “Let me know” is courtesy, and was set aside.
    asks = asks or (not before and bool(tokens) and bool(_SET_ASIDE.search(raw[: tokens[0].start])))
    if not asks or not all(one.kind == WORD and one.text in IDLE | _ASKING for one in before):
        return
    behind = tokens[at + 1 :]
    if not behind or behind[0].text == "to":
        return
    if tokens[at].text in _WHETHER:
        if (inverted := _inverted(behind)) is not None:
            yield inverted
            if inverted[0].text in _DOES:
                does, has = _DOES[inverted[0].text], Token(WORD, "have", "have", inverted[0].start, inverted[0].end)
                subject = behind[: behind.index(inverted[0])]
                rest = inverted[1 + len(subject) :]
                yield (Token(WORD, does, does, has.start, has.start), *subject, has, *rest)
        return
    yield tokens[at:]
    begins = next((number for number, one in enumerate(behind[:4]) if one.text in _SUBJECTS), None)
    if begins is None and tokens[at].text == "how":
        # “How complex main.py is”: behind the adjective; “how main.py differs”: at once.
        begins = 1 if behind[0].kind == WORD else 0
    if begins is not None and (inverted := _inverted(behind[begins:])) is not None:
        yield (tokens[at], *behind[:begins], *inverted)


def _inverted(tokens: tuple[Token, ...]) -> tuple[Token, ...] | None:
    """“The tree is clean” as “is the tree clean”; “I changed x” as “did I change x”."""
    last = min(len(tokens), _LONGEST_SUBJECT + 1)
    said = next((at for at in range(1, len(tokens)) if tokens[at].text in _SAYING), None)
    if said is not None:
        word = _SAYING[tokens[said].text]
        does = Token(WORD, "does", "does", tokens[0].start, tokens[0].start)
        says = Token(WORD, word, word, tokens[said].start, tokens[said].end)
        return (does, *tokens[:said], says, *tokens[said + 1 :])
    verb = next((at for at in range(1, last) if tokens[at].kind == WORD and tokens[at].text in _FINITE), None)
    if verb is not None:
        return (tokens[verb], *tokens[:verb], *tokens[verb + 1 :])
    if len(tokens) > 1 and tokens[0].text in _PRONOUNS:
        start = tokens[0].start
        return (Token(WORD, "did", "did", start, start), *tokens)
    return None
