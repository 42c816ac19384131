"""Options taken from a clause before its values are looked for: switches, `name=value`, counted nouns, asides."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.understanding.reading.state import State, asked_of, is_noun, shape_of
from agents.bdi.understanding.values.filled import Filled
from agents.bdi.understanding.values.filling import fill
from agents.bdi.understanding.values.settings_values import amount_of
from agents.bdi.understanding.values.time_limits import time_limits
from agents.bdi.understanding.words.filler import ARTICLES
from agents.bdi.understanding.words.morphology import singular
from agents.bdi.understanding.words.tokens import NUMBER, NUMBERS, ORDINALS, QUOTED, SIGN, WORD, Token, number_of
from agents.toolkit.saying import Slot
from agents.toolkit.wording.words import fold

_KINDS = frozenset({"files", "folders", "directories", "packages", "libraries", "branches", "notes", "variables"})
_ADJECTIVES = frozenset(
    {"most", "recent", "newest", "latest", "last", "more", "key", "short", "single", "whole", "full"}
    | {"changed", "modified", "edited", "updated", "touched"}
)
# Said behind a number or before it, these say no more than that it is a limit, or how exactly it is meant.
_AT_MOST = frozenset({"max", "maximum", "limit", "tops", "most", "at", "maximally"})
_ABOUT_SO_MANY = frozenset(
    """
max maximum about around roughly ca circa approximately limit maximally take takes taking spend allow it no not more
may can should must
than but do most at exactly just only then give let and have maximal
    """.split()
)


def take_flags(state: State) -> None:
    """Phrases that set a switch or a choice, the longest first."""
    begun = [
        (-len(words), at, words, name, value)
        for at, token in enumerate(state.tokens)
        for first in state.lexicon.meanings(token)
        for words, name, value in state.entry.flags.get(first, ())
        if state.forms.issuperset(words)
    ]
    for _, at, words, name, value in sorted(begun, key=lambda one: one[:3]):
        span = range(at, at + len(words))
        if name in state.params or span.stop > len(state.tokens) or any(one in state.used for one in span):
            continue
        if all(state.lexicon.same(state.tokens[one], word) == 0 for one, word in zip(span, words, strict=True)):
            state.used |= set(span)
            state.params[name] = Filled(value, (state.tokens[at].start, state.tokens[span.stop - 1].end))


def take_keys(state: State) -> None:
    """`name=value` and `name: value` with a name of the command's parameters."""
    also = state.lexicon.registry.said(state.entry.command).also
    at = 0
    while at + 2 < len(state.tokens) + 0:
        key, sign, value = state.tokens[at], state.tokens[at + 1], state.tokens[at + 2]
        name = key.text if key.text in state.entry.command.properties else also.get(key.text, "")
        is_key = key.kind == WORD and sign.kind == SIGN and sign.value in ("=", ":") and at not in state.used
        if (
            is_key
            and name
            and name not in state.params
            and (sign.value == "=" or value.is_literal or value.end - value.start > 0)
        ):
            slot = next((one for one in state.entry.sense.slots if one.parameter == name), Slot(name))
            # Behind “reason:” somebody's own text goes on to the end, behind “message=” to what is given next.
            is_text = shape_of(state, slot) == "text" and not value.is_literal
            said = state.tokens[at + 2 :] if is_text and sign.value == ":" else [value]
            if is_text and sign.value == "=":
                said = list(itertools.takewhile(lambda one: one.kind in (WORD, NUMBER), state.tokens[at + 2 :]))
            filled, rest = fill(said, asked_of(state, slot))
            if filled is not None and not rest:
                state.params[name] = replace(filled, penalty=0.0)
                state.used |= set(range(at, at + 2 + len(said)))
                at += 2 + len(said)
                continue
        at += 1


def take_times(state: State) -> None:
    """Limits of time, with the words that say that they are limits; where two are stated nobody knows which holds."""
    slot = next((one for one in state.entry.sense.slots if one.parameter.endswith("_s")), None)
    if slot is None or slot.parameter in state.params:
        return
    found = list(time_limits(state.tokens, frozenset(state.used)))
    if len(found) == 1:
        state.params[slot.parameter] = Filled(found[0].seconds, found[0].span, literals=1)
        state.used |= set(found[0].used)


def take_counted(state: State) -> None:
    """Numbers before their noun: five commits, at most 3 sentences, the five newest."""
    for slot in state.entry.sense.slots:
        if not slot.behind or slot.parameter in state.params or slot.parameter.endswith("_s"):
            continue
        if slot.shape == "amount":
            _take_amount(state, slot)
            continue
        if (one := _single(state, slot)) is not None:
            state.params[slot.parameter] = Filled(1, (state.tokens[one].start, state.tokens[one].end), literals=1)
            continue
        for at in range(len(state.tokens) - 1):
            if at in state.used or at + 1 in state.used or number_of(state.tokens[at]) is None:
                continue
            after = _counted_noun(state, slot, at + 1)
            if after is None:
                continue
            first, number = _number_before(state.tokens, at)
            span = (state.tokens[first].start, state.tokens[at].end)
            state.params[slot.parameter] = Filled(number, span, literals=1)
            while after + 1 < len(state.tokens) and state.tokens[after + 1].text in _AT_MOST:
                after += 1
            state.used |= set(range(first, after + 1))
            _take_cue_before(state, slot, first)
            break


def take_quoted(state: State) -> None:
    """What is quoted, or a number, before the words that say what it is: “with "yes" as its input”."""
    for slot in state.entry.sense.slots:
        if not slot.behind or slot.parameter in state.params or shape_of(state, slot) != "quoted":
            continue
        for at, token in enumerate(state.tokens):
            texts = tuple(one.text for one in state.tokens[at + 1 : at + 6])
            behind = max(
                (len(said.split()) for said in slot.behind if texts[: len(said.split())] == tuple(said.split())),
                default=0,
            )
            if token.kind not in (QUOTED, NUMBER) or at in state.used or not behind:
                continue
            begin = at - (at > 0 and state.tokens[at - 1].text in ("with", "using", "and"))
            state.params[slot.parameter] = Filled(token.value, (token.start, token.end), literals=1)
            state.used |= set(range(begin, at + 1 + behind))
            break


_SINGLING = frozenset({"single", "important", "key", "main", "telling", "central"})


_NEWEST = frozenset({"last", "latest", "newest", "recent"})


def _single(state: State, slot: Slot) -> int | None:
    """Where one of them is said to be wanted: “in a single sentence”, “the last commit”."""
    for at, token in enumerate(state.tokens):
        if at in state.used or token.text not in slot.behind or singular(token.text) != token.text:
            continue
        begins = at
        while begins and state.tokens[begins - 1].text in _SINGLING | _ADJECTIVES:
            begins -= 1
        said = {one.text for one in state.tokens[begins:at]}
        is_one = said & (_SINGLING | _NEWEST if slot.parameter == "most" else _SINGLING)
        if is_one and begins and state.tokens[begins - 1].text in ARTICLES | {"in"}:
            state.used |= set(range(begins, at + 1))
            _take_cue_before(state, slot, begins)
            return at
    return None


def _take_amount(state: State, slot: Slot) -> None:
    """An amount before what it is of, as it is written: 50,000 tokens a day, $1.50 per day."""
    raw = state.situation.raw
    for at in range(len(state.tokens)):
        if at in state.used or (found := amount_of(state.tokens, at, raw)) is None:
            continue
        amount, end = found
        span = (state.tokens[at].start, state.tokens[end - 1].end)
        texts = [*("$" for sign in (raw[span[0]], raw[span[1] - 1]) if sign == "$")]
        written = len(texts)
        texts += [one.text for one in state.tokens[end : end + 4]]
        for words in sorted((said.split() for said in slot.behind), key=len, reverse=True):
            if texts[: len(words)] == words and len(words) > written - 1:
                state.params[slot.parameter] = Filled(amount, span, literals=1)
                state.used |= set(range(at, end + len(words) - written))
                _take_cue_before(state, slot, at)
                return


def _counted_noun(state: State, slot: Slot, at: int) -> int | None:
    """Where the noun ends that a number before it counts, over adjectives; None where it is another noun."""
    for after in range(at, min(at + 4, len(state.tokens))):
        token = state.tokens[after]
        for said in slot.behind:
            words = said.split()
            there = state.tokens[after : after + len(words)]
            if len(there) == len(words) and all(
                state.lexicon.same(one, fold(word)) is not None for one, word in zip(there, words, strict=True)
            ):
                return after + len(words) - 1
        if token.text not in _ADJECTIVES:
            return None
    return None


def _number_before(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """Where the number that ends here begins, and what it is: “twenty five”, “two hundred”."""
    number = number_of(tokens[at]) or 0
    before = number_of(tokens[at - 1]) if at and tokens[at - 1].kind == WORD else None
    if before is None or tokens[at].kind != WORD:
        return at, number
    if number in (100, 1000) and before < 100:
        return at - 1, before * number
    if before in range(20, 100, 10) and 0 < number < 10:
        return at - 1, before + number
    return at, number


# Whoever counts things like this knows how many there are: “the two reports”.
_THE = frozenset({"the", "these", "those", "my", "our", "all"})


def take_count(state: State) -> None:
    """“Two folders: a and b” says how many names follow, and is none of them; “both lectures” is no folder of them."""
    own = next((slot for slot in state.entry.sense.slots if slot.is_object), None)
    if own is None or shape_of(state, own) not in ("path", "word", "packages"):
        return
    for at in range(len(state.tokens) - 1):
        token, noun = state.tokens[at : at + 2]
        number = 2 if token.text == "both" else number_of(token) if token.text not in ORDINALS else None
        if (
            at in state.used
            or at + 1 in state.used
            or not number
            or number < 2
            or noun.kind != WORD
            or noun.text == "onwards"
        ):
            continue
        of_its_own = is_noun(noun, state.entry.about, state.lexicon) and noun.text not in state.lexicon.of_values
        is_known = token.text == "both" or (at > 0 and state.tokens[at - 1].text in _THE and token.text in NUMBERS)
        if singular(noun.text) != noun.text and (is_known or of_its_own or noun.text in _KINDS):
            state.used.add(at)
            state.counted = (token.value, number)
            return


_CODE = re.compile(r"[A-Z]{1,6}[0-9]{3,4}\Z", re.ASCII)
_GROUP = re.compile(r"[A-Z]{1,6}[0-9]{0,4}\Z", re.ASCII)
_JOINING = frozenset({"and", "or", ",", "&"})


def take_codes(state: State) -> None:
    """“The F401 and E711 fixes”: rules that are named by letters and digits say themselves what they are."""
    slot = next((one for one in state.entry.sense.slots if one.shape == "codes"), None)
    if slot is None or slot.parameter in state.params:
        return
    tokens, tree = state.tokens, state.situation.tree
    strict = [at for at, one in enumerate(tokens) if _CODE.match(one.value) and not tree.kind(one.value)]
    if not strict or strict[0] in state.used:
        return
    first = last = strict[0]
    while first > 1 and tokens[first - 1].value in _JOINING and _GROUP.match(tokens[first - 2].value):
        first -= 2
    while last + 2 < len(tokens) and tokens[last + 1].value in _JOINING and _GROUP.match(tokens[last + 2].value):
        last += 2
    if strict[-1] > last or any(at in state.used for at in range(first, last + 1)):
        return  # Named in two places: what holds of one may not hold of the other.
    codes = ", ".join(one.value for one in tokens[first : last + 1] if one.value not in _JOINING)
    state.params[slot.parameter] = Filled(codes, (tokens[first].start, tokens[last].end), literals=1)
    for cue in sorted(slot.cues, key=len, reverse=True):
        if [one.text for one in tokens[max(0, first - len(cue)) : first]] == [fold(word) for word in cue]:
            first -= len(cue)
            break
    state.used |= set(range(first, last + 1))


def take_asides(state: State) -> None:
    """“Using 2 workers”, “with 8 threads”: a number of something that the language knows nothing of."""
    for at in range(len(state.tokens) - 2):
        word, number, noun = state.tokens[at : at + 3]
        span = {at, at + 1, at + 2}
        if span & state.used or word.text not in ("with", "using") or number.kind != NUMBER or noun.kind != WORD:
            continue
        if not state.lexicon.knows(noun.text):
            state.used |= span
            state.asides = (*state.asides, f"{word.value} {number.value} {noun.value}")


def _take_cue_before(state: State, slot: Slot, at: int) -> None:
    for cue in sorted(slot.cues, key=len, reverse=True):
        span = range(at - len(cue), at)
        if at < len(cue) or any(one in state.used for one in span):
            continue
        if all(state.tokens[one].text == fold(word) for one, word in zip(span, cue, strict=True)):
            state.used |= set(span)
            return
    begins = at
    while begins and begins - 1 not in state.used and state.tokens[begins - 1].text in _ABOUT_SO_MANY:
        begins -= 1
    state.used |= set(range(begins, at))
