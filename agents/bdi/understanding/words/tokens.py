"""A command as tokens with their positions: words, quoted texts, paths, addresses, numbers, signs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.bdi.understanding.words.written_paths import looks_like_path
from agents.toolkit.wording.words import QUOTES, fold

WORD, QUOTED, PATH, URL, NUMBER, SIGN, DATA, FLAG, PLACEHOLDER = (
    "word quoted path url number sign data flag placeholder".split()
)
LITERALS = frozenset({QUOTED, PATH, URL, NUMBER, DATA, PLACEHOLDER})
_URL = re.compile(r"https?://[^\s\"'<>`”]+", re.IGNORECASE)
# An address that no request goes to, `redis://localhost:6379/2`, is somebody's value as it stands.
_OTHER_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://[^\s\"'<>`”]+", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"<[^<>\n]{1,80}>|\{[a-z_ ]{2,40}\}")
_FLAG = re.compile(r"--?[A-Za-z][\w-]*(?:=[^\s]+)?(?=\s|$)")
_RANGE = re.compile(r"(\d{1,9})\s?[-–]\s?(\d{1,9})(?=[\s,.;]|$)")
_NUMBER = re.compile(r"\d{1,9}(?=[\s,.;:!?)]|$|(?:st|nd|rd|th|s|x)\b)")
_KEY = re.compile(r"([A-Za-z_][\w]*)\s?=(?!=)")
_DATA = re.compile(r"[{\[]\s{0,99}[\"{\[\d]|\{\}|\[\]")
# A longer row of characters without a space is taken as it is, and not looked into.
MAX_WORD = 400
_OPENING = re.compile(r"[(\[]{4}")
_WORDS_OF = {
    "what's": "what is", "whats": "what is", "where's": "where is", "wheres": "where is", "who's": "who is",
    "how's": "how is", "hows": "how is",
    "there's": "there is", "it's": "it is", "that's": "that is", "let's": "let us", "lets": "let us", "don't": "do not",
    "dont": "do not", "doesn't": "does not", "didn't": "did not", "can't": "can not", "cannot": "can not",
    "won't": "will not", "wouldn't": "would not", "couldn't": "could not", "shouldn't": "should not",
    "isn't": "is not", "i'd": "i would", "i'm": "i am", "i've": "i have", "i'll": "i will", "we'd": "we would",
    "we'll": "we will", "we're": "we are", "you'd": "you would", "you're": "you are", "gimme": "give me",
    "lemme": "let me", "wanna": "want to", "gonna": "going to", "gotta": "got to", "u": "you", "ya": "you", "r": "are",
    "im": "i am", "ive": "i have", "we've": "we have", "weve": "we have", "they're": "they are", "they've": "they have",
    "youre": "you are", "you've": "you have", "you'll": "you will", "he's": "he is", "she's": "she is",
    "it'll": "it will", "theres": "there is", "thats": "that is", "doesnt": "does not", "didnt": "did not",
    "isnt": "is not", "arent": "are not", "aren't": "are not", "wasnt": "was not", "wasn't": "was not",
    "weren't": "were not", "cant": "can not", "wont": "will not", "couldnt": "could not", "wouldnt": "would not",
    "shouldnt": "should not", "hasnt": "has not", "hasn't": "has not", "havent": "have not", "haven't": "have not",
    "hadn't": "had not", "mustn't": "must not", "mustnt": "must not", "needn't": "need not",
    "em": "them", "'em": "them", "w/": "with", "w/o": "without", "b/c": "because",
    "goto": "go to", "lookup": "look up", "pls": "please", "plz": "please", "thx": "thanks",
}  # fmt: skip
# “Its” before one of these is “it's”, typed without looking.
_IT_IS = re.compile(
    r"\s+(?:an?|the|my|our|like|only|just|about|not|so|very|really|still|already|\d+|\w{3,}ing)\b", re.IGNORECASE
)
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "eighteen": 18,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100, "thousand": 1000, "seventeen": 17, "nineteen": 19,
    "first": 1, "second": 2, "third": 3, "dozen": 12,
}  # fmt: skip
ORDINALS = frozenset({"first", "second", "third", "dozen"})
_TRAILING = ".,;:!?)]}>…"
_SIGNS = frozenset(",;:!?.()[]{}<>=&|…–—-+*/")


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is compared, `value` is what a parameter would take, `start:end` where it stands in the raw text."""

    kind: str
    text: str
    value: str
    start: int
    end: int
    # Of a contraction only the first word begins it; a line break stands before the first token of a line.
    after_break: bool = False
    # Of a name that was found for a phrase: the phrase as it was said, and how surely it is meant.
    said: str = ""
    sure: float = 1.0

    def __eq__(self, other: object) -> bool:
        # Looked for in lists again and again; most differ by where they stand.
        if self is other:
            return True
        if not isinstance(other, Token) or self.start != other.start:
            return False
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.text))

    def _parts(self) -> tuple[object, ...]:
        return self.kind, self.text, self.value, self.end, self.after_break, self.said, self.sure

    @property
    def is_literal(self) -> bool:
        """Whether it can only be a value."""
        return self.kind in LITERALS


def number_of(token: Token) -> int | None:
    """The number that a token says, in digits or as a word."""
    if token.kind == NUMBER:
        return int(token.value)
    if token.kind != WORD:
        return None
    tens, _, ones = token.text.partition("-")
    if ones and NUMBERS.get(tens, 0) in range(20, 100, 10) and 0 < NUMBERS.get(ones, 0) < 10:
        return NUMBERS[tens] + NUMBERS[ones]
    return NUMBERS.get(token.text)


def with_numbers(tokens: list[Token]) -> list[Token]:
    """Numbers in several words as one token: “a hundred and twenty”, “two thousand”. A single word stays a word."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        end, number = _number_in_words(tokens, at)
        if end > at + 1 or (end == at + 1 and number >= 100):
            words = tokens[at:end]
            found.append(Token(NUMBER, str(number), str(number), words[0].start, words[-1].end, words[0].after_break))
            at = end
        else:
            found.append(tokens[at])
            at += 1
    return found


def _number_in_words(tokens: list[Token], at: int) -> tuple[int, int]:
    """Where a number in words ends that begins here, and what it is; it ends where it begins when there is none."""
    total, part, end, last = 0, 0, at, 10_000
    for position in range(at, min(at + 8, len(tokens))):
        token = tokens[position]
        if token.kind == WORD and token.text == "and" and last in (100, 1000) and position > at:
            continue
        if token.kind != WORD or token.text in ORDINALS or (one := number_of(token)) is None:
            break
        if one in (100, 1000):
            if last == one:
                break
            part = max(part, 1) * one
            if one == 1000:
                total, part = total + part, 0
        elif one < last and (last >= 100 or (last >= 20 and one < 10)):
            part += one
        else:
            break
        end, last = position + 1, one
    return end, total + part


def tokens_of(raw: str) -> list[Token]:
    """Split a text. Each token keeps the characters it stands for."""
    found: list[Token] = []
    # What closes nowhere behind a place is not looked for again, so that reading stays linear in the text.
    hopeless: set[str] = set()
    at, broken = 0, False
    while at < len(raw):
        if raw[at].isspace():
            broken = broken or raw[at] == "\n"
            at += 1
            continue
        taken = _regular_expression(raw, at, found) or _take(raw, at, hopeless)
        for number, token in enumerate(taken):
            found.append(Token(token.kind, token.text, token.value, token.start, token.end, broken and number == 0))
        broken = False
        at = max(taken[-1].end, at + 1)
    return found


_EXPRESSION = re.compile(r"(?:expression|regex|regexp)\Z")
_OF_PATTERNS = re.compile(r"[\\^$*+?|\[\](){}]")
_NO_PATTERN = frozenset("in inside into under within from across through throughout and or for with to on of :".split())
_BEHIND = _NO_PATTERN | frozenset(
    "please thanks now everywhere anywhere somewhere ignoring ignore case again too there here it".split()
)
# So many words without a sign of a pattern may stand before one with it: `raise \w+Error`.
_LEADING_WORDS = 2


def _regular_expression(raw: str, at: int, before: list[Token]) -> list[Token]:
    """Behind “the regular expression” the pattern as one text: it goes to the last word that has a sign of patterns."""
    if raw[at] in QUOTES or not before or not _EXPRESSION.search(before[-1].text) or before[-1].kind != WORD:
        return []
    end = at
    for number, word in enumerate(re.finditer(r"\S+", raw[at : at + MAX_WORD])):
        if word[0].casefold() in _NO_PATTERN or (number > _LEADING_WORDS and end == at):
            break
        kept = word[0].rstrip(",;:.!?") if word.end() + at == len(raw.rstrip()) else word[0].rstrip(",;:!")
        # `^def test_`: so do words behind it that are none of a sentence.
        if _OF_PATTERNS.search(kept) or (end > at and not kept.isalpha()):
            end = at + word.start() + len(kept)
        if kept != word[0]:
            break
    behind = raw[end:].split()
    if end > at and 0 < len(behind) <= _LEADING_WORDS and _BEHIND.isdisjoint(word.casefold() for word in behind):
        # `assert .* is None`: nothing is said behind it but its own last words.
        end = len(raw.rstrip().rstrip(".!?"))
    return [Token(QUOTED, raw[at:end].casefold(), raw[at:end], at, end)] if end > at else []


def _take(raw: str, at: int, hopeless: set[str]) -> list[Token]:
    if (quoted := _quoted(raw, at, hopeless)) is not None:
        return [quoted]
    if (data := _data(raw, at, hopeless)) is not None:
        return [data]
    if found := _URL.match(raw, at):
        text = found[0].rstrip(".,;:!?)>")
        return [Token(URL, text.casefold(), text, at, at + len(text))]
    if (at == 0 or not raw[at - 1].isalnum()) and (found := _OTHER_URL.match(raw, at)):
        text = found[0].rstrip(".,;:!?)>")
        return [Token(DATA, text.casefold(), text, at, at + len(text))]
    if (found := _PLACEHOLDER.match(raw, at)) and raw[found.end() : found.end() + 1] not in ("/", "\\"):
        return [Token(PLACEHOLDER, found[0].casefold(), found[0], at, found.end())]
    if (at == 0 or raw[at - 1].isspace()) and (found := _FLAG.match(raw, at)):
        return [Token(FLAG, found[0].casefold(), found[0], at, found.end())]
    if found := _RANGE.match(raw, at):
        first, second = found.span(1), found.span(2)
        return [
            Token(NUMBER, found[1], found[1], *first),
            Token(SIGN, "-", "-", first[1], second[0]),
            Token(NUMBER, found[2], found[2], *second),
        ]
    if (at == 0 or not raw[at - 1].isalnum()) and (found := _KEY.match(raw, at)):
        return [
            Token(WORD, found[1].casefold(), found[1], at, at + len(found[1])),
            Token(SIGN, "=", "=", found.end() - 1, found.end()),
        ]
    return _word(raw, at)


def _quoted(raw: str, at: int, hopeless: set[str]) -> Token | None:
    close = QUOTES.get(raw[at])
    if close is None or close in hopeless or (at > 0 and not (raw[at - 1].isspace() or raw[at - 1] in "([{=:,>")):
        return None
    position = at + 1
    while (position := raw.find(close, position)) >= 0:
        following = raw[position + 1 : position + 2]
        if not (following.isalnum() or following == "_"):
            inner = raw[at + 1 : position]
            return Token(QUOTED, inner.casefold(), inner, at, position + 1)
        position += 1
    hopeless.add(close)
    return None


def _data(raw: str, at: int, hopeless: set[str]) -> Token | None:
    """A value in JSON as it stands: from its bracket to the one that closes it."""
    if raw[at] not in "{[" or raw[at] in hopeless or not _DATA.match(raw, at):
        return None
    depth, inside = 0, False
    for position in range(at, len(raw)):
        char = raw[position]
        if char == '"' and raw[position - 1] != "\\":
            inside = not inside
        elif not inside and char in "{[":
            depth += 1
        elif not inside and char in "}]":
            depth -= 1
            if not depth:
                return Token(DATA, raw[at : position + 1], raw[at : position + 1], at, position + 1)
    # Brackets that do not close are no data, and neither is what they hold.
    hopeless.add(raw[at])
    return None


def _word(raw: str, at: int) -> list[Token]:
    if _OPENING.match(raw, at):
        return [Token(SIGN, raw[at], raw[at], at, at + 1)]
    end = at
    while end < len(raw) and not raw[end].isspace():
        if end > at and raw[end] in '"“«`' and raw[end - 1] in "=:(,":
            break
        end += 1
    chunk = raw[at:end]
    if len(chunk) > MAX_WORD:
        return [Token(WORD, chunk.casefold(), chunk, at, end)]
    bare = chunk if chunk in ("..", ".", "./", "../") else chunk.rstrip(_TRAILING)
    if chunk in ("..", "../") or (chunk == "." and (at == 0 or raw[at - 1].isspace())):
        return [Token(PATH, bare, bare, at, end)]
    if not bare or bare in _SIGNS or (len(bare) <= 3 and set(bare) <= _SIGNS):
        return [Token(SIGN, bare or chunk, chunk, at, at + len(bare or chunk))]
    if bare[0] in "([" and len(bare) > 1 and not _PLACEHOLDER.match(bare):
        return [Token(SIGN, bare[0], bare[0], at, at + 1)]
    parts = re.match(r"([^\W\d_][\w-]*):([\"“]|\S)", bare)
    if parts and not looks_like_path(bare) and not re.match(r"[A-Za-z]:[\\/]", bare):
        cut = at + parts.end(1)
        return [*_plain(raw, at, cut), Token(SIGN, ":", ":", cut, cut + 1)]
    if "," in bare and not looks_like_path(bare.replace(",", "")) and re.search(r"\w,\w", bare):
        cut = at + bare.index(",")
        return [*_plain(raw, at, cut), Token(SIGN, ",", ",", cut, cut + 1)]
    found = _plain(raw, at, at + len(bare))
    if len(bare) < len(chunk):
        found.append(Token(SIGN, chunk[len(bare)], chunk[len(bare) :], at + len(bare), end))
    return found


def _plain(raw: str, start: int, end: int) -> list[Token]:
    value = raw[start:end]
    text = fold(value)
    if number := _NUMBER.fullmatch(value) or re.fullmatch(r"(\d{1,9})(?:st|nd|rd|th|s|x)?", value):
        digits = re.match(r"\d+", number[0])
        return [Token(NUMBER, value, digits[0] if digits else value, start, end)]
    if looks_like_path(value):
        return [Token(PATH, text, value, start, end)]
    if text == "its" and _IT_IS.match(raw, end):
        return [Token(WORD, part, part, start, end) for part in ("it", "is")]
    if text in _WORDS_OF:
        return [Token(WORD, part, part, start, end) for part in _WORDS_OF[text].split()]
    if text.endswith("'s") and len(text) > 3:
        return [Token(WORD, text[:-2], value[:-2], start, end - 2), Token(WORD, "'s", "'s", end - 2, end)]
    return [Token(WORD, text, value, start, end)]
