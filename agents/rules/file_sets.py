"""Sets of files said in words: by kind, name, place, size, age, content, and in an order. Pure.

    all .tmp files · log files larger than 1 MB in logs · everything that has not changed for 100 days
    the 3 largest files · files that contain "invoice" · duplicate files · empty folders

A description is read to its last word or not at all: a word that nobody understands could be the one that matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.rules.naming import path_problem
from agents.toolkit.wording.words import quote, read_text, unescape

FILES, DUPLICATES, EMPTY_FOLDERS = "files", "duplicates", "empty folders"
# What a set may hold so that a person can still look through it.
MOST_ITEMS = 500
_SHOWN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,]+')

# Kinds that people name by a word, by the endings of their files.
KINDS: Mapping[str, tuple[str, ...]] = {
    "archive": (".zip", ".tar", ".gz", ".tgz", ".7z"),
    "image": (".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"),
    "log": (".log",),
    "markdown": (".md", ".markdown"),
    "photo": (".jpg", ".jpeg", ".png", ".heic"),
    "picture": (".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp"),
    "python": (".py",),
    "javascript": (".js",),
    "script": (".py", ".sh"),
    "spreadsheet": (".csv", ".xlsx", ".ods"),
    "text": (".txt",),
    "temporary": (".tmp", ".temp"),
    "video": (".mp4", ".mkv", ".mov", ".avi", ".webm"),
    "yaml": (".yaml", ".yml"),
}
_UNITS = {"b": 1, "byte": 1, "kb": 10**3, "kilobyte": 10**3, "k": 10**3, "kib": 1 << 10, "mb": 10**6, "meg": 10**6}
_UNITS |= {"megabyte": 10**6, "m": 10**6, "mib": 1 << 20, "gb": 10**9, "gigabyte": 10**9, "g": 10**9, "gib": 1 << 30}
_SECONDS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_592_000, "year": 31_536_000}
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBER_WORDS = {word: number for number, word in enumerate(_COUNTS)} | {"a": 1, "an": 1}


class UnreadableSet(ValueError):
    """The words describe no set of files that is known here."""


# How the belief about a set begins.
_MADE = "When the plan was made, "


@dataclass(frozen=True)
class FileSet:
    """Which files are meant. Sizes in bytes, ages in seconds since a file last changed; None: any.

    `names` are patterns with `*` and `?`, one of which must fit the name; `texts` must all stand in the file, small and
    capital letters alike. `order` is largest, smallest, newest or oldest, of which the first `most` are taken.
    """

    what: str = FILES
    folder: str = ""
    names: tuple[str, ...] = ()
    larger: int | None = None
    smaller: int | None = None
    older_s: int | None = None
    newer_s: int | None = None
    texts: tuple[str, ...] = ()
    order: str = ""
    most: int | None = None

    def sentence(self) -> str:
        """The set in its one form, which says all of it: a belief that begins with it lists its items."""
        said = [f"the {self.most} {self.order}" if self.order else "the", self.what]
        said += [f"named {' or '.join(map(quote, self.names))}"] if self.names else []
        said += [f"below the folder {quote(self.folder)}"] if self.folder else []
        said += [f"larger than {self.larger} bytes"] if self.larger is not None else []
        said += [f"smaller than {self.smaller} bytes"] if self.smaller is not None else []
        said += [f"unchanged for {self.older_s} seconds"] if self.older_s is not None else []
        said += [f"changed within {self.newer_s} seconds"] if self.newer_s is not None else []
        said += [f"that hold the text {quote(text)}" for text in self.texts]
        return " ".join(said)


@dataclass(frozen=True)
class Items:
    """The paths of a set, from the root of the workspace; `more` are left out."""

    paths: tuple[str, ...]
    more: int = 0

    def belief(self, of: FileSet) -> str:
        """What a plan is based on, as a sentence."""
        shown = ", ".join(map(quote, self.paths)) or "none"
        return f"{_MADE}{of.sentence()} were: {shown}{f' and {self.more} more' if self.more else ''}."


def items_in(sentence: str, of: FileSet) -> Items | None:
    """The items that a belief lists for this set; None where it is about something else."""
    ahead = f"{_MADE}{of.sentence()} were: "
    if not sentence.startswith(ahead):
        return None
    said = sentence.removeprefix(ahead).removesuffix(".")
    left_out = re.search(r" and ([0-9]+) more\Z", said)
    said = said[: left_out.start()] if left_out else said
    paths = () if said == "none" else tuple(map(_bare, _SHOWN.findall(said)))
    return Items(paths, int(left_out[1]) if left_out else 0)


def told_in(sentence: str) -> tuple[FileSet, Items] | None:
    """The set that a belief is about, and the items that it lists; None where it is about something else."""
    ahead, _, _ = sentence.partition(" were: ")
    if not ahead.startswith(_MADE) or ahead == sentence:
        return None
    try:
        of = read_set(ahead.removeprefix(_MADE))
    except UnreadableSet:
        return None
    items = items_in(sentence, of)
    return (of, items) if items is not None else None


def _bare(shown: str) -> str:
    return unescape(shown[1:-1]) if shown.startswith('"') else shown


@dataclass(frozen=True)
class _Token:
    """A word as it is compared, the value that it would be, and whether it stood in quotes."""

    text: str
    value: str
    quoted: bool = False


@lru_cache(maxsize=4_096)
def read_set(description: str) -> FileSet:
    """Return the set that the words describe. Raises UnreadableSet where one of them is left over."""
    tokens = tuple(_tokens(description))
    for start, at in _heads(tokens):
        found = next(_qualified(start, tokens, at), None)
        if found is not None and path_problem(found.folder or ".") is None:
            return found
    raise UnreadableSet(f"“{description}” describes no set of files")


@lru_cache(maxsize=4_096)
def speaks_of_files(description: str) -> bool:
    """Whether any of the words names files, folders or a kind of them, so that a set may be meant."""
    tokens = _tokens(description)
    return any(one.text in _FILES | _ALL | _FOLDERS | _DOUBLE or _names(one, plural=True) for one in tokens)


def _tokens(description: str) -> Iterator[_Token]:
    text = read_text(description)
    number = 0
    while number < len(text.words):
        word = text.words[number]
        if word.group >= 0:
            group = text.groups[word.group]
            yield _Token("", text.raw[group.start : group.end], quoted=True)
            number = group.last
            continue
        value = text.word_value(number).raw
        if text.raw[word.end : word.outer_end] == "*":  # a pattern, and no mark behind a word
            value += "*"
        yield from (_Token(part, value) for part in _parted(word.text))
        number += 1


def _parted(word: str) -> tuple[str, ...]:
    """“haven't” as its two words."""
    return (word[:-3], "not") if len(word) > 3 and word.endswith("n't") else (word,)


_Found = Iterator[tuple[FileSet, int]]
_ARTICLES = frozenset({"a", "an", "the", "my", "any", "all", "every", "each", "of", "those", "these", "both", "please"})
_FILES = frozenset({"file", "files", "document", "documents"})
_ALL = frozenset({"everything", "anything", "whatever", "all"})
_FOLDERS = frozenset({"folder", "folders"})
_DOUBLE = frozenset({"duplicate", "duplicates", "duplicated", "double", "doubles", "identical", "redundant"})
_ORDERS = {
    **dict.fromkeys(("largest", "biggest", "heaviest"), "largest"),
    "smallest": "smallest",
    **dict.fromkeys(("newest", "latest"), "newest"),
    "oldest": "oldest",
}


def _heads(tokens: tuple[_Token, ...]) -> _Found:
    """What kind of thing is spoken of, and where the words about it begin; most telling first."""
    at = 0
    while at < len(tokens) and tokens[at].text in _ARTICLES:
        at += 1
    if at and tokens[at - 1].text in _ALL:  # “all that contain …”
        yield FileSet(), at
    yield from _kinds(tokens, *_most(tokens, at))


def _most(tokens: tuple[_Token, ...], at: int) -> tuple[FileSet, int]:
    """How many are wanted, and in which order; all of them where nothing is said about it."""
    count = _number(tokens[at]) if at < len(tokens) else None
    order = _order(tokens, at + 1 if count is not None else at)
    return (FileSet(), at) if order is None else (FileSet(order=order[0], most=count or 1), order[1])


def _kinds(tokens: tuple[_Token, ...], start: FileSet, at: int) -> _Found:
    word = tokens[at].text if at < len(tokens) else ""
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if word in _DOUBLE:
        yield replace(start, what=DUPLICATES), at + 1 + (following in _FILES | {"copies"})
    if word == "empty" and following in _FOLDERS:
        yield replace(start, what=EMPTY_FOLDERS), at + 2
    if word in _FOLDERS and [one.text for one in tokens[at + 1 : at + 4]] in (["that", "are", "empty"],):
        yield replace(start, what=EMPTY_FOLDERS), at + 4
    if word in _FILES | _ALL:
        yield start, at + 1
    if at < len(tokens) and (names := _names(tokens[at], plural=following not in _FILES)):
        yield replace(start, names=names), at + 1 + (following in _FILES)


def _order(tokens: tuple[_Token, ...], at: int) -> tuple[str, int] | None:
    words = [one.text for one in tokens[at : at + 2]]
    if words[:1] and words[0] in _ORDERS:
        return _ORDERS[words[0]], at + 1
    return ("newest", at + 2) if words == ["most", "recent"] else None


def _number(token: _Token) -> int | None:
    if token.text.isdecimal() and len(token.text) < 6:
        return int(token.text)
    return NUMBER_WORDS.get(token.text) if token.text not in ("a", "an") else None


def _names(token: _Token, *, plural: bool = False) -> tuple[str, ...]:
    """The patterns of a kind that a word names: `.tmp`, `*.tmp`, tmp, python, logs.

    `plural`: it stands without “files”, so that only a known kind, a pattern or an ending can be meant.
    """
    word = token.text
    if token.quoted or not word:
        return ()
    if re.fullmatch(r"[\w.*?-]*[*?][\w.*?-]*", token.value):
        return (token.value,)
    if re.fullmatch(r"\.\w{1,10}", token.value):
        return (f"*{token.value}",)
    singular = word.removesuffix("s")
    if endings := KINDS.get(word) or KINDS.get(singular):
        return tuple(f"*{ending}" for ending in endings)
    if re.fullmatch(r"\w{1,6}", word) and not plural and word not in _NO_ENDINGS:
        return (f"*.{word}",)
    return ()


# Short words before “files” that say something else than an ending.
_NO_ENDINGS = frozenset(
    {"old", "new", "big", "large", "small", "empty", "other", "same", "few", "some", "more", "most"}
)
_NO_ENDINGS |= {"no", "two", "three", "four", "five", "ten", "double", "hidden", "recent", "unused", "my", "these"}


def _qualified(start: FileSet, tokens: tuple[_Token, ...], at: int) -> Iterator[FileSet]:
    """Each way to read the rest as further conditions."""
    if at == len(tokens):
        yield start
        return
    for words, reads in _QUALIFIERS:
        following = _said(words, tokens, at)
        if following is None:
            continue
        for changed, end in reads(start, tokens, following):
            yield from _qualified(changed, tokens, end)


def _said(words: tuple[tuple[str, ...], ...], tokens: tuple[_Token, ...], at: int) -> int | None:
    """Where the words end that stand from here on; each is one of several, "" where it may be left out."""
    for choices in words:
        if at < len(tokens) and not tokens[at].quoted and tokens[at].text in choices:
            at += 1
        elif "" not in choices:
            return None
    return at


_Reads = Callable[[FileSet, tuple[_Token, ...], int], _Found]


def _words(text: str) -> tuple[tuple[str, ...], ...]:
    """`that|which are|is larger|bigger [than]` as the choices for each word."""
    return tuple(
        (*part.strip("[]").split("|"), "") if part.startswith("[") else tuple(part.split("|")) for part in text.split()
    )


def _place(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
    end = _said(_words("[the|my] [folder]"), tokens, at) or at
    if end >= len(tokens) or start.folder:
        return
    behind = end + 1 + (end + 1 < len(tokens) and tokens[end + 1].text == "folder")
    for value, following in ((tokens[end].value, behind), (tokens[at].value, at + 1)):
        yield replace(start, folder=value.removesuffix("/")), following


def _ending(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
    at = _said(_words("[the|a] [extension|ending|suffix|letters]"), tokens, at) or at
    if at < len(tokens) and not start.names:
        ending = tokens[at].value.removeprefix("*").removeprefix(".")
        if re.fullmatch(r"\w[\w.]{0,9}", ending):
            yield replace(start, names=(f"*.{ending}",)), at + 1


def _named(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
    if at < len(tokens) and not start.names and "/" not in tokens[at].value:
        yield replace(start, names=(tokens[at].value,)), at + 1


def _name_part(pattern: str) -> _Reads:
    def read(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
        at = _said(_words("[the] [word|text|letters|prefix]"), tokens, at) or at
        if at < len(tokens) and not start.names and not set("*?[/") & set(tokens[at].value):
            value = (
                " " if not tokens[at].quoted and tokens[at].text in ("spaces", "space", "blanks") else tokens[at].value
            )
            yield replace(start, names=(pattern.format(value),)), at + 1

    return read


def _size(field: str) -> _Reads:
    def read(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
        for value, end in _measured(tokens, at, _UNITS):
            yield replace(start, **{field: value}), _said(_words("in size"), tokens, end) or end  # type: ignore[arg-type]

    return read


def _age(field: str) -> _Reads:
    def read(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
        at = _said(_words("[the] [last|past]"), tokens, at) or at
        for value, end in _measured(tokens, at, _SECONDS):
            yield replace(start, **{field: value}), _said(_words("[old|ago]"), tokens, end) or end  # type: ignore[arg-type]

    return read


def _measured(tokens: tuple[_Token, ...], at: int, units: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """The amount that stands here in the smallest unit: “1 MB”, “1.5mb”, “two weeks”, “a month”."""
    if at >= len(tokens):
        return
    found = re.fullmatch(r"([0-9]{1,9}(?:[.,][0-9]{1,6})?)([a-z]*)", tokens[at].text)
    number = float(found[1].replace(",", ".")) if found else NUMBER_WORDS.get(tokens[at].text)
    if number is None:
        return
    if found and found[2]:
        unit, end = found[2], at + 1
    else:
        unit, end = (tokens[at + 1].text if at + 1 < len(tokens) else ""), at + 2
    factor = units.get(unit) or units.get(unit.removesuffix("s"))
    if factor:
        yield round(number * factor), end


def _content(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
    """A text of one or more words; a quotation is the whole of it."""
    at = _said(_words("[the] [exact] [word|words|text|string|phrase]"), tokens, at) or at
    for end in range(at + 1, len(tokens) + 1):
        words = tokens[at:end]
        if any(one.quoted for one in words) and len(words) > 1:
            return
        if any(one.text in _JOINS for one in words):
            return
        text = " ".join(one.value for one in words)
        behind = _said(_words("in|inside them|it|their|its"), tokens, end)
        if behind is not None and tokens[behind - 1].text in ("their", "its"):
            behind = _said(_words("text|contents|content"), tokens, behind)
        if behind is not None:
            yield replace(start, texts=(*start.texts, text)), behind
        yield replace(start, texts=(*start.texts, text)), end


def _spaced(start: FileSet, tokens: tuple[_Token, ...], at: int) -> _Found:
    end = _said(_words("[the|their|its] name|names|filename|filenames"), tokens, at)
    if end is not None and not start.names:
        yield replace(start, names=("* *",)), end


# What may join two conditions: whoever means it as a part of the text puts that in quotes.
_JOINS = frozenset({"and", "or", "but", "not", "except", "unless", "that", "which", "into", "to"})
_THAT = "[that|which] [are|is|were|was]"
_QUALIFIERS: tuple[tuple[tuple[tuple[str, ...], ...], _Reads], ...] = tuple(
    (_words(words), reads)
    for words, reads in (
        (f"{_THAT} larger|bigger|greater|over|above|exceeding [than]", _size("larger")),
        (f"{_THAT} more than", _size("larger")),
        (f"{_THAT} smaller|less|under|below [than]", _size("smaller")),
        (f"{_THAT} older|more|over [than]", _age("older_s")),
        (f"{_THAT} newer|younger|less [than]", _age("newer_s")),
        (
            "[that|which] [has|have|had|was|were] [been] not [been] changed|touched|modified|edited|updated "
            "[for|in|within]",
            _age("older_s"),
        ),
        ("[that|which] unchanged|untouched|unmodified [for|since]", _age("older_s")),
        (
            "[that|which] [has|have|was|were] [been] changed|modified|edited|touched|updated [in|within|during]",
            _age("newer_s"),
        ),
        ("[that|which] end|ends|ending|finish with|in|on", _ending),
        ("with|having [the|a] extension|ending|suffix", _ending),
        ("[that|which] [have|has] [the|a] extension|ending", _ending),
        ("of [the] type|kind|form", _ending),
        ("named", _named),
        (
            "[that|which|whose] [names|name] [that|which] start|starts|starting|begin|begins|beginning with",
            _name_part("{}*"),
        ),
        ("with names [that|which] start|starts|starting|beginning with", _name_part("{}*")),
        ("whose names|name contain|contains|include|includes|have|has", _name_part("*{}*")),
        ("with|having|containing spaces in", _spaced),
        (
            "[that|which] contain|contains|containing|mention|mentions|mentioning|include|includes|including|hold",
            _content,
        ),
        ("[that|which] have|has|with|having the word|text|string|phrase", _content),
        ("in|from|inside|within|below|under|of", _place),
    )
)
