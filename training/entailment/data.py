"""Which pairs are trained on, which thresholds are chosen on, and which are only measured."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from training.entailment import pairs, scienceworld
from training.entailment.made import made
from training.entailment.pairs import Pair

MADE, WORLD = 16_000, 6_000
# Of these files so many pairs are enough: the first has long ones that were labelled by rules, the others two classes.
MOST = {"conj_train": 3_000, "med": 3_000, "help": 3_000}
MADE_CHECKED, WORLD_CHECKED = 2_000, 1_500
OBSERVATIONS = "scienceworld.jsonl"


@dataclass(frozen=True)
class Data:
    """`checked` chooses temperature and thresholds: no wording of a made pair in it was trained on."""

    trained: list[Pair]
    checked: list[Pair]


def gather(nli: Path, work: Path, seed: int) -> Data:
    """Read the files of `nli` and make the rest; the observations of ScienceWorld are kept in `work`."""
    rng = random.Random(seed)
    observations = work / OBSERVATIONS
    if not observations.exists():
        scienceworld.observe(observations, seed)
    trained = [pair for name in pairs.TRAIN for pair in _of_file(nli, name, rng)]
    trained += pairs.sample(made(MADE, rng, held_out=False), MADE, rng)
    trained += pairs.sample(scienceworld.pairs(observations, WORLD, rng, held_out=False), WORLD, rng)
    checked = pairs.read_all(nli, pairs.VALIDATION)
    checked += pairs.sample(made(MADE_CHECKED, rng, held_out=True), MADE_CHECKED, rng)
    checked += pairs.sample(scienceworld.pairs(observations, WORLD_CHECKED, rng, held_out=True), WORLD_CHECKED, rng)
    known = {(pair.premise, pair.hypothesis) for pair in trained}
    return Data(trained, [pair for pair in checked if (pair.premise, pair.hypothesis) not in known])


def _of_file(nli: Path, name: str, rng: random.Random) -> list[Pair]:
    found = pairs.read(nli, name)
    return pairs.sample(found, MOST[name], rng) if name in MOST else found
