"""Clauses rephrased so that they read like commands: the passive, a missing verb, “it” replaced by its name."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import cast

from agents.bdi.understanding.names.paths import FILE
from agents.bdi.understanding.phrases.frames import framed
from agents.bdi.understanding.reading.judging import MOST_COST, Reading, Wanted
from agents.bdi.understanding.reading.reading import readings
from agents.bdi.understanding.reading.state import Situation
from agents.bdi.understanding.texts.indirect_questions import direct
from agents.bdi.understanding.values.line_values import RUNNING
from agents.bdi.understanding.values.text_values import LITTLE
from agents.bdi.understanding.words.filler import IDLE, LEADING
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.tokens import PATH, SIGN, WORD, Token, tokens_of

# Verbs that go without saying, and what speaks against a reading with one.
_UNSAID, _FOR_UNSAID = ("show", "give", "make", "turn"), 0.3
_NAMING = ("called", "named", "name", "titled", "title")
# What speaks against a clause that was turned, or whose “it” was put into words.
_FOR_TURNED, _FOR_NAMED, _FOR_FRAMED = 0.1, 0.15, 0.1
_AUXILIARIES = frozenset(
    """
should must has have had to be is are was were can could shall need needs needed ought would will may might supposed
been being become please now also then just kindly ideally finally immediately get gets required
    """.split()
)
_BE = frozenset({"be", "been", "being", "become"})
_HAVING = frozenset({"have", "get", "want", "need", "like", "see", "prefer", "wish"})
_BE_FORMS = frozenset({"is", "are", "was", "were", "does", "did", "has"})
_PARTICLES = frozenset({"on", "off", "up", "out", "away", "down"})
_POINTING = frozenset({"it", "them", "that", "this", "there"})


def readings_of(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """The readings of a clause as it stands, and turned round where it is no command as it stands.

    They are kept with the text: a clause is asked about while it is parted, read, and read without what is beside it.
    """
    asked = (tokens, situation.place())
    if asked not in situation.known:
        situation.known[asked] = _readings_of(tokens, situation, lexicon)
    return list(cast("list[Reading]", situation.known[asked]))


def _readings_of(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    found = readings(tokens, situation, lexicon)
    if (named := _with_its_name(tokens, situation)) is not None:
        noun = next((word for word in situation.spoken[-1] if word in lexicon.keys), "")
        found += [
            one
            for one in _costing(readings(named, situation, lexicon), _FOR_NAMED)
            if not noun or any(noun in sense.about for sense in lexicon.registry.said(one.command).senses)
        ]
    if (turned := _active(tokens, lexicon)) is not None:
        found += _costing(readings(turned, situation, lexicon), _FOR_TURNED)
    if not any(one.is_whole and one.cost <= MOST_COST for one in found):
        found += _with_unsaid(tokens, situation, lexicon)
        found += _framed(tokens, situation, lexicon)
        found += _asked(tokens, situation, lexicon)
        found += _of_a_name(tokens, situation, lexicon)
    return sorted(found, key=lambda one: one.cost)


def _of_a_name(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """A name alone says nothing of what is to be done with it: that it be shown is only offered."""
    said = [one for one in tokens if one.kind != SIGN and not (one.kind == WORD and one.text in IDLE)]
    if len(said) != 1 or said[0].kind not in (WORD, PATH) or lexicon.is_verb(said[0]):
        return []
    show = Token(WORD, _UNSAID[0], _UNSAID[0], said[0].start, said[0].start)
    found = readings((show, *said), situation, lexicon, Wanted(whole=True))
    named = [one for one in found if one.is_whole and one.params]
    if _PLEASE.search(situation.raw) and _is_alone(tokens, situation.raw):
        # Whoever says “please” asks for it, and of a file nothing less can be asked than to see it.
        files = [one for one in named if not one.items and _is_a_file(one, situation)]
        return _costing(files, _FOR_UNSAID) if len(files) == 1 else _costing(named, _FOR_A_NAME)
    return _costing(named, _FOR_A_NAME)


_PLEASE = re.compile(
    r"\b(?:please|pls|plz|kindly|(?:may|can|could|might)\s+(?:i|we)\s+ask\s+(?:you\s+)?for\s+(?:the|my|our|your))\b",
    re.IGNORECASE,
)


def _is_a_file(one: Reading, situation: Situation) -> bool:
    return all(situation.tree.kind(str(value)) == FILE for value in one.values().values())


# More than any reading that is taken may have against it.
_FOR_A_NAME = MOST_COST + 1.0


def _costing(found: list[Reading], cost: float) -> list[Reading]:
    return [replace(one, cost=round(one.cost + cost, 4)) for one in found]


def _framed(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """Readings of what the clause means by a turn of phrase."""
    found: list[Reading] = []
    # “Photos can go?” states nothing; “could the club get a folder x?” asks for one.
    is_doubted = situation.raw.rstrip().endswith("?") and tokens[0].text not in _AUXILIARIES
    is_alone = not is_doubted and (_is_alone(tokens, situation.raw) or _comes_next(tokens, situation.raw))
    for clause, frame in framed(tokens, situation.raw, is_alone=is_alone):
        made = readings(clause, situation, lexicon)
        found += [one for one in made if not frame.of_file or _is_of_a_file(one, situation)]
    return _costing(found, _FOR_FRAMED)


_NEXT = re.compile(r"\b(?:then|afterwards|next|after\s+that)\s*,?\s*\Z", re.IGNORECASE)


def _comes_next(tokens: tuple[Token, ...], raw: str) -> bool:
    """“…, then x moves in there”: what comes next is a step, however it is stated."""
    first = tokens[0] if tokens else None
    return first is not None and bool(_NEXT.search(raw[max(0, first.start - 20) : first.start]))


def _is_of_a_file(one: Reading, situation: Situation) -> bool:
    return "path" in one.params and situation.tree.kind(str(one.params["path"].value)) == FILE


def _asked(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """Readings of the question that somebody wants to have answered; whoever asks wants nothing to be done."""
    found = []
    for clause in direct(tokens, situation.raw):
        found += [*readings(clause, situation, lexicon), *_framed(clause, situation, lexicon)]
    return _costing([one for one in found if one.command.effect == "idempotent"], _FOR_TURNED)


def _is_alone(tokens: tuple[Token, ...], raw: str) -> bool:
    """Whether a clause is all that a text says, but for courtesy."""
    around = (raw[: tokens[0].start], raw[tokens[-1].end :]) if tokens else ()
    # A full stop that stands alone would be a path.
    return all(_carries_nothing(part.strip(" \t\n.!?")) for part in around)


def _carries_nothing(part: str) -> bool:
    # A plain word that carries something is seen without splitting all that is said, which is done for each clause.
    if not all(_is_idle(word) for word in part.split() if word.isalpha()):
        return False
    return _is_idle(part)


@lru_cache(maxsize=4_096)
def _is_idle(said: str) -> bool:
    return all(token.kind == SIGN or token.text in IDLE for token in tokens_of(said))


def _with_unsaid(tokens: tuple[Token, ...], situation: Situation, lexicon: Lexicon) -> list[Reading]:
    """Readings with a verb that goes without saying, of a clause that begins with none.

    “The last five commits” is to be shown, “autonomous mode on” to be turned on. Only what is named by its own nouns is
    meant like that, and a name alone says nothing of what is to be done with it.
    """
    first = next((one for one in tokens if one.kind != SIGN and one.text not in IDLE - LEADING), None)
    spoken = any(
        one.kind == WORD
        and one.text not in IDLE
        and (lexicon.knows(one.text) or not lexicon.keys.isdisjoint(lexicon.meanings(one)))
        for one in tokens
        if not situation.tree.kind(one.value)
    )
    last = next((one for one in reversed(tokens) if one.kind != SIGN), None)
    if first is None or last is None or lexicon.is_verb(first) or not spoken or last.text in LITTLE - {"on"}:
        return []
    at = tokens[0].start
    is_named = any(one.is_literal or one.text in _NAMING for one in tokens)
    found: list[Reading] = []
    runs = first.value in RUNNING and any(one.text in _NAMING or one.text == "background" for one in tokens)
    for verb in (*_UNSAID, *(("start",) if runs else ())):
        if verb != "show" and tokens[0].text in _BE_FORMS:
            continue  # “is there a branch x?” asks, and makes none
        if verb == "make" and not is_named:
            continue  # “that file is important” asks for nothing to be made
        whole = (Token(WORD, verb, verb, at, at), *tokens)
        found += [
            one
            for one in readings(whole, situation, lexicon, Wanted(whole=True, grounded=verb != "start"))
            if (one.is_grounded or verb == "start")
            and one.is_whole
            and all(value.span != (at, at) for value in one.params.values())
            # “How does it go?” has nothing gone: what takes away is said.
            and not any(place.goes for place in lexicon.registry.said(one.command).places.values())
        ]
    return _costing(found, _FOR_UNSAID)


def _with_its_name(tokens: tuple[Token, ...], situation: Situation) -> tuple[Token, ...] | None:
    """The clause with “it” in the words for what was spoken of last: “switch to it” is “switch to the branch x”."""
    if (whole := _with_its_kind(tokens, situation)) is not None:
        return whole
    pointing = (at for at, one in enumerate(tokens) if one.kind == WORD and one.text in _POINTING)
    at = next(pointing, next((at for at, one in enumerate(tokens) if one.kind == WORD and one.text == "its"), None))
    if at is None or not situation.spoken:
        return None
    it = tokens[at]
    if it.text == "its":
        return _with_its_owner(tokens, at, situation.spoken[-1])
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if it.text in ("that", "this") and following is not None and following.kind != SIGN:
        return None
    said = ("to", *situation.spoken[-1]) if it.text == "there" else situation.spoken[-1]
    words = [Token(WORD, word.casefold(), word, it.start, it.end) for word in said]
    return (*tokens[:at], *words, *tokens[at + 1 :])


def _with_its_kind(tokens: tuple[Token, ...], situation: Situation) -> tuple[Token, ...] | None:
    """“The note”, where the note x was spoken of last, as “the note x”."""
    if not situation.spoken or len(situation.spoken[-1]) < 2:
        return None
    kind, *name = situation.spoken[-1]
    for at in range(1, len(tokens)):
        behind = tokens[at + 1 :]
        is_kind = tokens[at].text == kind and tokens[at - 1].text in ("the", "this", "that")
        if is_kind and all(one.kind == SIGN or one.text in IDLE for one in behind):
            end = tokens[at].end
            said = [Token(WORD, word.casefold(), word, end, end) for word in name]
            return (*tokens[: at + 1], *said, *behind)
    return None


def _with_its_owner(tokens: tuple[Token, ...], at: int, spoken: tuple[str, ...]) -> tuple[Token, ...] | None:
    """“Its log” as “the log of the program x”."""
    if at + 1 >= len(tokens) or tokens[at + 1].kind != WORD:
        return None
    its, noun = tokens[at], tokens[at + 1]
    owner = [Token(WORD, word.casefold(), word, its.start, its.end) for word in ("of", *spoken)]
    return (*tokens[:at], replace(its, text="the", value="the"), noun, *owner, *tokens[at + 2 :])


def _active(tokens: tuple[Token, ...], lexicon: Lexicon) -> tuple[Token, ...] | None:
    """“X should be moved to y” as “move X to y”; “I want X moved to y” too."""
    opening = 0
    while opening < len(tokens) and (tokens[opening].text in _AUXILIARIES | {"i", "we", "you"}):
        opening += 1
    asks = any(token.text in _HAVING for token in tokens[: opening + 1])
    if opening < len(tokens) and tokens[opening].text in _HAVING:
        opening += 1
    for at in range(opening + 1, len(tokens)):
        verb = tokens[at]
        if verb.kind != WORD or verb.text == bases(verb.text)[-1]:
            continue
        if not lexicon.is_exact_verb(verb):
            continue
        ends = at
        while ends > opening and tokens[ends - 1].text in _AUXILIARIES:
            ends -= 1
        has_be = any(token.text in _BE for token in tokens[ends:at])
        subject = tokens[opening:ends]
        if not subject or not (has_be or asks):
            continue
        behind = at + 1 + (at + 1 < len(tokens) and tokens[at + 1].text in _PARTICLES)
        start = tokens[0].start
        moved = tuple(replace(token, start=start, end=start) for token in tokens[at:behind])
        return (*moved, *subject, *tokens[behind:])
    return None
