"""Which sentences of a whole text are worth comparing with each other. Pure and linear.

Comparing takes a sentence model and time, so a long text is thinned out first by what can be counted: the words that
the text itself uses often, where a sentence stands and how it is made. What is taken comes from all of the text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from agents.toolkit.summarization.sentences import Sentence

MOST = 72
# Of more than a book has, as many are counted, evenly from the first to the last.
MOST_LOOKED_AT = 10_000
LEAST_WORDS, LEAST_CHARS = 4, 24
_LEAST_LETTERS = 0.6
_MOST_MARKS = 0.05
_PARTS = 24
_WORD = re.compile(r"[^\W\d_]{3,40}")
_WITHOUT_MARKS = str.maketrans("", "", "=(){}[]<>;|\\_$@/")
_ENDS = tuple('.!?…。！？｡．؟۔।॥"”’)」』')
# What begins so stands on the sentence before it.
_LEANING = re.compile(
    r"(?:this|that|these|those|it|they|he|she|but|and|or|so|also|however|then|thus|therefore|otherwise|moreover|again"
    r"|furthermore|instead|nevertheless|for example|e\.g|i\.e|in this case|as above|note that|if such"
    r"|(?:\w+ of )?these)\b",
    re.IGNORECASE,
)
# What sends its reader elsewhere.
_POINTING = re.compile(
    r"(?:(?:first|next|then|please|finally),? )?(?:see|join|check out|visit|follow|click|learn more|for more|read)\b",
    re.IGNORECASE,
)
# Sections about the project around a text, which most texts of their kind have in nearly the same words.
_ASIDE = re.compile(
    r"sponsor|donat|fund|backer|enterprise|licen[cs]e|copyright|contribut|code of conduct|acknowledg|thanks|credits"
    r"|badge|bug.?tracker|communit|get(?:ting)? help|mailing list|wiki|table of contents|further reading|see also"
    r"|spenden|lizenz|mitwirken|danksagung",
    re.IGNORECASE,
)


# What asks for money stands under all kinds of headings.
_ASKING = re.compile(r"\bsponsor|\bdonat|\bbackers?\b|\bfunding\b|commercial support|\bspende", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A sentence with its section, its place (0 the beginning, 1 the end) and what it is worth by its form, 0 to 1."""

    text: str
    section: int
    place: float
    form: float


@dataclass(frozen=True)
class Chosen:
    """The candidates in the order of the text, how many different sentences it has, and what it is headed."""

    candidates: tuple[Candidate, ...]
    there: int
    title: str


def choose(found: list[Sentence], most: int = MOST) -> Chosen:
    """At most so many sentences of a text, from its beginning to its end."""
    there = list({one.text.casefold(): one for one in reversed(found)}.values())[::-1]
    looked_at = there if len(there) <= MOST_LOOKED_AT else [there[at] for at in _evenly(len(there), MOST_LOOKED_AT)]
    telling = [one for one in looked_at if _says_something(one.text)] or looked_at
    counted = Counter(word for one in telling for word in _words(one.text))
    aside = [bool(_ASIDE.search(one.under) or _ASKING.search(one.text)) for one in telling]
    about = len(aside) - sum(aside)
    if not about:
        aside, about = [False] * len(aside), len(aside)
    made: list[Candidate] = []
    before, title = 0, ""
    for number, one in enumerate(telling):
        # The beginning is where the text itself begins, whatever stands before it.
        place = before / about
        is_first = number == 0 or telling[number - 1].section != one.section
        made.append(Candidate(one.text, one.section, round(place, 4), round(_form(one, aside[number], is_first), 3)))
        before += not aside[number]
        if not title and not aside[number] and place <= 0.25 and _names_something(one.heading):
            title = one.heading
    return Chosen(tuple(_thinned(made, counted, most)), len(there), title)


def _evenly(count: int, most: int) -> list[int]:
    """So many places of a list, from its first to its last."""
    return [place * (count - 1) // (most - 1) for place in range(most)]


def _thinned(made: list[Candidate], counted: Counter[str], most: int) -> list[Candidate]:
    """The best of the whole text, a third of them from its first tenth and the others from every part of it."""
    if len(made) <= most:
        return made
    worth = [_frequency(one.text, counted, len(made)) * one.form for one in made]
    by_worth = sorted(range(len(made)), key=lambda index: (-worth[index], index))
    taken: set[int] = set([index for index in by_worth if made[index].place <= 0.1][: most // 3])
    waiting: list[list[int]] = [[] for _ in range(_PARTS)]
    for index in by_worth:
        if index not in taken:
            waiting[min(int(made[index].place * _PARTS), _PARTS - 1)].append(index)
    turn = 0
    while len(taken) < most:
        for part in waiting:
            if turn < len(part) and len(taken) < most:
                taken.add(part[turn])
        turn += 1
    return [made[index] for index in sorted(taken)]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _frequency(text: str, counted: Counter[str], sentences: int) -> float:
    """How much of what the text is about it says: often used words count, those that stand everywhere do not."""
    words = _words(text)
    if not words:
        return 0.1
    told = [math.log1p(counted[word]) * (1 - min(1.0, 3 * counted[word] / sentences)) for word in words]
    return 0.1 + sum(told) / (len(words) + 4)


def _form(one: Sentence, is_aside: bool, is_first: bool) -> float:
    """What it is worth by how it is made: a whole statement that stands for itself is worth most."""
    text = one.text
    first = next((char for char in text if char.isalnum()), "")
    lacks = (
        (first.islower(), 0.25),
        (not text.endswith(_ENDS), 0.1 if one.is_item else 0.2),
        (one.is_item, 0.1),
        (not one.is_whole, 0.25),
        (bool(_LEANING.match(text) or _POINTING.match(text)), 0.2),
        (one.is_quoted, 0.25),
        (text.endswith(("?", "？", "؟")), 0.05),
        (not 40 <= len(text) <= 280 and first < "\u2e80", 0.15),
        (text.startswith(("Copyright", "©", "(c)", "(C)")), 0.4),
        ("://" in text or "www." in text, 0.2),
        (is_aside, 0.45),
        (not is_first, 0.08),
    )
    worth = 1.0
    for applies, less in lacks:
        if applies:
            worth -= less
    return max(worth, 0.1)


def _names_something(heading: str) -> bool:
    """Whether a heading can tell what a text is about: no number, no date, nothing about the project around it."""
    return sum(map(str.isalpha, heading)) > 0.6 * len(heading) and not _ASIDE.search(heading)


def _says_something(sentence: str) -> bool:
    """Whether it reads like a statement: long enough, and letters for the most part; scripts without spaces too."""
    marks = len(sentence) - sentence.count(" ")
    if sentence.isascii():
        letters, wide = sum(map(str.isalpha, sentence)), 0
    else:
        letters = sum(unicodedata.category(char)[0] in "LM" for char in sentence)
        wide = sum(char > "\u2e7f" for char in sentence)
    code = len(sentence) - len(sentence.translate(_WITHOUT_MARKS))
    if sentence.endswith((":", "：")) or letters < _LEAST_LETTERS * marks or code > 3 + _MOST_MARKS * marks:
        return False
    return wide >= LEAST_CHARS // 3 or (len(sentence) >= LEAST_CHARS and len(sentence.split()) >= LEAST_WORDS)
