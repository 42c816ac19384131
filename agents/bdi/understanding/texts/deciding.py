"""Whether the likeliest reading of a clause is taken, or a question is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.bdi.understanding.names.paths import Tree
from agents.bdi.understanding.questions import about_values, which
from agents.bdi.understanding.reading.binding import commands_of
from agents.bdi.understanding.reading.judging import MOST_COST, Reading
from agents.bdi.understanding.texts.rivals import fuller, outdoes
from agents.bdi.understanding.texts.splitting import Part
from agents.bdi.understanding.understood import Meant, Question
from agents.toolkit.registry import Registry

# A second reading must have so much more against it.
LEAST_MARGIN = 0.3
# What has more than this against it says nothing about what is meant.
HOPELESS = 3.2
# What has less is offered where nothing better is found.
MOST_OFFERED = 6.0

# Words that point at something somebody sees.
_POINTING = frozenset({"it", "them", "this", "that", "these", "those", "there", "the", "my", "our"})


def _points(doubt: str) -> bool:
    """Whether words point at something instead of naming it; an empty quotation does not."""
    return not _POINTING.isdisjoint(word.casefold() for word in doubt.split()[:1])


def decide(
    part: Part, found: list[Reading], step: int, tree: Tree, registry: Registry
) -> tuple[list[Meant], Question | None] | None:
    """The commands of a clause; with a question where it is not sure; None when nothing is recognised."""
    distinct = distinct_of(found)
    if not distinct:
        return None
    if distinct[0].cost > HOPELESS:
        likely = [one for one in distinct if one.cost <= MOST_OFFERED]
        question = which(part.text, likely[0], likely[1:6], step) if likely else None
        return ([], question) if question is not None and question.choices else None
    best = _fuller(distinct)
    others = [one for one in distinct if one is not best and _rivals(best, one)]
    others = [one for one in others if not (best.is_whole and outdoes(best, one, tree, registry))]
    rivals = [one for one in others if one.cost - best.cost < LEAST_MARGIN]
    margin = min((max(one.cost - best.cost, 0.0) for one in others), default=1.0)
    if best.is_whole and best.cost <= MOST_COST and not rivals:
        return commands_of(part.text, best, margin), None
    points = bool(best.doubts) and all(_points(doubt) for doubt in best.doubts)
    if best.missing and points and not best.unexplained and not best.problems and all(one.missing for one in rivals):
        # “Delete that file”: what is to be done is clear, and which one it is is what is missing.
        return commands_of(part.text, best, margin), about_values(part.text, best, step, tree, registry)
    if best.unexplained or best.doubts or (best.is_whole and (rivals or best.cost > MOST_COST)):
        return [], which(part.text, best, [one for one in distinct[1:6] if one.cost <= best.cost + 1.2], step)
    if any(one.is_whole for one in rivals):
        return [], which(part.text, best, rivals, step)
    # Rivals that lack values too are nothing to choose from: what the likeliest lacks is asked.
    return commands_of(part.text, best, margin), about_values(part.text, best, step, tree, registry)


def _fuller(distinct: Sequence[Reading]) -> Reading:
    """The likeliest reading, or one about as likely that explains all of its words and those that it leaves out."""
    best = distinct[0]
    near = [one for one in distinct[1:] if one.is_whole and one.cost - best.cost < LEAST_MARGIN]
    whole = (one for one in near if best.superfluous and not one.superfluous and best.explained < one.explained)
    return next(whole, None) or next((one for one in near if fuller(best, one)), best)


def _rivals(best: Reading, other: Reading) -> bool:
    """Whether another reading could be meant instead: one that explains as much and lacks no more.

    Where one makes use of every word that the other does, and of more, the other passed something over.
    """
    if best.is_whole:
        # “Look for problems in” is one thing that is said, and no looking for the word “problems”.
        return other.is_whole and not other.explained < best.explained and not other.verb < best.verb
    return len(other.unexplained) + len(other.doubts) <= len(best.unexplained) + len(best.doubts)


def distinct_of(found: Sequence[Reading]) -> list[Reading]:
    """Readings that mean different things, each by its likeliest way."""
    kept: dict[Any, Reading] = {}
    for one in found:
        defaults = one.command.defaults()
        values = {name: value for name, value in one.values().items() if defaults.get(name) != value}
        key = (
            one.command.tool,
            one.command.name,
            repr(sorted(values.items(), key=str)),
            tuple(map(repr, (item.value for item in one.items))),
            one.missing,
        )
        kept.setdefault(key, one)
    return list(kept.values())
