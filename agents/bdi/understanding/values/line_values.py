"""Command lines and packages as values: what runs, and which words belong to it."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from agents.bdi.understanding.names import descriptions, paths
from agents.bdi.understanding.names.naming import words_of
from agents.bdi.understanding.names.paths import FILE, Candidate, Found, Tree
from agents.bdi.understanding.names.tree_index import TreeIndex
from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.values.path_values import path_value
from agents.bdi.understanding.values.text_values import LITTLE, together, without_ends
from agents.bdi.understanding.values.time_limits import says_a_length
from agents.bdi.understanding.words import written_paths
from agents.bdi.understanding.words.filler import ARTICLES, DOUBT, IDLE
from agents.bdi.understanding.words.morphology import bases
from agents.bdi.understanding.words.naming_words import FILE_HEADS, LINKING
from agents.bdi.understanding.words.spelling import nearest
from agents.bdi.understanding.words.tokens import FLAG, ORDINALS, PATH, QUOTED, SIGN, WORD, Token, number_of
from agents.toolkit.saying import Place
from sandbox.command_line import PROGRAMS

# Words of sentences that stand in no command line but those of programs that only say them.
_OF_SENTENCES = ARTICLES | {"of", "every"}
# Neither do these behind what a program is given: they go on with another clause, or say when.
_GOING_ON = frozenset(
    "and but then so after before while whenever when if unless until once because it without later".split()
)
# Programs that are often in an environment or an image of one's own; whether they may run is known when they run.
_ELSEWHERE = frozenset(
    """
alembic ansible-playbook black bun bundle bundler caddy cargo celery cmake composer coverage daphne deno django-admin
docker docker-compose dotnet eslint ffmpeg flake8 flask gcc go gradle gunicorn hugo hypercorn ipython java javac jekyll
jest jq julia jupyter kubectl latexmk locust memcached mix mkdocs mongod mvn mypy mysqld nginx ninja node nodemon nox
npm npx pandoc pdflatex perl php pipenv pm2 pnpm poetry postgres prettier pylint pyright python2 rails rake redis-cli
redis-server rspec rsync ruby ruff rustc sphinx-build sqlite3 ssh streamlit svelte-kit terraform tox traefik tsc
uvicorn uv valkey-server vite vitest webpack xelatex yarn
    """.split()
)

# Whoever types one of these tells it what to do: “npm test” is no English.
TOLD = frozenset("npm npx pnpm yarn cargo kubectl docker docker-compose terraform mvn gradle dotnet poetry".split())
# What a command line may begin with, here or elsewhere.
RUNNING = PROGRAMS | _ELSEWHERE


SPEAKING = frozenset({"echo", "printf"})


_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9]?[\w.-]*(\[[\w.,-]+\])?((==|>=|<=|~=|!=|>|<)[\w.*]+)?\Z", re.ASCII)


def line_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """A command line: what is quoted, else everything; scripts of the workspace are run by their interpreter."""
    kept = _without_joining(without_ends(tokens), asked.raw)
    while (
        kept
        and (kept[0].text in ARTICLES or kept[0].text in asked.about or kept[0].text in FILE_HEADS)
        and len(kept) > 1
    ):
        kept = kept[1:]
    if len(kept) > 1 and kept[0].text in SCRIPT_HEADS | _RUN_ON and kept[1].value in RUNNING:
        kept = kept[1:]  # “start the server python -m http.server”
    if not kept:
        return None, list(tokens)
    quoted = next((one for one in kept if one.kind == QUOTED), None)
    aside = next((at for at, one in enumerate(kept) if one.kind == WORD and one.text in ("background", "bg")), None)
    if aside is not None and quoted is None:
        # “In the background” ends the line: it is how it is run.
        while aside > 1 and kept[aside - 1].text in ARTICLES | {"in", "as", "into"}:
            aside -= 1
        kept, aside_rest = kept[:aside], kept[aside:]
        filled, behind = line_value(kept, asked)
        return filled, [*behind, *aside_rest]
    rest: list[Token] = []
    if quoted is not None and (quoted is kept[0] or " " in quoted.value) and kept[0].text not in PROGRAMS:
        said, span = quoted.value, (quoted.start, quoted.end)
        rest = [one for one in tokens if one is not quoted]
        if _is_typed(said, asked):
            # What an environment has is known when it runs; a plan with a program that may not run is refused as that.
            return Filled(said, span, literals=1), rest
    else:
        kept, rest = together(kept, asked.raw)
        while len(kept) > 1 and kept[-1].text in FILE_HEADS | {"tool", "command"} and kept[-1].kind == WORD:
            kept.pop()
        span = (kept[0].start, kept[-1].end)
        said = asked.raw[span[0] : span[1]]
        if (script := _script_called(kept, tokens, span, asked)) is not None:
            return script, rest
        if kept[0].text not in SPEAKING and _is_sentence(kept, asked.raw):
            # “tests of the workspace” is no program named test, whatever the machine has of such a name.
            told = f"“{said}” reads as a sentence and not as a command line; put a command line in quotes"
            return Filled(None, span, said, 0.0, problem=told, penalty=0.5), rest
    filled = _runnable(said, span, asked)
    is_quoted = quoted is not None and span == (quoted.start, quoted.end)
    little = 0 if is_quoted else sum(1 for one in kept[1:] if one.kind == WORD and one.text in LITTLE)
    return replace(filled, penalty=filled.penalty + 1.0 * little), rest


_JOINING = frozenset({"and", "but", "it", "which", "that", "then", "also"})


def _without_joining(tokens: list[Token], raw: str) -> list[Token]:
    """The tokens without those that lead to what is said behind them: “pip download x, it (may reach …)”."""
    if not tokens or not raw[tokens[-1].end :].strip():
        return tokens
    while len(tokens) > 1 and (tokens[-1].text in _JOINING or tokens[-1].value == ","):
        tokens = tokens[:-1]
    return tokens


_TYPED = re.compile(r"[A-Za-z][\w.+-]*(?:\s+\S+)*\Z", re.ASCII)


def _is_typed(said: str, asked: Asked) -> bool:
    """Whether what stands in quotes is a command line of a program that mindX knows nothing of: “npm run build”."""
    first, *others = said.strip().split(" ")
    if first in _ELSEWHERE:
        return True
    if not _TYPED.match(said.strip()) or first in PROGRAMS or asked.tree.kind(first) or "." in first:
        return False
    if nearest(first.casefold(), PROGRAMS) or first.casefold() in IDLE | FILE_HEADS | asked.about:
        return False
    return first == first.casefold() and not any(word.casefold() in _OF_SENTENCES for word in others)


SCRIPT_HEADS = frozenset({"script", "program", "job", "server", "module"})
_RUN_ON = frozenset({"service", "worker", "process", "daemon", "task", "app"})
_CUE_OF_A_SCRIPT = re.compile(r"\b(?:the|my|our)\s+(?:\w+\s+)?(?:script|program|job|server)\s+\Z", re.IGNORECASE)


def _script_called(
    kept: Sequence[Token], tokens: Sequence[Token], span: tuple[int, int], asked: Asked
) -> Filled | None:
    """“The backup script” as the one here that its name says: run by python, or by itself."""
    words = [one for one in kept if one.kind == WORD and one.text not in IDLE]
    heads = [one for one in tokens if one.kind == WORD and one.text in SCRIPT_HEADS]
    is_called = bool(heads) or bool(_CUE_OF_A_SCRIPT.search(asked.raw[max(0, span[0] - 40) : span[0]]))
    flags = [one for one in kept if one.kind == FLAG]
    if any(one.kind != WORD and one not in flags for one in kept) or kept[0].value in RUNNING or not words:
        return None
    own = [one.value for one in words if one not in heads] or [one.value for one in heads]
    scripts = _scripts(asked.tree)
    found = descriptions.described(own, [one.text for one in heads], scripts, FILE)
    if found.value is None and len(found.choices) < 2:
        found = descriptions.described([bases(word.casefold())[-1] for word in own], [], scripts, FILE)
    if found.value is None or found.confidence < _LEAST_SCRIPT:
        return None
    if not is_called and not _is_its_name(words, found, scripts):
        return None
    ran = f"python {found.value}" if found.value.endswith(".py") else f"./{found.value}"
    line = " ".join([ran, *(one.value for one in flags)])
    said = asked.raw[span[0] : span[1]]
    return Filled(line, span, said, min(found.confidence, 0.9), "it is the script of that name", literals=1)


_LEAST_SCRIPT = 0.8


def _is_its_name(words: Sequence[Token], found: Found, scripts: Tree) -> bool:
    """“Run my sorting homework”, where homework/sorting.py is the only such one: its whole name is said."""
    own = words_of(posixpath.splitext(posixpath.basename(str(found.value)))[0])
    said = {word for one in words for word in words_of(one.value)} | {"run", "start"}
    return len(found.choices) == 1 and said.issuperset(own)


def _scripts(tree: Tree) -> Tree:
    """The files here that are run: Python's and the shell's, no tests."""
    key = ("scripts",)
    if key not in tree.found:
        run = (path for path in tree.visible if path.endswith((".py", ".sh")) and "test" not in path)
        tree.found[key] = replace(tree, index=TreeIndex({path: tree.kinds[path] for path in run}))
    return cast(Tree, tree.found[key])


def _is_sentence(kept: Sequence[Token], raw: str) -> bool:
    """Whether it reads as prose: an article, or a comma with a space behind it that parts words."""
    is_program = kept[0].value in RUNNING
    return (not is_program and says_a_length(kept[1:])) or any(
        (one.kind == WORD and (one.text in _OF_SENTENCES or (at > is_program and one.text in _GOING_ON)))
        or (one.kind == SIGN and one.value[:1] == "," and raw[one.end : one.end + 1] in (" ", ""))
        for at, one in enumerate(kept[1:], 1)
    )


def _runnable(said: str, span: tuple[int, int], asked: Asked) -> Filled:
    first, _, rest = said.strip().partition(" ")
    if first in _ELSEWHERE and not asked.tree.kind(first):
        return Filled(said, span, literals=1)
    if first in PROGRAMS or (first.startswith("./") and asked.tree.kind(first) and not first.endswith(".py")):
        line, why, confidence = _mended(said, asked)
        changed = line != said
        return Filled(line, span, said if changed else None, confidence, why, literals=1)
    if not rest or " " in rest or written_paths.looks_like_path(first):
        found = paths.find(first, asked.tree, FILE, tool=asked.tool, parameter=asked.parameter)
        if found.value is not None and found.value.endswith(".py"):
            line = f"python {found.value}{' ' + rest if rest else ''}"
            return Filled(line, span, said, min(found.confidence, 0.95), "a Python script is run by python", literals=1)
        if found.value is not None and found.value.endswith(".sh"):
            line = f"./{found.value}{' ' + rest if rest else ''}"
            return Filled(line, span, said, min(found.confidence, 0.95), "a script is run by itself", literals=1)
    near = nearest(first.casefold(), PROGRAMS)
    is_described = bool(re.search(r"\b(?:the|my|our|these|those|all)\s+\Z", asked.raw[max(0, span[0] - 10) : span[0]]))
    if near and len(first) > 3 and not is_described:
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


# What these are given is there: they only read it.
_READING = frozenset("wc cat head tail sort uniq cut stat file du nl diff cmp md5sum sha256sum ls pytest".split())


def _without_prepositions(words: list[str], tree: Tree) -> list[str]:
    """“Pytest on tests”: what no program is told, though people say it."""
    kept = []
    for at, word in enumerate(words):
        following = words[at + 1] if at + 1 < len(words) else ""
        leads = word in ("on", "over") or (word in ("in", "for") and words[0] == "pytest")
        if at and leads and (written_paths.looks_like_path(following) or tree.kind(following)):
            continue
        kept.append(word)
    return kept


# What these run, where it is no Python.
_RUN_BY = {"bash": ".sh", "sh": ".sh", "zsh": ".sh", "node": ".js"}


def _mended(said: str, asked: Asked) -> tuple[str, str, float]:
    """A command line whose misspelt files are those that are there."""
    words, why, confidence = _without_prepositions(said.split(" "), asked.tree), "", 1.0
    for at, word in enumerate(words):
        if at and words[0] in _READING and written_paths.looks_like_path(word) and not asked.tree.kind(word):
            found = paths.find(word, asked.tree, tool=asked.tool, parameter=asked.parameter)
            if found.value is not None and found.confidence >= _LEAST_SCRIPT:
                words[at], why, confidence = found.value, found.why, min(confidence, found.confidence)
                continue
        ending = _RUN_BY.get(words[0], ".py")
        is_script = word.casefold().rstrip(">").endswith(ending) and not word.startswith("-")
        if at and not is_script and words[0].startswith("python") and not asked.tree.kind(word):
            # “python lib/roster” with lib/roster.py there: the ending was left out.
            is_script = words[at - 1] == words[0] and asked.tree.kind(f"{word}.py") == FILE
        if is_script and at and word.startswith("./") and asked.tree.kind(word):
            words[at], why = written_paths.cleaned(word), "it is written otherwise"
            continue
        if is_script and not asked.tree.kind(word):
            found = paths.find(word, asked.tree, FILE, tool=asked.tool, parameter=asked.parameter)
            if found.value is not None:
                words[at], why, confidence = found.value, found.why, min(confidence, found.confidence)
    return " ".join(words), why, confidence


_OF_THE_END = frozenset("last final bottom tail end ends line lines rows entries row entry of the in from at".split())


def last_lines_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """The last lines of a file, “the last 30 lines of errors.log”, as what the program `tail` is told."""
    number = next((one for one in tokens if number_of(one) is not None and one.text not in ORDINALS), None)
    named = [one for one in tokens if one is not number and not (one.kind == WORD and one.text in _OF_THE_END)]
    path, rest = path_value(named, replace(asked, shape="path", place=Place("file")))
    if path is None or number is None or path.value is None:
        return (None, list(tokens)) if path is None or number is None else (path, rest)
    line = shlex.join(["tail", "-n", str(number_of(number)), str(path.value)])
    ends = sorted([(number.start, number.end), path.span or (number.start, number.end)])
    span = (ends[0][0], ends[1][1])
    said = asked.raw[span[0] : span[1]]
    return replace(path, value=line, span=span, original=said, why="tail shows the last lines", literals=2), rest


_LISTS = frozenset({"requirements", "requirement", "dependencies"})


def _requirements(tokens: Sequence[Token], asked: Asked) -> tuple[Filled, list[Token]] | None:
    """“The dev requirements” stand in requirements-dev.txt; where no such file is, they are no package “dev”."""
    at = next((at for at, one in enumerate(tokens) if one.kind == WORD and one.text in _LISTS), None)
    if at is None:
        return None
    kinds = [one for one in tokens[max(0, at - 2) : at] if one.kind == WORD and one.text not in IDLE]
    kinds = [one for one in kinds if one.text not in asked.about]
    if not kinds:
        return None
    span = (kinds[0].start, tokens[at].end)
    said = asked.raw[span[0] : span[1]]
    rest = [one for one in tokens if one not in kinds and one is not tokens[at]]
    found = descriptions.described([*(one.value for one in kinds), "requirements"], [], asked.tree, FILE)
    if found.value is None or not found.value.endswith(".txt"):
        problem = f"no file here lists the {said}"
        return Filled(None, span, said, problem=problem, choices=found.choices, penalty=0.3), rest
    return Filled(f"-r {found.value}", span, said, found.confidence, "the packages stand in a file", literals=1), rest


_ENDING_A_LIST = frozenset("for with in on at to of is are does do has have version from into as".split())
_NO_PACKAGES = frozenset({"part", "parts", "bit", "everything", "something", "thing", "things"})


def packages_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    if (listed := _requirements(tokens, asked)) is not None:
        return listed
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
    named: list[Token] = []
    rest = []
    ends = False
    for token in tokens:
        # “Numpy for the model”, “pandas, the version does not matter”: what follows lists no packages.
        ends = ends or (bool(named) and token.kind == WORD and token.text in _ENDING_A_LIST | DOUBT)
        if ends or (token.kind == WORD and token.text in DOUBT | _NO_PACKAGES):
            rest.append(token)
            continue
        # “The package x, could you install it”: what begins a command is no package beside another name.
        skip = (
            bool(named)
            and asked.is_verb(token)
            and token.kind == WORD
            and asked.raw[: token.start].rstrip()[-1:] != ","
        )
        skip = skip or token.text in asked.about or token.text in IDLE or token.text in LINKING or token.kind == SIGN
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
    # “The washing machine” describes something; a package is called “the package x”, or by its name alone.
    heads = {"package", "packages", "library", "libraries", "module", "modules"}
    first = tokens[0]
    told_of = first.text in ("the", "a", "my", "our", "some") and not any(one.text in heads for one in tokens)
    if told_of:
        return Filled(line, (named[0].start, named[-1].end), penalty=0.8), rest
    return Filled(line, (named[0].start, named[-1].end), literals=1), rest
