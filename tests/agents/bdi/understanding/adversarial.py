"""Texts that are hard to read, drawn with a seed, and trees of files to read them in."""

from __future__ import annotations

import random
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.understand import MAX_CHARS
from agents.bdi.understanding.words.lexicon import lexicon_of
from agents.toolkit.registry import REGISTRY

FILES = ("README.md", "src/app.py", "docs/guide.md", "notes/ideas.md", "data/report 2024.csv", "chapter2.md", "run.sh")
_STEMS = [
    "report",
    "invoice",
    "budget",
    "notes",
    "plan",
    "summary",
    "export",
    "import",
    "user",
    "order",
    "price",
    "client",
    "server",
    "cache",
    "worker",
    "parser",
    "index",
    "table",
    "chart",
    "photo",
    "letter",
    "draft",
    "review",
    "config",
    "settings",
    "schema",
    "model",
    "view",
    "route",
    "util",
    "script",
    "build",
    "deploy",
    "release",
    "backup",
    "archive",
    "log",
    "error",
    "trace",
    "metric",
    "event",
    "queue",
    "task",
    "mail",
    "message",
    "contact",
    "account",
    "address",
    "payment",
    "product",
    "stock",
    "meeting",
    "agenda",
    "minutes",
    "chapter",
    "section",
    "lesson",
    "recipe",
    "travel",
    "hotel",
    "ticket",
]
_ENDINGS = ["py", "py", "md", "txt", "csv", "json", "yaml", "html", "css", "js", "log", "pdf", "png", "sh", "toml"]
_NAMES = ("{a}", "{a}_{b}", "{a}-{n}", "{a}_{b}_{n}", "{a} {b}", "{a}_2024-0{m}", "test_{a}")
_FAMILIES = (
    "show the file {}",
    "delete everything in {} and then list it",
    "what is in {}?",
    "copy {} into the folder docs",
    "write {} to notes.txt",
    "search for {} in src",
    "run {} in the background",
    "create a folder called {}",
)
_SIGNS = "\"'`“”‘’«»()[]{}<>=-–—_/\\|.,:;!?…*+&%$#@~^\t\n 0aA٣²\U00010a40\u0301\u200b\u202e\x00\x1b\xad"
_JOINING = (" and ", ", ", ", then ", "; ", " or ", " ", "\n", ". ", " & ")


def large_tree() -> Tree:
    """3,000 files in 60 folders, with names that share words, numbers, endings and spaces."""
    draw = random.Random(7)
    folders: set[str] = set()
    while len(folders) < 60:
        folders.add("/".join(draw.choice(_STEMS) for _ in range(draw.randint(1, 3))))
    ordered = sorted(folders)
    names: set[str] = set(FILES)
    while len(names) < 3_000:
        stem = draw.choice(_NAMES).format(
            a=draw.choice(_STEMS), b=draw.choice(_STEMS), n=draw.randint(1, 60), m=draw.randint(1, 9)
        )
        names.add(f"{draw.choice(ordered)}/{stem}.{draw.choice(_ENDINGS)}")
    return Tree.of((name, "file") for name in sorted(names))


def small_tree() -> Tree:
    """A handful of files."""
    return Tree.of((name, "file") for name in FILES)


def texts(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """So many texts, each with the kind of trouble that it makes."""
    draw = random.Random(seed)
    kinds = list(_KINDS)
    for number in range(count):
        kind = kinds[number % len(kinds)]
        text = _KINDS[kind](draw)
        if draw.random() < 0.3:
            # Trouble inside a sentence gets further than trouble alone.
            text = draw.choice(_FAMILIES).format(text)
        yield kind, text[:MAX_CHARS]


def _length(draw: random.Random) -> int:
    """How many characters: mostly some hundred, now and then as many as may be."""
    return int(2 ** draw.uniform(0, 13))


def _repeated(draw: random.Random, piece: str) -> str:
    return piece * max(1, _length(draw) // max(1, len(piece)))


def _joined(draw: random.Random, pieces: list[str], joining: str = "") -> str:
    """Pieces, drawn until the text is long enough."""
    joining = joining or draw.choice(_JOINING)
    wanted, found, size = _length(draw), [], 0
    while size < wanted:
        found.append(draw.choice(pieces))
        size += len(found[-1]) + len(joining)
    return joining.join(found)


@lru_cache(maxsize=1)
def _by_category() -> dict[str, list[str]]:
    """Characters by their Unicode category, at most two hundred of each and spread over all of it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for code in range(sys.maxunicode + 1):
        found[unicodedata.category(chr(code))].append(chr(code))
    # Half of a surrogate pair is no character: no text of a form or of JSON brings one here.
    found.pop("Cs")
    return {category: chars[:: max(1, len(chars) // 200)] for category, chars in found.items()}


@lru_cache(maxsize=1)
def _digits() -> list[str]:
    """Whatever Python calls a digit or a number without being one of 0 to 9."""
    every = map(chr, range(0x80, sys.maxunicode + 1))
    return [char for char in every if char.isdigit() or char.isnumeric()][::3]


def _verbs() -> list[str]:
    return sorted(verb for verb in lexicon_of(REGISTRY).verbs if verb.isalpha())


def _words() -> list[str]:
    known = sorted(lexicon_of(REGISTRY).words)
    return [*known, *_STEMS, *FILES, '"a b"', '""', "https://example.org", "12", "it", "the", "*.py", "<file>", "not"]


def _quotes(draw: random.Random) -> str:
    pieces = ['""', "''", "“”", "``", '"', "'", "“", "”", "«»", '"\'"', '"“”"', "'\"\"'", "`'`", '" "', "x", " ", '"a"']
    return _joined(draw, pieces, draw.choice((" ", "", " and ")) or "\u200b")


def _category(draw: random.Random) -> str:
    chars = _by_category()[draw.choice(sorted(_by_category()))]
    return "".join(draw.choice(chars) + draw.choice(("", "", " ", "a")) for _ in range(_length(draw) // 2 + 1))


def _soup(draw: random.Random) -> str:
    every = sorted(_by_category())
    return "".join(draw.choice(_by_category()[draw.choice(every)]) for _ in range(_length(draw)))


def _numbers(draw: random.Random) -> str:
    kind = draw.randint(0, 4)
    if kind == 0:
        return _joined(draw, [str(draw.randint(0, 10 ** draw.randint(1, 12))) for _ in range(20)])
    if kind == 1:
        return _joined(
            draw,
            [
                "one",
                "two",
                "twenty",
                "hundred",
                "thousand",
                "and",
                "seventeen",
                "first",
                "second",
                "dozen",
                "3",
                "ninety-nine",
            ],
        )
    if kind == 2:
        return _joined(
            draw, ["1-9", "12–14", "3.5", "1,000", "2nd", "5s", "007", "-1", "+2", "1e9", "0x1f", "3x", "%5"]
        )
    if kind == 3:
        return _joined(draw, _digits(), draw.choice((" ", "a", "_", "1")))
    return "lines " + _joined(draw, [str(number) for number in range(1, 60)])


def _name(draw: random.Random) -> str:
    size = draw.choice((255, 399, 401, 1_000, 1_000, 4_000))
    piece = draw.choice(("a", "ab_", "report-", "x.", "a/", "report_invoice/", "../", "1", "é", "A", "é", "a1"))
    return (piece * size)[:size] + draw.choice(("", ".py", ".md", "/"))


def _sentences(draw: random.Random) -> str:
    clauses = [
        "show src/app.py",
        "delete the report in notes",
        "copy README.md to docs",
        "if you can",
        "do not touch the letter",
        "the invoice is on the desk",
        "list the files in the report folder",
        "append “x” to it",
        "find every log that mentions an error",
        "the second chapter",
        "line 3 of the readme",
        "the plan for the meeting from the travel folder",
    ]
    return _joined(draw, clauses)


_KINDS: dict[str, Callable[[random.Random], str]] = {
    "quotes": _quotes,
    "one sign": lambda draw: _repeated(draw, draw.choice(_SIGNS)),
    "two signs": lambda draw: _repeated(draw, draw.choice(_SIGNS) + draw.choice(_SIGNS)),
    "signs": lambda draw: "".join(draw.choice(_SIGNS) for _ in range(_length(draw))),
    "one category": _category,
    "all categories": _soup,
    "control": lambda draw: _joined(draw, ["\x00", "\x1b[2J", "\r", "\x08", "show", "a.txt", "\x85", "\u2028"], " "),
    "numbers": _numbers,
    "digits": lambda draw: "".join(draw.choice(_digits()) for _ in range(draw.randint(1, 40))) + " chapter2.md",
    "verbs": lambda draw: _joined(draw, _verbs(), draw.choice((" and ", " and ", " ", ", "))),
    "words": lambda draw: _joined(draw, _words(), " "),
    "lists": lambda draw: _joined(draw, _words()),
    "name": _name,
    "names": lambda draw: _joined(draw, [*FILES, *_STEMS, *(f"{one}.md" for one in _STEMS)]),
    "repeated": lambda draw: _repeated(draw, " ".join(draw.choice(_words()) for _ in range(draw.randint(1, 6))) + " "),
    "sentences": _sentences,
}
