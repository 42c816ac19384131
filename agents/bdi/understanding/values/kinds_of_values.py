"""Values with a fixed form: kinds of files, codes of rules, branches, what is sent over the network."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.bdi.understanding.names.paths import FOLDER, find
from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.words.naming_words import FILE_HEADS, type_of
from agents.bdi.understanding.words.tokens import DATA, NUMBER, PATH, QUOTED, WORD, Token
from agents.bdi.understanding.words.written_paths import has_ending

_CODE = re.compile(r"[A-Z]{1,6}[0-9]{0,4}\Z", re.ASCII)
_ENDING = re.compile(r"\*?\.\w{1,6}\Z", re.ASCII)
_FORM = re.compile(r"[\w.\[\]-]{1,64}=\S*\Z")


# Branches as nearly everybody calls them, what such names begin with, and how commits and versions are written.
_REVISION = re.compile(
    r"main|master|develop|trunk|staging|production|HEAD(?:[~^@]\S*)?|v\d+(?:[.-]\w+)*|\d+\.\d+(?:\.\w+)+"
    r"|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}"
    r"|(?:origin|upstream|feature|feat|fix|bugfix|hotfix|release|spike|chore|experiment|wip|topic|task|issue)/\S+\Z"
)
_HEADS = ".git/refs/heads/"


def revision_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """A branch or a commit that shows by its form that it is one, or that the repository here has; no folder here."""
    for token in tokens:
        if token.kind not in (WORD, PATH, QUOTED, NUMBER) or asked.tree.kind(token.value) == FOLDER:
            continue
        said = asked.raw[token.start : token.end].strip("\"'“”`") or token.value
        if _REVISION.fullmatch(said) or asked.tree.kinds.get(asked.tree.full(_HEADS + said)):
            return Filled(said, (token.start, token.end), literals=1), [one for one in tokens if one is not token]
    return None, list(tokens)


_OF_A_BRANCH = re.compile(r"[A-Za-z][\w.]*(?:[-/][\w.]+)+\Z")


def branch_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """A branch behind a verb that is said of branches: also what is put together like one, and is nothing here."""
    filled, rest = revision_value(tokens, asked)
    if filled is not None or len(tokens) != 1 or tokens[0].kind not in (WORD, PATH):
        return filled, rest
    (token,) = tokens
    is_other = (
        asked.tree.kind(token.value) or has_ending(token.value) or find(token.value, asked.tree).value is not None
    )
    if is_other or not _OF_A_BRANCH.match(token.value):
        return None, list(tokens)
    return Filled(token.value, (token.start, token.end), confidence=0.9, why="nothing here has this name"), []


def ending_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """The pattern of files that end alike: “csv”, “python”, `*.md`; never the name of one file."""
    for token in tokens:
        if token.kind == PATH and _ENDING.match(token.value):
            made = f"*{token.value.lstrip('*')}"
        elif token.kind == WORD and type_of(token.text) and asked.tree.kind(token.value) != FOLDER:
            made = type_of(token.text)
        else:
            continue
        why = "files of this kind end so"
        filled = Filled(made, (token.start, token.end), token.value, 0.95, why, literals=1)
        return filled, without_its_head(tokens, token)
    return None, list(tokens)


_PICTURES = frozenset("picture pictures photo photos image images drawing drawings table tables sheet sheets".split())


def without_its_head(tokens: Sequence[Token], kind: Token) -> list[Token]:
    """The other tokens without the noun of a kind: “shell scripts”, “markdown documents”."""
    at = next(number for number, one in enumerate(tokens) if one is kind)
    heads = [one for one in tokens[at + 1 : at + 2] if one.kind == WORD and one.text in FILE_HEADS | _PICTURES]
    return [one for one in tokens if one is not kind and one not in heads]


def codes_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """Rules by their letters and digits, with commas between them: “F401 and UP”."""
    named = [one for one in tokens if one.kind in (WORD, QUOTED, PATH) and _CODE.match(one.value)]
    if not named:
        return None, list(tokens)
    rest = [one for one in tokens if one not in named and one.text not in ("and", "or", ",", "&", "rule", "rules")]
    return Filled(", ".join(one.value for one in named), (named[0].start, named[-1].end), literals=1), rest


def body_value(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """What is sent, letter by letter: in quotes, as JSON or as `name=value`. Words that tell of it are not it."""
    said = next((one for one in tokens if one.kind in (QUOTED, DATA)), None)
    said = said or next((one for one in tokens if one.kind in (WORD, PATH) and _FORM.match(one.value)), None)
    if said is not None:
        return Filled(said.value, (said.start, said.end), literals=1), [one for one in tokens if one is not said]
    told = next((one for one in tokens if one.kind == PATH), None)
    if told is None:
        return None, list(tokens)
    problem = f"“{told.value}” names a file, and what is sent is given in words; put it in quotes"
    return Filled(None, (told.start, told.end), told.value, 0.2, problem=problem), [
        one for one in tokens if one is not told
    ]
