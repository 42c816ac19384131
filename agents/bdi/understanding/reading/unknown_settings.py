"""Settings that a command does not have, in any notation: “, format json”, “with permission 755”, `depth=3`.

Who comes from other tools gives them as those take them. A word that could rule what is done is none of them: what is
a setting is seen from its form (behind a comma or “with”, to the end of that piece) and from its noun, and never from
what it says. All of them are left out and named in the step's reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.bdi.understanding.reading.state import State
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.tokens import NUMBER, SIGN, WORD, Token, number_of
from agents.toolkit.wording.kinds import SWITCHES

# What tools elsewhere are set by. None of these says which things are meant, or of how much.
_OPTIONS = frozenset(
    """
mode format encoding charset permission permissions chmod umask depth maxdepth verbosity verbose colour color colours
colors indent indentation retry retries attempts priority thread threads worker workers job jobs quality compression
delimiter separator locale theme font debug cache buffer recursive recursion parallel quiet silent interactive
preserve force level pager style backend engine output precision logging progress prompt confirm confirmation
    """.split()
)
# Options that stand alone.
_ALONE = frozenset("verbose recursive quiet silent interactive parallel unbuffered coloured colored colorized".split())
_PARTING = frozenset({"with", "using"})
_BETWEEN = frozenset({"=", ":"})
_LIMITING = frozenset("max maximum max. limit limited at most up to no not more than top".split())
# What searching elsewhere limits; here all that is found is shown.
_FOUND = frozenset("result results match matches hit hits entry entries item items record records".split())
# “Version 2” may say which one of several is meant.
_CHOOSING = frozenset("version part chapter page number step revision release commit issue".split())
_LONGEST = 6
# Of these a setting says which things are meant, whether, when or in which way: nothing is done without heeding it.
_RULING = frozenset(
    """
dry keep exclude except include only filter where older newer since until before after days age size lang language case
sort order reverse unless if when condition delay schedule date time pattern match type kind range limit count select
""".split()
)


def rules(key: str) -> bool:
    """Whether a setting of this name, `dry_run`, would rule what is done."""
    return not _RULING.isdisjoint(re.split(r"[_-]", key))


def is_setting(phrase: str) -> bool:
    """Whether a phrase that was left out sets something: an option, `name=value`, “with 8 threads”, “mode 755”."""
    words = phrase.casefold().replace("=", " = ").split()
    return phrase.startswith("-") or "=" in words or any(word in _OPTIONS or word.isdecimal() for word in words)


def take_settings(state: State) -> None:
    """Take what is such a setting out of what is to be explained."""
    if any(slot.shape == "line" for slot in state.entry.sense.slots):
        return  # “with port 8080” may be for the program
    at = 1
    while at < len(state.tokens):
        begin = at - 1
        before = state.tokens[begin]
        is_parted = before.value[:1] in (",", ";", "(") or (before.kind == WORD and before.text in _PARTING)
        end = _end(state, at, is_word=before.kind == WORD) if is_parted and at not in state.used else at
        if end > at and not set(range(at, end)) & state.used:
            said = state.tokens[at:end]
            state.used |= {*range(at, end), *([begin] if before.kind == WORD else [])}
            state.asides = (*state.asides, state.situation.raw[said[0].start : said[-1].end])
        at = max(end, at + 1)


def _end(state: State, at: int, *, is_word: bool) -> int:
    """Where the setting ends that begins here, at the end of its piece; it ends where it begins when there is none."""
    tokens = state.tokens
    end = at
    while end < len(tokens) and end - at < _LONGEST and not _parts(tokens[end]):
        end += 1
    if end < len(tokens) and not _parts(tokens[end]):
        return at
    piece = [one for one in tokens[at:end] if one.text not in ARTICLES]
    if not piece or any(one.text in DOUBT and one.text not in _LIMITING | {"no"} for one in piece):
        return at
    is_one = _is_given(piece, state) or (not is_word and _is_alone(piece)) or (not is_word and _is_limit(piece, state))
    return end if is_one and not _gives_a_value(piece, state) else at


def _parts(token: Token) -> bool:
    return (token.kind == SIGN and token.value[:1] in ",;.)!?") or token.text in ("and", "then")


def _gives_a_value(piece: Sequence[Token], state: State) -> bool:
    """Whether a word of it is one by which the command takes a value, what it is about, or the name of something."""
    own = state.lexicon.words_of_values(state.entry.command) | state.entry.never
    nouns = [one for one in piece if one.kind == WORD and one.text not in SWITCHES and one.text not in _LIMITING]
    if any(one.text in own or singular(one.text) in own or state.situation.tree.kind(one.value) for one in nouns):
        return True
    return bool(nouns) and not {nouns[0].text, singular(nouns[0].text)}.isdisjoint(state.entry.about)


def _is_given(piece: Sequence[Token], state: State) -> bool:
    """A name and its value: “format json”, “mode=fast”, “verbosity level 2”, “retries: 3”; of any name “x=y”, “x 0”."""
    if len(piece) > 2 and piece[0].text in _LIMITING and piece[1].text in _OPTIONS:
        piece = piece[1:]
    key = piece[0]
    if rules(key.text):
        return False
    if key.kind != WORD or key.value.isupper() or key.text in IDLE | _CHOOSING:
        return False
    names = 2 if len(piece) > 2 and piece[1].kind == WORD and piece[1].text in _OPTIONS else 1
    sign = piece[names].value if len(piece) > names and piece[names].value in _BETWEEN else ""
    value = [one for one in piece[names + bool(sign) :] if one.text not in ("of", "to", "is")]
    if not value or len(value) > 2:
        return False
    first = value[0]
    is_plain = first.text in SWITCHES or first.kind == NUMBER
    if len(value) == 2:
        return key.text in _OPTIONS and number_of(first) is not None and value[1].kind == WORD
    if key.text in _OPTIONS or (names == 2 and sign == "="):
        return is_plain or first.kind == WORD or sign == "="
    # What commands are said by is to be done: “commit on”, “autonomous off”.
    return (is_plain or sign == "=") and (sign == "=" or not state.lexicon.knows(key.text))


def _is_alone(piece: Sequence[Token]) -> bool:
    """“, recursive”, “, verbose output”."""
    kept = [one.text for one in piece if one.text not in ("be", "mode", "output", "and")]
    return bool(kept) and all(text in _ALONE for text in kept)


def _is_limit(piece: Sequence[Token], state: State) -> bool:
    """“, max 10 results”, “, limit 20”: so much of what is found; what changes something is never done in part."""
    if state.entry.command.effect != "idempotent" or not _FOUND.isdisjoint(state.entry.about):
        return False
    if not {"pattern", "text"} & state.entry.command.properties.keys():
        return False
    words = [one.text for one in piece if number_of(one) is None and one.kind != SIGN]
    numbers = [one for one in piece if number_of(one) is not None]
    return len(numbers) == 1 and bool(_LIMITING & set(words)) and set(words) <= _LIMITING | _FOUND
