"""So many commands of every kind, each with its meaning and what it lacks: the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.parameters.cases import Case, Step
from benchmarks.parameters.drawn import faults, files, terminal, tools
from benchmarks.parameters.drawn.lacking import lacking
from benchmarks.parameters.drawn.saying import Maker
from benchmarks.parameters.drawn.workspace import World, world

# Each kind of command with the share of all that are of it.
_SHARES = {
    "wording": 0.2,
    "spelling": 0.17,
    "places": 0.15,
    "slips": 0.13,
    "manners": 0.12,
    "superfluous": 0.08,
    "several": 0.1,
    "missing": 0.05,
}
KINDS = tuple(_SHARES)
_MAKERS: Sequence[Maker] = (*files.MAKERS, *terminal.MAKERS, *tools.MAKERS)
_OF_A_PATH: Sequence[Maker] = (*files.OF_A_PATH, *terminal.OF_A_PATH, *tools.OF_A_PATH)


def cases(count: int, seed: int) -> list[tuple[Case, str]]:
    """So many cases, each with the parameter that it lacks ("" where nothing is missing)."""
    rng = random.Random(seed)  # noqa: S311  # the same cases for the same seed
    found: list[tuple[Case, str]] = []
    seen: set[str] = set()
    while len(found) < count:
        kind = rng.choices(KINDS, tuple(_SHARES.values()))[0]
        w = world(rng)
        said, steps, lacks = _one(rng, w, kind)
        if said in seen:
            continue
        seen.add(said)
        found.append((Case(said, kind, w.entries, (steps,)), lacks))
    return found


def _one(rng: random.Random, w: World, kind: str) -> tuple[str, tuple[Step, ...], str]:
    if kind == "missing":
        made = lacking(rng, w)
        return made.text, (made.step,), made.lacks
    if kind == "several":
        return *_several(rng, w), ""
    made = rng.choice(_OF_A_PATH if kind in ("spelling", "places") else _MAKERS)(rng, w)
    if kind in ("spelling", "places") and made.paths:
        path = rng.choice(made.paths)
        said = faults.misspelt(rng, path) if kind == "spelling" else faults.elsewhere(rng, path)
        return made.text.replace(path, said, 1), (faults.beside(made.step, path, said),), ""
    text = made.text
    if kind == "slips":
        text = faults.slip(rng, text, [str(value) for value in made.step[2].values()])
    elif kind == "manners":
        text = faults.with_manners(rng, text)
    elif kind == "superfluous":
        text = faults.with_an_option(rng, text, made.step)
    return text, (made.step,), ""


def _several(rng: random.Random, w: World) -> tuple[str, tuple[Step, ...]]:
    """Two or three commands in one text, none of which takes away what the others speak of."""
    parts = [rng.choice(_MAKERS)(rng, w) for _ in range(rng.choice((2, 2, 3)))]
    parts = [part for part in parts if part.step[1] not in ("cd", "rm", "mv")] or parts[:1]
    joint = rng.choice((" and then ", ", then ", "; ", ". ", "\n", " and "))
    return joint.join(part.text for part in parts), tuple(part.step for part in parts)
