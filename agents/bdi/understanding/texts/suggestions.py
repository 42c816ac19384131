"""What is likely meant by a text that is not understood: what some of its pieces mean without the others, what it
names, the line of a terminal that it looks like. Nothing of it is ever taken; it is offered beside what is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from agents.bdi.understanding.asides import moods, remarks
from agents.bdi.understanding.effort import Effort, TooMuch
from agents.bdi.understanding.questions import MAX_CHOICES, choice_of, is_left_out, short
from agents.bdi.understanding.texts.one_by_one import Heard, read_through
from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.bdi.understanding.words.filler import DENYING, IDLE
from agents.bdi.understanding.words.tokens import SIGN, Token

Reading = Callable[[str, Effort], Understood]

# In more pieces a text is not tried without some of them.
_MOST_PIECES = 6
_MOST_SAID = 3
# Words of a name, with what belongs to them: a longer text says more than a name.
_MOST_OF_A_NAME = 8
_OPTION = re.compile(r"[a-z][\w.+-]* (?:[\w./=:@+%-]+ )*--?[A-Za-z][\w./=:@+%, -]*\Z", re.ASCII)
# How somebody asks for a thing without saying what is to be done with it.
_ASKING = frozenset("ask see look bring check where's what's i'd i'll".split())


def guessed(heard: Heard, found: Understood, again: Reading) -> Understood:
    """The same question with what else may be meant as its answers; `again` reads another text.

    What is asked about one value stays so where an answer to it is at hand or nothing was said about it, and so do
    several questions that can all be answered.
    """
    if heard.told.forbids:
        return found
    open_ones = [one for one in found.questions if not one.choices and not one.parameter]
    about_values = [one for one in found.questions if one.parameter]
    answerable = len(found.questions) > 1 or any(one.choices or is_left_out(one) for one in about_values)
    if answerable and not open_ones:
        return found
    asked = (*open_ones, *found.questions, None)[0]
    choices = {choice.label: choice for choice in (asked.choices if asked is not None else ())}
    own = len(choices)
    for choice in _likely(heard, again):
        choices.setdefault(choice.label, choice)
        if len(choices) >= min(own + _MOST_SAID, MAX_CHOICES):
            break
    if len(choices) == own:
        return found
    text = f"What is meant by “{short(heard.text)}”?"
    why = asked.why if asked is not None else "No command is said like this."
    return replace(found, meant=(), questions=(Question(1, text, why, "", tuple(choices.values())),), confidence=0.0)


def _likely(heard: Heard, again: Reading) -> Iterator[Choice]:
    try:
        yield from _without_pieces(heard)
        if _OPTION.match(heard.text):
            yield from _read_as(heard, "run `", (0, len(heard.text)), "`", again)
        for piece in reversed(remarks.pieces_of(heard.tokens)[-_MOST_SAID:]):
            if name := _may_be_a_name(piece):
                yield from _read_as(heard, "show the ", (name[0].start, name[-1].end), "", again)
    except TooMuch:
        return


def _without_pieces(heard: Heard) -> Iterator[Choice]:
    """What the text means when some of its pieces are left out: as few as can be first, those before the rest, and
    those behind it, last of all but one.
    """
    pieces = [piece for piece in remarks.pieces_of(heard.tokens) if any(token.text not in IDLE for token in piece)]
    if not 1 < len(pieces) <= _MOST_PIECES:
        return
    every = range(len(pieces))
    kept = [[*every[:at], *every[at + 1 :]] for at in every]
    kept += [list(every[at:]) for at in every[1:]] + [list(every[:at]) for at in reversed(every[1:])]
    tried: list[list[int]] = []
    for some in sorted(kept, key=len, reverse=True):
        if some in tried:
            continue
        tried.append(some)
        gone = [pieces[at] for at in every if at not in some]
        if any(token.text in DENYING for piece in gone for token in piece):
            continue
        aside = moods.Told(tuple(sorted((*heard.told.spans, *(remarks.span_of(piece, heard.text) for piece in gone)))))
        for names in ("", "far new"):
            found = read_through(replace(heard, names=names), moods.without(heard.blank, aside), aside)
            if found.is_sure:
                said = ", ".join(f"“{short(' '.join(token.value for token in piece), 60)}”" for piece in gone)
                yield replace(choice_of(found.meant), why=f"without {said}")
                break


def _may_be_a_name(piece: Sequence[Token]) -> Sequence[Token]:
    """What of a piece may be nothing but how something is called: “(may I ask for the) shift plan for the fête”."""
    words = [token for token in piece if token.kind != SIGN]
    while words and words[0].text in IDLE | _ASKING:
        words.pop(0)
    while words and words[-1].text in IDLE:
        words.pop()
    return words if len(words) <= _MOST_OF_A_NAME else ()


def _read_as(heard: Heard, before: str, said: tuple[int, int], behind: str, again: Reading) -> Iterator[Choice]:
    """A stretch of the text as part of another one that says what is to be done with it."""
    start, end = said
    found = again(f"{before}{heard.text[start:end]}{behind}", heard.effort)
    if found.is_sure:
        yield choice_of([_moved(one, start - len(before), heard.text) for one in found.meant])


def _moved(one: Meant, by: int, text: str) -> Meant:
    """The same with its values where they stand in the text that was given."""
    params = {
        name: replace(param, span=(param.span[0] + by, param.span[1] + by)) if param.span is not None else param
        for name, param in one.params.items()
    }
    return replace(one, params=params, text=text)
