"""From the tokens that stand where a value should to the value: by its shape, and for paths by what is there."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.understanding import components, paths
from agents.bdi.understanding.filler import ARTICLES, IDLE
from agents.bdi.understanding.paths import ANY, FILE, FOLDER, NEW, Candidate, Tree
from agents.bdi.understanding.spelling import nearest
from agents.bdi.understanding.tokens import (
    DATA,
    FLAG,
    NUMBER,
    PATH,
    PLACEHOLDER,
    QUOTED,
    SIGN,
    URL,
    WORD,
    Token,
    number_of,
)
from agents.rules.kinds import SWITCHES
from agents.toolkit.hosts import entries_of
from agents.toolkit.saying import Place
from sandbox.command_line import PROGRAMS

_FILE_HEADS = frozenset(
    [
        "file",
        "files",
        "document",
        "documents",
        "script",
        "scripts",
        "module",
        "modules",
        "page",
        "doc",
        "program",
        "text",
        "report",
    ]
)
_FOLDER_HEADS = frozenset("folder folders dir dirs subfolder subdirectory map directory".split())  # noqa: SIM905
_NAMING = frozenset({"name", "named", "title", "titled", "call"})
# Words of sentences that stand in no command line but those of programs that only say them.
_OF_SENTENCES = ARTICLES | {"of", "every"}
_SAY = frozenset({"echo", "printf"})
_HERE = frozenset(
    [
        "here",
        "everything",
        "workspace",
        "project",
        "repo",
        "repository",
        "root",
        "codebase",
        "current",
        "folder",
        "code",
        "all",
        "stuff",
        "system",
    ]
)
_IT = frozenset(
    {"it", "them", "there", "same", "one", "ones", "this", "that", "itself", "copy", "original", "result", "former"}
)
_NO_NAMES = frozenset({"please", "me", "for", "to", "all", "every", "everything", "any", "each", "both"})
_LITTLE = frozenset("in on at to of as from with into under inside by for and or then via onto".split())  # noqa: SIM905
_LINKING = frozenset({"and", "plus", "&", "as", "well", "also"})
_TYPES = {
    "python": "*.py", "py": "*.py", "markdown": "*.md", "md": "*.md", "json": "*.json", "csv": "*.csv", "text": "*.txt",
    "txt": "*.txt", "yaml": "*.yaml", "yml": "*.yml", "log": "*.log", "html": "*.html", "javascript": "*.js",
    "js": "*.js", "css": "*.css", "toml": "*.toml", "ini": "*.ini", "xml": "*.xml", "typescript": "*.ts", "ts": "*.ts",
    "shell": "*.sh", "bash": "*.sh", "sh": "*.sh", "sql": "*.sql", "pdf": "*.pdf", "png": "*.png", "jpg": "*.jpg",
    "zip": "*.zip", "svg": "*.svg", "rst": "*.rst", "logs": "*.log",
}  # fmt: skip
_PACKAGE = re.compile(r"[A-Za-z0-9][\w.-]*(\[[\w.,-]+\])?((==|>=|<=|~=|!=|>|<)[\w.*]+)?\Z", re.ASCII)
_DOMAIN = re.compile(
    r"(?:[a-z0-9-]+\.)+(?:[a-z]{2,})(?::\d+)?(?:/\S*)?\Z|localhost(?::\d+)?(?:/\S*)?\Z|\d+\.\d+\.\d+\.\d+(?::\d+)?(?:/\S*)?\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Filled:
    """A value for a parameter. `value` None with a `problem`: something is said, but nobody can tell what is meant.

    `original` is what was said where the value is another; `is_folder`: the words call it a folder.
    """

    value: Any
    span: tuple[int, int] | None = None
    original: Any = None
    confidence: float = 1.0
    why: str = ""
    problem: str = ""
    choices: tuple[Candidate, ...] = ()
    literals: int = 0
    penalty: float = 0.0
    is_folder: bool = False


@dataclass(frozen=True)
class Asked:
    """What a value is filled for: shape, place, the nouns around it, and what was spoken of."""

    raw: str
    shape: str
    tree: Tree
    place: Place | None = None
    about: frozenset[str] = frozenset()
    tool: str = ""
    parameter: str = ""
    enum: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    # The value that this parameter had last in the same text, for “it”.
    before: str = ""
    # Whether a word, as it is spelt, begins a command: then it is no slip of a name.
    is_verb: Callable[[Token], bool] = field(default=lambda token: False, compare=False)


def fill(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """The value that these tokens say, and the tokens that it does not need."""
    shape = asked.shape
    if shape in ("path", "newname"):
        return _path(tokens, asked)
    maker = {
        "number": _number,
        "switch": _switch,
        "choice": _choice,
        "address": _address,
        "hosts": _hosts,
        "text": _text,
        "quoted": _quoted,
        "line": _line,
        "packages": _packages,
        "pattern": _pattern,
        "variable": _variable,
    }.get(shape, _word)
    return maker(tokens, asked)


def may_begin(shape: str, token: Token) -> bool:
    """Whether a value of this shape can stand behind a little word, seen from its first token."""
    if shape == "number":
        return number_of(token) is not None
    if shape == "address":
        return token.kind in (URL, PATH, WORD)
    return token.kind != SIGN


def _number(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    for token in tokens:
        number = number_of(token)
        if number is not None:
            return Filled(number, (token.start, token.end), literals=1), [one for one in tokens if one is not token]
    return None, list(tokens)


def _switch(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    for token in tokens:
        if token.text in SWITCHES:
            return Filled(SWITCHES[token.text], (token.start, token.end)), [one for one in tokens if one is not token]
    return None, list(tokens)


def _choice(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    for token in tokens:
        word = token.text if token.text in asked.enum else nearest(token.text, asked.enum)
        if word:
            return Filled(word, (token.start, token.end)), [one for one in tokens if one is not token]
    return None, list(tokens)


def _address(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    for token in tokens:
        if token.kind == URL or (token.kind == QUOTED and token.text.startswith(("http://", "https://"))):
            return Filled(token.value, (token.start, token.end), literals=1), [
                one for one in tokens if one is not token
            ]
    for token in tokens:
        if (
            token.kind in (PATH, WORD, QUOTED)
            and "." in token.value
            and _DOMAIN.match(token.value)
            and not asked.tree.kind(token.value)
        ):
            if (
                token.kind != WORD
                and "/" not in token.value
                and paths.looks_like_path(token.value)
                and not token.text.startswith("www.")
                and token.text.rpartition(".")[2] in _TYPES
            ):
                continue
            why = "an address begins with https://"
            filled = Filled(f"https://{token.value}", (token.start, token.end), token.value, 0.9, why, literals=1)
            return filled, [one for one in tokens if one is not token]
    return None, list(tokens)


def _hosts(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    if not tokens:
        return None, []
    said = asked.raw[tokens[0].start : tokens[-1].end]
    return Filled(entries_of(said), (tokens[0].start, tokens[-1].end)), []


def _text(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """Quoted text as it is; else everything that stands there, word for word."""
    kept = _without_ends(tokens)
    if not kept:
        return None, list(tokens)
    quoted = next((one for one in kept if one.kind in (QUOTED, DATA)), None)
    if quoted is not None:
        rest = [one for one in tokens if one is not quoted]
        outside = [one for one in rest if one.kind == WORD and one.text not in asked.about and one.text not in IDLE]
        if len(outside) < 3:
            return Filled(quoted.value, (quoted.start, quoted.end), literals=1), rest
    while (
        len(kept) > 1
        and kept[0].kind == WORD
        and (kept[0].text in ("the", "following") and kept[1].text in asked.about)
    ):
        kept = kept[2:] or kept[:1]
    if all(
        one.kind in (WORD, SIGN) and (one.text in asked.about or one.text in IDLE or one.kind == SIGN) for one in kept
    ):
        # “everything”, “it all”: nouns of the command, no text of anybody's.
        return None, list(tokens)
    kept, behind = _together(kept, asked.raw)
    start, end = kept[0].start, kept[-1].end
    # A path in running text is rather what something is done to, and no text of anybody's ends with a little word.
    penalty = 0.9 if any(one.kind in (PATH, PLACEHOLDER) for one in kept) else 0.05
    penalty += 0.6 if kept[-1].kind == WORD and kept[-1].text in _LITTLE else 0.0
    return Filled(
        asked.raw[start:end], (start, end), confidence=0.92, why="it is not in quotes", penalty=penalty
    ), behind


def _together(tokens: list[Token], raw: str) -> tuple[list[Token], list[Token]]:
    """The tokens up to where another value stands between them, and those behind it."""
    for at in range(1, len(tokens)):
        if raw[tokens[at - 1].end : tokens[at].start].strip():
            return tokens[:at], tokens[at:]
    return tokens, []


def _quoted(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    token = next((one for one in tokens if one.kind == QUOTED), None)
    if token is None or (" " not in token.value and paths.looks_like_path(token.value)):
        return None, list(tokens)
    return Filled(token.value, (token.start, token.end), literals=1), [one for one in tokens if one is not token]


def _without_ends(tokens: Sequence[Token]) -> list[Token]:
    kept = list(tokens)
    while kept and kept[-1].kind == SIGN and kept[-1].value not in (")", "]", "}"):
        kept.pop()
    while kept and kept[-1].kind == WORD and kept[-1].text in ("please", "thanks", "now", "ok", "okay", "lol", "btw"):
        kept.pop()
    while kept and kept[0].kind == SIGN and kept[0].value in ",;:.-–—>":
        kept.pop(0)
    return kept


def _line(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """A command line: what is quoted, else everything; scripts of the workspace are run by their interpreter."""
    kept = _without_ends(tokens)
    while (
        kept
        and (kept[0].text in ARTICLES or kept[0].text in asked.about or kept[0].text in _FILE_HEADS)
        and len(kept) > 1
    ):
        kept = kept[1:]
    if not kept:
        return None, list(tokens)
    quoted = next((one for one in kept if one.kind == QUOTED), None)
    rest: list[Token] = []
    if quoted is not None and (quoted is kept[0] or " " in quoted.value) and kept[0].text not in PROGRAMS:
        said, span = quoted.value, (quoted.start, quoted.end)
        rest = [one for one in tokens if one is not quoted]
    else:
        kept, rest = _together(kept, asked.raw)
        while len(kept) > 1 and kept[-1].text in _FILE_HEADS | {"tool", "command"} and kept[-1].kind == WORD:
            kept.pop()
        span = (kept[0].start, kept[-1].end)
        said = asked.raw[span[0] : span[1]]
        if kept[0].text not in _SAY and _is_sentence(kept, asked.raw):
            # “tests of the workspace” is no program named test, whatever the machine has of such a name.
            told = f"“{said}” reads as a sentence and not as a command line; put a command line in quotes"
            return Filled(None, span, said, 0.0, problem=told, penalty=0.5), rest
    filled = _runnable(said, span, asked)
    little = sum(1 for one in kept[1:] if one.kind == WORD and one.text in _LITTLE) if quoted is None else 0
    return replace(filled, penalty=filled.penalty + 0.4 * little), rest


def _is_sentence(kept: Sequence[Token], raw: str) -> bool:
    """Whether it reads as prose: an article, or a comma with a space behind it that parts words."""
    return any(
        (one.kind == WORD and one.text in _OF_SENTENCES)
        or (one.kind == SIGN and one.value[:1] == "," and raw[one.end : one.end + 1] in (" ", ""))
        for one in kept[1:]
    )


def _runnable(said: str, span: tuple[int, int], asked: Asked) -> Filled:
    first, _, rest = said.strip().partition(" ")
    if first in PROGRAMS or (first.startswith("./") and asked.tree.kind(first) and not first.endswith(".py")):
        line, why, confidence = _mended(said, asked)
        changed = line != said
        return Filled(line, span, said if changed else None, confidence, why, literals=1)
    if not rest or " " in rest or paths.looks_like_path(first):
        found = paths.find(first, asked.tree, FILE, tool=asked.tool, parameter=asked.parameter)
        if found.value is not None and found.value.endswith(".py"):
            line = f"python {found.value}{' ' + rest if rest else ''}"
            return Filled(line, span, said, min(found.confidence, 0.95), "a Python script is run by python", literals=1)
    near = nearest(first.casefold(), PROGRAMS)
    if near and len(first) > 3:
        return Filled(
            f"{near}{' ' + rest if rest else ''}", span, said, 0.85, f"“{first}” is a slip of {near}", literals=1
        )
    scripts = tuple(
        Candidate(f"python {asked.tree.said(path)}", 0.5, "it is a script here")
        for path in asked.tree.visible
        if path.endswith(".py")
    )[:6]
    return Filled(
        None, span, said, 0.0, problem=f"“{first}” is no program that runs here", choices=scripts, penalty=0.5
    )


def _mended(said: str, asked: Asked) -> tuple[str, str, float]:
    """A command line whose misspelt files are those that are there."""
    words, why, confidence = said.split(" "), "", 1.0
    for at, word in enumerate(words):
        is_script = word.casefold().rstrip(">").endswith(".py") and not word.startswith("-")
        if is_script and at and word.startswith("./") and asked.tree.kind(word):
            words[at], why = paths.cleaned(word), "it is written otherwise"
            continue
        if is_script and not asked.tree.kind(word):
            found = paths.find(word, asked.tree, FILE, tool=asked.tool, parameter=asked.parameter)
            if found.value is not None:
                words[at], why, confidence = found.value, found.why, min(confidence, found.confidence)
    return " ".join(words), why, confidence


def _packages(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    listed_in = next((one for one in tokens if one.kind == PATH and one.text.endswith(".txt")), None)
    if listed_in is not None:
        # “From requirements.txt” names the file in which the packages stand.
        found = paths.find(listed_in.value, asked.tree, FILE, tool=asked.tool, parameter=asked.parameter)
        span = (listed_in.start, listed_in.end)
        rest = [one for one in tokens if one is not listed_in and one.text not in asked.about]
        if found.value is None:
            said = listed_in.value
            return Filled(None, span, said, problem=found.why, choices=found.choices, penalty=0.3), rest
        why = "the packages stand in a file" if found.value == listed_in.value else found.why
        return Filled(f"-r {found.value}", span, listed_in.value, found.confidence, why, literals=1), rest
    named, rest = [], []
    for token in tokens:
        skip = token.text in asked.about or token.text in IDLE or token.text in _LINKING or token.kind == SIGN
        if not skip and token.kind in (WORD, QUOTED, PATH) and _PACKAGE.match(token.value):
            named.append(token)
        else:
            rest.append(token)
    if not named:
        return None, list(tokens)
    if len(named) > 1 and not any(one.text in ("and", ",", "plus", "&") for one in rest):
        # Two words in a row are a description, unless a list parts them or they were typed as on a command line.
        gap = asked.raw[named[0].end : named[-1].start]
        if re.search(r"[^\s\w.,\[\]=<>~!-]", gap):
            return None, list(tokens)
    line = " ".join(one.value for one in named)
    return Filled(line, (named[0].start, named[-1].end), literals=1), rest


def _pattern(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    for token in tokens:
        if token.kind in (QUOTED, PATH, PLACEHOLDER):
            value = token.value
            if re.fullmatch(r"\.\w{1,6}", value):
                made = f"*{value}"
                return Filled(
                    made, (token.start, token.end), value, 0.95, "an ending stands for all that end so", literals=1
                ), [one for one in tokens if one is not token]
            # A quoted word without a star or an ending is rather a text that is looked for.
            penalty = 0.4 if token.kind == QUOTED and not set(value) & set("*?.[") else 0.0
            rest = [one for one in tokens if one is not token]
            return Filled(value, (token.start, token.end), literals=1, penalty=penalty), rest
    for token in tokens:
        is_type = token.kind == WORD and token.text in _TYPES and asked.tree.kind(token.value) != FOLDER
        if is_type and (token.text not in asked.about or len(tokens) < 3):
            made = _TYPES[token.text]
            rest = [one for one in tokens if one is not token]
            return Filled(
                made, (token.start, token.end), token.value, 0.93, "files of this kind end so", literals=1
            ), rest
    words = [
        one
        for one in tokens
        if one.kind in (WORD, NUMBER)
        and one.text not in IDLE | asked.about
        and number_of(one) is None
        and asked.tree.kind(one.value) != FOLDER
    ]
    if len(words) == 1:
        return Filled(words[0].value, (words[0].start, words[0].end), confidence=0.85, penalty=0.25), [
            one for one in tokens if one is not words[0]
        ]
    return None, list(tokens)


def _variable(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    token = next((one for one in tokens if re.fullmatch(r"[A-Z][A-Z0-9_]+", one.value)), None)
    if token is None:
        return None, list(tokens)
    return Filled(token.value, (token.start, token.end), literals=1), [one for one in tokens if one is not token]


def _word(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """One name: what is quoted, else the one word that is no noun of the command and no filler."""
    literal = next((one for one in tokens if one.kind in (QUOTED, DATA)), None)
    if literal is None:
        literal = next((one for one in tokens if one.kind in (PATH, NUMBER)), None)
    words = [one for one in tokens if one.kind == WORD and one.text not in asked.about and one.text not in IDLE]
    token = literal or (words[0] if words else None)
    if token is None and asked.shape == "word":
        # A name may be an ordinary word where nothing else stands: "the branch new".
        spoken = [
            one for one in tokens if one.kind == WORD and one.text not in ARTICLES and one.text not in asked.about
        ]
        if spoken and any(one.start > spoken[0].end and one.text in asked.about for one in tokens):
            # “A new branch” names none.
            spoken = []
        token = spoken[0] if len(spoken) == 1 and spoken[0].text not in _IT | _NO_NAMES else None
    if token is None and asked.before:
        it = next((one for one in tokens if one.text in _IT | {"its"}), None)
        if it is not None:
            filled = Filled(asked.before, (it.start, it.end), it.value, 0.92, f"“{it.value}” is {asked.before}")
            return filled, [one for one in tokens if one is not it]
    if token is None:
        return None, list(tokens)
    rest = [one for one in tokens if one is not token]
    if asked.place is not None and asked.place.wanted == "note":
        return _note(token, asked), rest
    return Filled(token.value, (token.start, token.end), literals=1 if literal else 0), rest


def _note(token: Token, asked: Asked) -> Filled:
    """The name of a note, as one that is there where it is near one."""
    span = (token.start, token.end)
    folder = asked.tree.full("notes")
    known = {
        posixpath.basename(path)[:-3]: path
        for path in asked.tree.kinds
        if posixpath.dirname(path) == folder and path.endswith(".md")
    }
    said = token.value.removesuffix(".md").removeprefix("notes/")
    if said in known:
        return Filled(said, span, token.value if said != token.value else None, literals=1)
    by_case = {name.casefold(): name for name in known}
    near = by_case.get(said.casefold()) or by_case.get(nearest(said.casefold(), by_case))
    if near:
        return Filled(near, span, token.value, 0.9, "a note of that name is there", literals=1)
    if asked.place is not None and not asked.place.makes:
        choices = tuple(Candidate(name, 0.5, "there is a note of that name") for name in sorted(known))[:6]
        return Filled(None, span, token.value, 0.3, problem=f"there is no note “{said}”", choices=choices)
    return Filled(said, span)


def _path(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    place = asked.place or Place(NEW)
    literal = next((one for one in tokens if one.kind in (PATH, QUOTED, PLACEHOLDER)), None)
    heads = {one.text for one in tokens if one.kind == WORD}
    calls_folder, calls_file = bool(heads & _FOLDER_HEADS), bool(heads & _FILE_HEADS)
    wanted = place.wanted
    if wanted == ANY and calls_folder != calls_file:
        wanted = FOLDER if calls_folder else FILE
    if literal is not None:
        rest = [one for one in tokens if one is not literal and not _is_head(one)]
        return replace(_resolved(literal, asked, place, wanted), is_folder=calls_folder), rest
    words = [one for one in tokens if one.kind in (WORD, NUMBER)]
    described = [one for one in words if _says_something(one, asked)]
    rest = [one for one in tokens if one not in described and not _is_head(one)]
    if not described and len(tokens) == 1 and tokens[0].text in ("a", "i") and place.wanted == NEW:
        described = list(tokens)
    if not described:
        return _unnamed(words, tokens, asked, place)
    if place.wanted == NEW or asked.shape == "newname":
        return _new_name(described, tokens, asked, place, calls_folder)
    return _described(described, rest, words, asked, place, wanted)


def _is_head(token: Token) -> bool:
    return token.kind == WORD and token.text in _FILE_HEADS | _FOLDER_HEADS | _NAMING


def _says_something(token: Token, asked: Asked) -> bool:
    if token.kind == NUMBER:
        return False
    if token.text in ARTICLES or token.text in _LINKING:
        return False
    if asked.tree.kind(token.value) or (
        token.text not in IDLE and token.text not in asked.about | _FILE_HEADS | _FOLDER_HEADS
    ):
        return token.text not in _IT and (token.text not in _NAMING or bool(asked.tree.kind(token.value)))
    return False


def _resolved(token: Token, asked: Asked, place: Place, wanted: str) -> Filled:
    span = (token.start, token.end)
    if asked.shape == "newname":
        return Filled(paths.cleaned(token.value), span, literals=1)
    found = paths.find(token.value, asked.tree, wanted, tool=asked.tool, parameter=asked.parameter)
    if found.value is None and place.code and token.kind == QUOTED:
        located = components.locate(token.value.split(), asked.tree)
        found = located if located.value is not None else found
    if found.value is None:
        if wanted not in (ANY, NEW):
            other = paths.find(token.value, asked.tree, ANY, tool=asked.tool, parameter=asked.parameter)
            if other.value is not None:
                what = {FILE: "file", FOLDER: "folder"}[wanted]
                problem = f"“{token.value}” is no {what}"
                return Filled(
                    None, span, token.value, 0.2, problem=problem, choices=found.choices, literals=1, penalty=0.5
                )
        return Filled(None, span, token.value, found.confidence, problem=found.why, choices=found.choices, literals=1)
    trailing = token.value.rstrip().endswith(("/", "\\")) and found.value not in (".", "..")
    changed = found.value != token.value
    return Filled(
        found.value + ("/" if trailing and place.into else ""),
        span,
        token.value if changed else None,
        found.confidence,
        found.why if changed else "",
        literals=1,
    )


def _unnamed(
    words: Sequence[Token], tokens: Sequence[Token], asked: Asked, place: Place
) -> tuple[Filled | None, list[Token]]:
    """No name: what was spoken of before, or the current folder where that can be meant."""
    spoken = {one.text for one in words}
    here = spoken & _HERE
    first = next((one for one in words if one.text in _IT | _HERE), None)
    span = (first.start, first.end) if first else None
    if asked.last and spoken & _IT:
        folder = place.wanted == FOLDER or "there" in spoken
        if folder or place.wanted == NEW:
            known = [path for path in asked.last if asked.tree.kind(path) == FOLDER] or list(asked.last)
        else:
            known = [
                path
                for path in asked.last
                if paths.fits(asked.tree.kind(path), place.wanted) or not asked.tree.kind(path)
            ]
        if known:
            value = known[-1]
            filled = Filled(
                value,
                span,
                " ".join(one.value for one in words),
                0.9,
                f"“{first.value if first else 'it'}” is {value}",
                is_folder="there" in spoken,
            )
            return filled, []
    if (
        "current" in spoken
        or "here" in spoken
        or (here and not place.goes and place.wanted in (FOLDER, ANY) and here - {"folder", "code", "all"})
    ):
        return Filled(".", span, confidence=0.9), [one for one in tokens if one.text not in _HERE]
    return None, list(tokens)


def _new_name(
    described: Sequence[Token], tokens: Sequence[Token], asked: Asked, place: Place, calls_folder: bool
) -> tuple[Filled | None, list[Token]]:
    """The name of something new: one word; more of them are a description that names nothing."""
    token = described[0]
    tokens = [one for one in tokens if not _is_head(one)]
    if place.makes == "file" and not place.into and asked.shape != "newname":
        definite = next((one for one in tokens if one.end <= token.start and one.text in ("the", "my", "our")), None)
        if definite is not None and not asked.tree.kind(token.value):
            # “The note” names something that ought to be there, and no file of that name is.
            problem = f"there is no file “{token.value}”"
            rest = [one for one in tokens if one is not token]
            return Filled(None, (token.start, token.end), token.value, 0.2, problem=problem, penalty=0.4), rest
    if place.into:
        joined = "_".join(one.value for one in described)
        found = paths.find(joined, asked.tree, FOLDER, tool=asked.tool, parameter=asked.parameter)
        if found.value is not None and found.confidence >= (0.85 if calls_folder else 0.9):
            span = (token.start, described[-1].end)
            changed = found.value != token.value
            filled = Filled(
                found.value,
                span,
                joined if changed else None,
                found.confidence,
                found.why if changed else "",
                is_folder=True,
            )
            return filled, [one for one in tokens if one not in described]
    if asked.shape == "newname":
        value, confidence, why = token.value, 1.0, ""
    else:
        found = paths.find(token.value, asked.tree, NEW, tool=asked.tool, parameter=asked.parameter)
        if found.value is None:
            return Filled(None, (token.start, token.end), token.value, problem=found.why), [
                one for one in tokens if one is not token
            ]
        value, confidence, why = found.value, found.confidence, found.why
    changed = value != token.value
    filled = Filled(
        value,
        (token.start, token.end),
        token.value if changed else None,
        confidence,
        why if changed else "",
        is_folder=calls_folder,
    )
    return filled, [one for one in tokens if one is not token]


def _described(
    described: Sequence[Token], rest: list[Token], words: Sequence[Token], asked: Asked, place: Place, wanted: str
) -> tuple[Filled | None, list[Token]]:
    """Something that is there, by what it is called: “the settings file”, “the summarization tool”."""
    span = (described[0].start, described[-1].end)
    said = " ".join(one.value for one in described)
    tries: list[tuple[str, list[Token]]] = [("_".join(one.value for one in described), [])]
    if len(described) > 1:
        tries += [
            (one.value, [other for other in described if other is not one])
            for one in described
            if asked.tree.kind(one.value)
        ]
    best = None
    for text, left in tries:
        found = paths.find(text, asked.tree, wanted, tool=asked.tool, parameter=asked.parameter)
        if found.value is not None and "spelt" in found.why and len(described) == 1 and asked.is_verb(described[0]):
            # “Show” is no slip of the folder “shop”.
            found = replace(found, value=None, why=f"“{said}” names nothing that is here")
        if found.value is not None:
            changed = found.value != said
            filled = Filled(
                found.value,
                span,
                said if changed else None,
                found.confidence,
                found.why if changed else "",
                penalty=0.1,
            )
            if place.careful and found.confidence < 0.93:
                # What cannot be taken back is not done on a guess at a plain word.
                why = f"“{said}” may be {found.value}"
                choices = found.choices or (Candidate(found.value, found.confidence, found.why),)
                filled = Filled(None, span, said, found.confidence, problem=why, choices=choices)
            return filled, [*rest, *left]
        best = best if best and best.choices else found
    if place.code or wanted in (FILE, ANY):
        named = [
            one.value
            for one in words
            if one.text not in ARTICLES and (one in described or one.text in components.KINDS)
        ]
        located = components.locate(named, asked.tree)
        if located.value is not None and paths.fits(asked.tree.kind(located.value), wanted):
            return Filled(located.value, span, said, located.confidence, located.why), rest
        if place.code and located.choices:
            best = located
    why, choices = (best.why, best.choices) if best is not None else ("", ())
    return Filled(None, span, said, problem=why, choices=choices, penalty=0.3), rest


def listed(tokens: Sequence[Token]) -> list[list[Token]]:
    """The items of a list: “a, b and c” are three; what is no list is one item."""
    items: list[list[Token]] = [[]]
    for token in tokens:
        if (token.kind == WORD and token.text in ("and", "plus")) or (
            token.kind == SIGN and token.value in (",", "&", "&&", "+", ";")
        ):
            if items[-1]:
                items.append([])
            continue
        if token.kind == WORD and token.text in ("also", "both") and not items[-1]:
            continue
        items[-1].append(token)
    return [item for item in items if item]


__all__ = ["FLAG", "Asked", "Filled", "fill", "listed", "may_begin"]
