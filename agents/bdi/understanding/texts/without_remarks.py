"""What a text means without its remarks and talk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.bdi.understanding.asides import moods, remarks
from agents.bdi.understanding.asides.talk import is_past, names_another, talk_in
from agents.bdi.understanding.checks import qualifiers, reservations
from agents.bdi.understanding.effort import TooMuch
from agents.bdi.understanding.names.paths import FILE
from agents.bdi.understanding.questions import asked_with, short
from agents.bdi.understanding.texts.one_by_one import Heard, read_through
from agents.bdi.understanding.texts.splitting import MAX_TOKENS, WAYS
from agents.bdi.understanding.understood import Understood
from agents.bdi.understanding.values.time_limits import time_limits
from agents.bdi.understanding.words.dictated import written
from agents.bdi.understanding.words.filler import DENYING
from agents.bdi.understanding.words.lexicon import Lexicon
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.tokens import SIGN, Token, number_of, tokens_of, with_numbers

# In so many pieces a text is tried without one of them.
MOST_PIECES = 5
# No little word before a value has more words.
_MOST_OF_A_CUE = 5
UNCLEAR = "It says something of it that may rule the command or not."


def with_told(heard: Heard, told: moods.Told) -> Understood | None:
    """What a text means without what was set aside; None where it does what another part of it forbids."""
    text, lexicon = heard.text, heard.lexicon
    blank = moods.without(heard.blank, told)
    found = read_through(heard, blank, told)
    if not found.meant and not any(question.choices for question in found.questions):
        return None
    if any(_gives_a_value(text[start:end], found, lexicon) for start, end in told.spans):
        return None
    if any(_denies_what_follows(text[start:end]) or _orders(text[start:end]) for start, end in told.spans):
        return None
    if _chooses(found, told, heard):
        return asked_with(text, found, "It says which of several are meant.") if found.is_sure else None
    said = {base for token in tokens_of(blank) for base in bases(token.text)}
    changing = any(lexicon.registry.command(one.tool, one.command).effect != "idempotent" for one in found.meant)
    if told.forbids and (changing or any(verb in said for _, _, verb in told.forbids)):
        return asked_with(text, found, "It forbids something, too.") if found.is_sure else None
    if found.is_sure and any(
        reservations.taken_back(text[start:end], found.meant, heard.tree, lexicon.registry) for start, end in told.spans
    ):
        return asked_with(text, found, UNCLEAR)
    aside = [f"“{short(text[start:end])}” was read as told and not as asked" for start, end in told.spans]
    return replace(
        found,
        notes=(*found.notes, *aside),
        aside=(*found.aside, *(text[start:end] for start, end in told.tells)),
    )


def _chooses(found: Understood, told: moods.Told, heard: Heard) -> bool:
    """Whether what is set aside may choose among the things that are meant; one file that is only shown is chosen."""
    registry = heard.lexicon.registry
    for one in found.meant:
        command = registry.command(one.tool, one.command)
        places = registry.said(command).places
        if command.effect == "idempotent" and all(
            name in one.params and heard.tree.kind(str(one.params[name].value)) == FILE for name in places
        ):
            continue
        return any(qualifiers.restricts(span, told.spans, heard.blank) for span in told.spans)
    return False


def _gives_a_value(clause: str, found: Understood, lexicon: Lexicon) -> bool:
    """Whether a clause may give a value that one of the commands is open for.

    It begins with the little word of one, “because …”, says a switch, “4xx is fine”, or a limit of time.
    """
    tokens = with_numbers(tokens_of(clause))
    while tokens and (tokens[0].kind == SIGN or tokens[0].text in ("and", "but", "so")):
        if [token.text for token in tokens[:2]] == ["so", "that"]:
            break
        tokens = tokens[1:]
    begins = tuple(token.text for token in tokens[:_MOST_OF_A_CUE])
    is_wish = tokens and tokens[0].text in ("i", "we", "you", "they", "he", "she")
    if (
        is_wish
        and any(number_of(token) is not None for token in tokens)
        and not remarks.gives_nothing_to(tokens, found.meant, lexicon)
    ):
        # “I only care about the first ten lines.”
        return True
    spoken = f" {' '.join(token.text for token in tokens)} "
    for one in found.meant:
        for sense in lexicon.registry.said(lexicon.registry.command(one.tool, one.command)).senses:
            if any(
                name not in one.params and f" {' '.join(said)} " in spoken for said, (name, _) in sense.flags.items()
            ):
                return True
            for slot in sense.slots:
                if slot.parameter in one.params:
                    continue
                if any(begins[: len(cue)] == cue for cue in slot.cues):
                    return True
                if slot.parameter.endswith("_s") and any(time_limits(tokens)):
                    return True
    return False


def _denies_what_follows(clause: str) -> bool:
    """“Do not, under any circumstances, (open it)”: what is denied stands behind it, and not in it."""
    texts = [token.text if token.kind != SIGN else "" for token in tokens_of(clause)]
    return any(
        one in DENYING and not after and before != "or"
        for before, one, after in zip(["", *texts], texts, [*texts[1:], ""], strict=False)
    )


def _orders(clause: str) -> bool:
    """“(Start it,) show me what it wrote (and stop it)”: what begins so is a command, understood or not."""
    texts = [token.text for token in tokens_of(clause) if token.kind != SIGN]
    while texts and texts[0] in ("and", "then", "please", "now", "also"):
        texts.pop(0)
    return len(texts) > 1 and texts[0] in _ORDERS and texts[1] in _OBJECTS


_ORDERS = frozenset("show list read open print display give run delete remove stop start send".split())
_OBJECTS = frozenset("me us what the its it them my our all every each".split())


def beside_remarks(heard: Heard) -> Understood | None:
    """What a text means without the remarks in it; None where it is not sure without them either."""
    text, told, lexicon = heard.text, heard.told, heard.lexicon
    if len(heard.tokens) > MAX_TOKENS:
        return None
    left = written(tokens_of(moods.without(heard.blank, told)))
    spoken = [part for part in remarks.remarks_in(left, heard.tree, lexicon) if part]
    if not spoken:
        return None
    spans = tuple(remarks.span_of(part, text) for part in spoken)
    aside = moods.Told(tuple(sorted((*told.tells, *spans))))
    try:
        found = with_told(heard, aside)
    except TooMuch:
        return None
    if found is None or not found.is_sure:
        return None
    return found if all(remarks.gives_nothing_to(part, found.meant, lexicon) for part in spoken) else None


def beside_talk(heard: Heard) -> list[Understood]:
    """What a text means beside the clauses that only talk, by each way to take names in which that is sure."""
    if not heard.tokens or len(heard.tokens) > MAX_TOKENS:
        return []
    talk = talk_in(heard.tokens, heard.tree, heard.lexicon)
    found: list[Understood] = []
    for names in ("", *WAYS) if talk else ():
        if not (found and names.endswith("new")):
            one = _without_talk(replace(heard, names=names), talk)
            found += [one] if one is not None else []
    return found


def _without_talk(heard: Heard, talk: Sequence[tuple[Token, ...]]) -> Understood | None:
    """What a text means without talk; without all of it, or all but one piece that only looks like some."""
    text, told, lexicon = heard.text, heard.told, heard.lexicon
    ways = [[*talk], *([*talk[:at], *talk[at + 1 :]] for at in range(len(talk)) if 1 < len(talk) <= MOST_PIECES)]
    for way in ways:
        spans = tuple(sorted(remarks.span_of(piece, text) for piece in way))
        try:
            found = with_told(heard, moods.Told(spans, told.forbids))
        except TooMuch:
            return None
        if (
            found is not None
            and found.is_sure
            and all(is_past(one, lexicon) or remarks.gives_nothing_to(one, found.meant, lexicon) for one in way)
            and not any(names_another(piece, found.meant, heard.tree) for piece in way)
        ):
            return found
    return None
