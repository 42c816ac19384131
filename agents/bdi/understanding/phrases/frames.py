"""Whole turns of phrase that mean a plain command: “x can go” is “remove x”, “x belongs into y” is “move x to y”.

The left side is what people say, the right side a command as tools declare it. `{x}` stands for one or more words that
are kept as they are, on the right side `"{x}"` for them as one text in quotes, `a|b` for either word, `[a]` for what
may be missing; `!` marks a statement that asks for something only where nothing else is said, `~` what is only meant of
a file. A frame is tried on a
clause that is no command as it stands; what it makes of it is read like any other clause, so every word has still to be
explained.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from agents.bdi.understanding.phrases.file_contents import ABOUT_CONTENTS
from agents.bdi.understanding.phrases.files import ABOUT_FILES
from agents.bdi.understanding.phrases.general import SAID
from agents.bdi.understanding.phrases.programs import ABOUT_PROGRAMS
from agents.bdi.understanding.phrases.questions import ASKED
from agents.bdi.understanding.phrases.tools import ABOUT_TOOLS
from agents.bdi.understanding.values.line_values import RUNNING
from agents.bdi.understanding.values.text_values import LITTLE
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.naming_words import type_of
from agents.bdi.understanding.words.tokens import DATA, NUMBER, PATH, QUOTED, SIGN, URL, WORD, Token, number_of

# How many readings of one frame are tried, and how many tokens a clause may have that frames are tried on.
_MOST, _LONGEST = 3, 40
_COURTESY = frozenset(
    """
please kindly could can would will you i we just now hey hi ok okay so well and also then d 'd am be 'm like to love
quickly
    """.split()
)
# “Every file goes to x”, “who needs a folder?” states nothing of one thing here.
_NOBODY = frozenset(
    "every each no nobody somebody everybody anybody nothing something anything who whoever what which if perhaps "
    "possibly".split()
)
_OPTIONAL, _WORDS, _VARIABLE = "optional", "words", "variable"


@dataclass(frozen=True)
class Frame:
    """What people say, element by element, and the command that it means."""

    said: tuple[tuple[str, tuple[str, ...]], ...]
    means: tuple[str, ...]
    # One of these words must be in the clause: the first of its words that may not be missing.
    needs: tuple[frozenset[str], ...]
    # It states something: beside a command it may only tell how it comes to that.
    is_statement: bool = False
    # What it is about must be a file: “is Petra in the office?” looks for nobody's name.
    of_file: bool = False


def framed(tokens: Sequence[Token], raw: str, *, is_alone: bool) -> Iterator[tuple[tuple[Token, ...], Frame]]:
    """The commands that a clause means by a frame, with that; none where no frame fits.

    `is_alone`: it is all that is said.
    """
    if not tokens or len(tokens) > _LONGEST:
        return
    begin = next((at for at, one in enumerate(tokens) if one.text not in _COURTESY), 0)
    starts = range(begin, begin + 1) if not begin else (begin, begin - 1)
    forms = {form for one in tokens for form in ((one.text, *bases(one.text)) if one.kind == WORD else (one.value,))}
    seen: set[tuple[str, ...]] = set()
    for frame in _candidates(forms):
        if (frame.is_statement and not is_alone) or not all(forms & words for words in frame.needs):
            continue
        for start in starts:
            for number, values in enumerate(_fits(frame.said, tokens[start:])):
                if number >= _MOST:
                    break
                if frame.is_statement and any(said[0].text in _NOBODY for said in values.values()):
                    continue
                made = _made(frame, values, tokens[0].start, raw)
                key = tuple(one.text for one in made)
                if key not in seen:
                    seen.add(key)
                    yield made, frame


def _candidates(forms: set[str]) -> Iterator[Frame]:
    index = _frames()
    found = {number: frame for word in forms for number, frame in index.get(word, ())}
    for number in sorted(found):
        yield found[number]


def _fits(
    said: tuple[tuple[str, tuple[str, ...]], ...], tokens: Sequence[Token]
) -> Iterator[Mapping[str, tuple[Token, ...]]]:
    """The ways in which a frame fits these tokens from the first to the last."""
    if not said:
        if not tokens or all(one.kind == SIGN for one in tokens):
            yield {}
        return
    (kind, words), rest = said[0], said[1:]
    if kind == _VARIABLE:
        (name,) = words
        for length in range(1, len(tokens) + 1):
            if not _may_be(name, tokens[:length]):
                continue
            for found in _fits(rest, tokens[length:]):
                yield {name: tuple(tokens[:length]), **found}
        return
    if tokens and _is_one_of(tokens[0], words):
        yield from _fits(rest, tokens[1:])
    if kind == _OPTIONAL:
        yield from _fits(rest, tokens)


def _is_one_of(token: Token, words: tuple[str, ...]) -> bool:
    if token.kind == SIGN:
        return token.value in words or token.value[:1] in words
    return token.kind == WORD and (token.text in words or any(base in words for base in bases(token.text)))


def _may_be(name: str, tokens: Sequence[Token]) -> bool:
    """Whether these tokens can stand here: V is the name of a variable, n any name, a anything said, N one that is no
    program's, M one of a process, e an ending, q, t and w texts, u an address, d and D digits, k a kind of things, m a
    kind of files, o what is not quoted, F a path, P a command line that begins with a program, L one of
    several words, B what is sent, C somebody's name.

    A w looks like a text that stands somewhere, and not like a word of the sentence: “ERROR”, “500”, `load_rows`.
    """
    first = tokens[0]
    if name == "a":
        return len(tokens) == 1 and first.kind != SIGN
    if all(one.kind == SIGN or one.text in IDLE for one in tokens):
        # “We can go” names nothing.
        return False
    if name == "n":
        return len(tokens) == 1 and first.kind != SIGN
    if name == "t" and not first.is_literal and not (number_of(first) is not None):
        # A long row of words without quotes is rather a sentence than what is sought.
        return len(tokens) <= 2 and all(one.kind != SIGN and one.text not in _NO_TEXT for one in tokens)
    if name == "w":
        looks = first.is_literal or not first.value.islower() or not first.value.isalpha()
        return len(tokens) == 1 and first.kind != SIGN and looks
    if name == "o":
        return first.kind not in (SIGN, QUOTED) and tokens[-1].kind != SIGN
    if name == "m":
        return len(tokens) == 1 and first.kind == WORD and bool(type_of(first.text))
    if name == "u":
        return len(tokens) == 1 and (first.kind == URL or first.text.startswith("www."))
    if name in _OF_A_KIND:
        return len(tokens) == 1 and first.kind in _OF_A_KIND[name]
    if name == "N":
        is_plain = first.kind == WORD and first.value not in RUNNING and first.text not in IDLE | _FAULTS
        return len(tokens) == 1 and is_plain
    if name == "M":
        return len(tokens) == 1 and first.kind == WORD and first.text not in _PROCESSES
    if name == "P":
        return first.value in RUNNING or first.value.startswith("./")
    if name == "L":
        return len(tokens) > 1 and first.value in RUNNING
    if name == "C":
        named = (one.kind == WORD and one.value[:1].isupper() and one.text not in IDLE for one in tokens)
        return len(tokens) <= 3 and all(named)
    if name == "V":
        return (
            len(tokens) == 1
            and first.value.isupper()
            and first.value.replace("_", "").isalnum()
            and len(first.value) > 2
        )
    if name == "q":
        return len(tokens) == 1 and first.kind == QUOTED
    if name == "e":
        return len(tokens) == 1 and first.kind != SIGN
    if name == "k":
        return len(tokens) == 1 and first.kind == WORD and first.text not in _IN_TEXTS and not first.value.isupper()
    return first.kind != SIGN and tokens[-1].kind != SIGN


# What runs is one of these; that alone says not which.
_PROCESSES = frozenset("program process job script service command thing app task test tests".split())
_OF_A_KIND = {"d": (NUMBER,), "D": (NUMBER,), "F": (PATH,), "B": (QUOTED, DATA)}
# None of these is what somebody looks for, nor a part of it that they would say without quotes; faults are looked for
# by what reads code.
_FAULTS = frozenset(
    """
bug bugs problem problems issue issues mistake mistakes error errors fault faults flaw flaws typo typos weakness
weaknesses vulnerability vulnerabilities smell smells duplicates
    """.split()
)
_NO_TEXT = (
    ARTICLES
    | DOUBT
    | LITTLE
    | _FAULTS
    | {"word", "term", "text", "phrase", "it", "them", "something", "anything", "where", "any", "me", "us"}
)


def _made(frame: Frame, values: Mapping[str, tuple[Token, ...]], at: int, raw: str) -> tuple[Token, ...]:
    made: list[Token] = []
    for word in frame.means:
        before, brace, behind = word.partition("{")
        name, _, after = behind.partition("}")
        if not brace:
            made.append(Token(WORD, word, word, at, at))
        elif before == after == '"':
            made.append(_quoted(values[name], raw))
            at = made[-1].end
        elif before or after:
            (one,) = values[name]
            value = f"{before}{one.value}{after}"
            made.append(replace(one, kind=PATH, text=value.casefold(), value=value))
        else:
            made += values[name]
            at = values[name][-1].end
    return tuple(made)


def _quoted(tokens: Sequence[Token], raw: str) -> Token:
    """Several tokens as one text, as it stands; what is in quotes already is taken out of them."""
    if len(tokens) == 1 and tokens[0].kind == QUOTED:
        return tokens[0]
    start, end = tokens[0].start, tokens[-1].end
    if len(tokens) == 1 and tokens[0].kind == NUMBER:
        # “Any 500s”: more of them are still that number.
        return Token(QUOTED, tokens[0].value, tokens[0].value, start, end)
    return Token(QUOTED, raw[start:end].casefold(), raw[start:end], start, end)


@cache
def _frames() -> Mapping[str, tuple[tuple[int, Frame], ...]]:
    """Frames by each way of their rarest word."""
    index: defaultdict[str, list[tuple[int, Frame]]] = defaultdict(list)
    phrases = "\n".join((ASKED, SAID, ABOUT_FILES, ABOUT_TOOLS, ABOUT_CONTENTS, ABOUT_PROGRAMS))
    lines = (line for line in phrases.replace("\n    ", "  ").splitlines() if line.strip())
    for number, line in enumerate(lines):
        left, _, right = line.partition("  >  ")
        said = tuple(_element(one) for one in left.lstrip("!~ ").split())
        needs = tuple(frozenset(words) for kind, words in said if kind == _WORDS)
        frame = Frame(said, tuple(right.split()), needs, left.startswith("!"), left.startswith("~"))
        rarest = min(needs, key=lambda words: (bool(words & _COMMON), len(words)))
        for word in rarest:
            index[word].append((number, frame))
    return {word: tuple(frames) for word, frames in index.items()}


# What is in texts and no thing that lies in a folder: “which errors are in the logs folder?”.
_IN_TEXTS = frozenset(
    """
error errors bug bugs word words line lines text texts function functions class classes method methods import imports
mention mentions problem problems mistake mistakes typo typos comment comments warning warnings todo todos changes issue
issues fault faults commit commits sentence sentences
    """.split()
)
_COMMON = frozenset("the a an in of to for from with is are be do does it me us i we what and have has there".split())


def _element(text: str) -> tuple[str, tuple[str, ...]]:
    if text.startswith("{"):
        return _VARIABLE, (text.strip("{}"),)
    if text.startswith("["):
        return _OPTIONAL, tuple(text.strip("[]").split("|"))
    return _WORDS, tuple(text.split("|"))
