"""What one tool does by its own words and another by a path: “the note ideas” is the file notes/ideas.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from agents.bdi.understanding.understood import Meant, Understood
from agents.bdi.understanding.words.tokens import WORD, tokens_of
from agents.toolkit.registry import Registry
from agents.toolkit.types import Param


def by_its_own_tool(found: Understood, text: str, registry: Registry) -> Understood:
    """The same with each step by the command whose noun the text says, where another one was found for its path."""
    if not found.meant:
        return found
    said = {token.text for token in tokens_of(text) if token.kind == WORD}
    return replace(found, meant=tuple(_own(one, said, registry) for one in found.meant))


def _own(meant: Meant, said: set[str], registry: Registry) -> Meant:
    for command in registry.commands:
        same = registry.said(command).done_by
        if same is None or same[0] != f"{meant.tool}.{meant.command}":
            continue
        nouns = {noun for sense in registry.said(command).senses for noun in sense.key}
        if nouns & said and (params := _params(same[1], meant.params)) is not None:
            return replace(meant, tool=command.tool, command=command.name, params=params)
    return meant


def _params(forms: Mapping[str, str], params: Mapping[str, Param]) -> Mapping[str, Param] | None:
    """The values of the one command that those of the other one say; None where they say something else."""
    if forms.keys() != params.keys():
        return None
    found: dict[str, Param] = {}
    for name, form in forms.items():
        before, _, rest = form.partition("{")
        own, _, behind = rest.partition("}")
        shape = f"{re.escape(before)}(?P<value>.+){re.escape(behind)}" if own else re.escape(form)
        value = params[name].value
        if not isinstance(value, str) or (match := re.fullmatch(shape, value, re.DOTALL)) is None:
            return None
        if own:
            param = params[name]
            was = param.original if param.original is not None or match["value"] == value else param.value
            found[own] = replace(param, value=match["value"], original=None if was == match["value"] else was)
    return found
