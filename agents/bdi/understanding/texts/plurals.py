"""“Open a.txt and b.txt and move them to the attic”: *them* is everything named before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.bdi.understanding.checks.dropped_words import with_value
from agents.bdi.understanding.questions import choice_of, short
from agents.bdi.understanding.understood import Meant, Question
from agents.bdi.understanding.words.tokens import PATH, WORD, Token

# Behind “both” these say that it stands alone: “move both to the attic”.
_NO_NOUNS = frozenset("to into in inside from under there here and then please now again too".split())


@dataclass(frozen=True)
class Named:
    """What one command was about: where that lies now, and where the words for it stand."""

    command: str
    path: str
    span: tuple[int, int] | None


def all_of(tokens: Sequence[Token], named: Sequence[tuple[Named, ...]]) -> Sequence[Token]:
    """The tokens with those for all things that were named in the place of *them* or *both*.

    `named` are those of each part before, newest last. Several that were named together are meant together; one after
    the other only where the same was done with each.
    """
    at = next((at for at, token in enumerate(tokens) if token.kind == WORD and _is_plural(tokens, at)), None)
    if at is None or not named:
        return tokens
    group = named[-1] if len(named[-1]) > 1 else _in_a_row(named)
    is_two = any(token.text == "both" for token in tokens)
    spans = [one.span for one in group if one.span is not None]
    if len(group) < 2 or len(set(spans)) < len(group) or (is_two and len(group) != 2):
        return tokens
    begin = at - 2 if [one.text for one in tokens[max(0, at - 2) : at]] in (["both", "of"], ["all", "of"]) else at
    found: list[Token] = []
    for one, span in zip(group, spans, strict=True):
        joined = [Token(WORD, "and", "and", span[1], span[1])] if found else []
        found += [*joined, Token(PATH, one.path.casefold(), one.path, *span, said=tokens[at].value, sure=0.95)]
    return (*tokens[:begin], *found, *tokens[at + 1 :])


def _is_plural(tokens: Sequence[Token], at: int) -> bool:
    if tokens[at].text == "them":
        return True
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    return tokens[at].text == "both" and (behind is None or behind.kind != WORD or behind.text in _NO_NOUNS)


def _in_a_row(named: Sequence[tuple[Named, ...]]) -> tuple[Named, ...]:
    row: list[Named] = []
    for group in reversed(named):
        if len(group) != 1 or (row and group[0].command != row[0].command):
            break
        row.insert(0, group[0])
    return tuple(row)


def which_of(said: str, commands: Sequence[Meant], before: Sequence[Named], copied: str, step: int) -> Question | None:
    """What is asked where *it* is one of several that were named together, or may be a copy or what it was made of.

    `copied` is what the command before made a copy of, where something is to be done away with.
    """
    paths = [*(one.path for one in before), *([copied] if copied else [])]
    for at, one in enumerate(commands):
        name = next((name for name, param in one.params.items() if param.value in paths), "")
        if name and len(paths) > 1:
            others = (with_value(commands, at, name, path) for path in paths if path != one.values()[name])
            choices = tuple(choice_of(each) for each in (tuple(commands), *others))
            return Question(step, f"What is meant by “{short(said)}”?", "It may be one or the other.", "", choices[:5])
    return None
