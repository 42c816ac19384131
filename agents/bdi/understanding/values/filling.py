"""From the tokens where a value should be to the value, by its kind."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from agents.bdi.understanding.names import paths
from agents.bdi.understanding.values.filled import Asked, Filled
from agents.bdi.understanding.values.kinds_of_values import (
    body_value,
    branch_value,
    codes_value,
    ending_value,
    revision_value,
)
from agents.bdi.understanding.values.line_values import last_lines_value, line_value, packages_value
from agents.bdi.understanding.values.path_values import path_value
from agents.bdi.understanding.values.settings_values import amount_value, ceilings_value, tools_value, version_value
from agents.bdi.understanding.values.text_values import quoted_value, text_value
from agents.bdi.understanding.values.word_values import pattern_value, word_value
from agents.bdi.understanding.words import written_paths
from agents.bdi.understanding.words.naming_words import TYPES
from agents.bdi.understanding.words.spelling import nearest
from agents.bdi.understanding.words.tokens import ORDINALS, PATH, QUOTED, SIGN, URL, WORD, Token, number_of
from agents.toolkit.hosts import entries_of
from agents.toolkit.wording.kinds import SWITCHES

_DOMAIN = re.compile(
    r"(?:[a-z0-9-]+\.)+(?:[a-z]{2,})(?::\d+)?(?:/\S*)?\Z|localhost(?::\d+)?(?:/\S*)?\Z|\d+\.\d+\.\d+\.\d+(?::\d+)?(?:/\S*)?\Z",
    re.IGNORECASE,
)


def fill(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """The value that these tokens say, and the tokens that it does not need."""
    shape = asked.shape
    if shape == "newfolder" and not any(_is_new_folder(one, asked) for one in tokens):
        return None, list(tokens)
    if shape in ("path", "newname", "newfolder"):
        return path_value(tokens, asked)
    maker = {
        "number": _number,
        "switch": _switch,
        "choice": _choice,
        "address": _address,
        "hosts": _hosts,
        "text": text_value,
        "quoted": quoted_value,
        "line": line_value,
        "packages": packages_value,
        "lastlines": last_lines_value,
        "ending": ending_value,
        "codes": codes_value,
        "body": body_value,
        "pattern": pattern_value,
        "variable": _variable,
        "person": _person,
        "email": _email,
        "revision": revision_value,
        "branchname": branch_value,
        "reference": _reference,
        "tools": tools_value,
        "version": version_value,
        "ceilings": ceilings_value,
        "amount": amount_value,
    }.get(shape, word_value)
    return maker(tokens, asked)


def _is_new_folder(token: Token, asked: Asked) -> bool:
    """“Create docs/adr”: a path without an ending, in a folder that is here, is a folder to be."""
    above, _, name = token.value.rpartition("/")
    is_path = (
        token.kind == PATH and bool(above) and bool(name) and not written_paths.has_ending(name) and "." not in name
    )
    if not is_path or asked.tree.kind(token.value):
        return False
    found = paths.find(above, asked.tree, paths.FOLDER)
    return found.value is not None and found.value.casefold() == above.casefold()


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
        if token.text in ORDINALS and not asked.parameter.endswith("_line"):
            continue  # “newest first” counts nothing
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
    again = next((one for one in tokens if one.kind == WORD and one.text == "same"), None)
    if again is not None and asked.before and not any(one.is_literal for one in tokens):
        why = f"“{again.value}” is {asked.before}"
        filled = Filled(asked.before, (again.start, again.end), again.value, 0.92, why)
        return filled, [one for one in tokens if one is not again]
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
                and written_paths.looks_like_path(token.value)
                and not token.text.startswith("www.")
                and (token.text.rpartition(".")[2] in TYPES or paths.find(token.value, asked.tree).value is not None)
            ):
                # What has nearly the name of something here is no address.
                continue
            why = "an address begins with https://"
            filled = Filled(f"https://{token.value}", (token.start, token.end), token.value, 0.9, why, literals=1)
            return filled, [one for one in tokens if one is not token]
    return None, list(tokens)


_EMAIL = re.compile(r"<?([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})>?\Z")


def _email(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    for token in tokens:
        if found := _EMAIL.match(token.value):
            rest = [one for one in tokens if one is not token]
            return Filled(found[1], (token.start, token.end), literals=1), rest
    return None, list(tokens)


def _reference(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """A branch or a commit by any name; what is a file here, or ends like one, is none."""
    filled, rest = revision_value(tokens, asked)
    if filled is not None or any(asked.tree.kind(one.value) or written_paths.has_ending(one.value) for one in tokens):
        return filled, rest
    return word_value(tokens, asked)


def _person(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    """A name of one to four words; what is written behind it is something else."""
    quoted = next((one for one in tokens if one.kind == QUOTED), None)
    if quoted is not None and quoted is tokens[0]:
        return Filled(quoted.value, (quoted.start, quoted.end), literals=1), list(tokens[1:])
    named = list(itertools.takewhile(lambda one: one.kind == WORD and one.value[:1].isupper(), tokens))[:4]
    if not named:
        return None, list(tokens)
    start, end = named[0].start, named[-1].end
    return Filled(asked.raw[start:end], (start, end)), list(tokens[len(named) :])


def _hosts(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    if not tokens:
        return None, []
    said = asked.raw[tokens[0].start : tokens[-1].end]
    return Filled(entries_of(said), (tokens[0].start, tokens[-1].end)), []


def _variable(tokens: Sequence[Token], asked: Asked) -> tuple[Filled | None, list[Token]]:
    token = next((one for one in tokens if re.fullmatch(r"[A-Z][A-Z0-9_]+", one.value)), None)
    if token is None:
        return None, list(tokens)
    return Filled(token.value, (token.start, token.end), literals=1), [one for one in tokens if one is not token]


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
