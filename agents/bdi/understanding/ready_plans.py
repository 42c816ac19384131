"""Commands that a text might mean although nobody understood it, filled with what the text plainly names. Pure.

Which commands are tried, and in which order, is the caller's business; nothing of this is ever taken without an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agents.bdi.plans.misnamed import misnamed
from agents.bdi.understanding.names.paths import ANY, FILE, FOLDER, Tree, find
from agents.bdi.understanding.understood import Meant
from agents.bdi.understanding.words.tokens import (
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
    tokens_of,
)
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param

# A file is named as surely as that, or it is not taken for one.
_LEAST = 0.9
# So many sentences stand for a command: comparing takes their vectors, and more of them find no more.
_PHRASES, _VERBS, _SENTENCES = 6, 4, 10
_GENERAL = {
    PATH: "the file", QUOTED: "the text", URL: "the address", NUMBER: "some", DATA: "the data", FLAG: "",
    PLACEHOLDER: "the file",
}  # fmt: skip
_PATH_WANTED = frozenset({FILE, FOLDER, ANY})


def filled(commands: Iterable[Command], text: str, tree: Tree, registry: Registry) -> Iterator[Meant]:
    """The commands whose required values all stand in the text, in their order; of those that need none, nothing in the
    text says that they are meant.
    """
    tokens = [token for token in tokens_of(text) if token.kind != SIGN]
    for command in commands:
        params = _values(command, tokens, tree, registry)
        if params and not misnamed(command, {name: param.value for name, param in params.items()}):
            yield Meant(command.tool, command.name, params, text, 0.0)


def sentences(command: Command, registry: Registry) -> tuple[str, ...]:
    """Some ways in which people say a command, without its values: what it does, its phrases, verbs and nouns."""
    said = [command.summary, *(" ".join(template.literals) for template in command.templates)][:_PHRASES]
    for sense in registry.said(command).senses:
        nouns = " ".join(sorted(sense.about)[:3])
        said += [f"{' '.join(verb).replace('…', '')} {nouns}".strip() for verb in sense.verbs[:_VERBS]]
    return tuple(dict.fromkeys(one for one in said if one))[:_SENTENCES]


def masked(text: str) -> str:
    """A text with a general word in the place of each value, so that only what is to be done is compared."""
    words = (_GENERAL.get(token.kind, token.text) for token in tokens_of(text) if token.kind != SIGN)
    return " ".join(word for word in words if word)


def _values(command: Command, tokens: list[Token], tree: Tree, registry: Registry) -> dict[str, Param] | None:
    """A value for each required parameter, none of them twice; None where one is not in the text."""
    places = registry.said(command).places
    left, found = list(tokens), dict[str, Param]()
    for name in command.required:
        wanted = places[name].wanted if name in places else ""
        fitting = ((one, _fits(one, name, wanted, command, tree)) for one in left)
        token, value = next(((one, value) for one, value in fitting if value is not None), (None, None))
        if token is None:
            return None
        left.remove(token)
        found[name] = Param(value, "explicit", span=(token.start, token.end), note="as the goal says it")
    return found


def _fits(token: Token, name: str, wanted: str, command: Command, tree: Tree) -> Any:
    """The value that a token gives this parameter; None where it gives none."""
    kind = command.kind(name)
    if wanted in _PATH_WANTED:
        meant = find(token.value, tree, wanted) if token.kind in (PATH, QUOTED, WORD) else None
        return meant.value if meant is not None and meant.confidence >= _LEAST else None
    if kind in ("path", "name"):
        return token.value if token.kind in (PATH, QUOTED) and not tree.kind(token.value) else None
    if kind == "number":
        return number_of(token) if token.kind == NUMBER else None
    if kind == "address":
        return token.value if token.kind == URL else None
    return token.value if kind == "text" and token.kind == QUOTED else None
