"""Which pairs are trained on, which thresholds are chosen on, and which are only measured."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from training.entailment import pairs, replacing, scienceworld, sights, wordnet
from training.entailment.made import made, of_other_subjects
from training.entailment.pairs import Pair
from training.entailment.topics import CHECKED, MEASURED, TRAINED

MADE, WORLD = 20_000, 20_000
# Of these files so many pairs are enough: rules are read against short sentences of what is around an agent. The first
# has long pairs that were labelled by rules, and the others know two classes only.
MOST = {"conj_train": 2_000, "med": 2_000, "help": 2_000}
MADE_CHECKED, SUBJECTS_CHECKED, WORLD_CHECKED = 3_000, 1_500, 3_000
ONE_WORD, OPPOSED = 4_500, 6_000
# Sentences about scenes, in which a word is replaced.
SCENES = ("snli_dev", "cad_train")
SEED_OF_WALKS = 7
# The split of ScienceWorld whose variations each part is made from.
SPLITS = {TRAINED: "train", CHECKED: "dev", MEASURED: "test"}


@dataclass(frozen=True)
class Data:
    """`checked` chooses temperature and thresholds: no wording of a made pair in it was trained on. `unseen` is only
    measured: of wordings and of variations of ScienceWorld that neither of the others has. So is `familiar`, of the
    same variations in wordings that were trained on.
    """

    trained: list[Pair]
    checked: list[Pair]
    unseen: list[Pair]
    familiar: list[Pair]


def gather(nli: Path, work: Path, seed: int) -> Data:
    """Read the files of `nli` and make the rest; the observations of ScienceWorld are kept in `work`."""
    rng = random.Random(seed)
    trained = [pair for name in pairs.TRAIN for pair in _of_file(nli, name, rng)]
    of_our_own = pairs.sample(made(MADE, rng, held_out=False), MADE, rng) + _of_world(work, WORLD, rng, TRAINED)
    words = wordnet.WordNet()
    trained += of_our_own + replacing.opposed(of_our_own, OPPOSED, words, random.Random(seed))
    trained += replacing.replaced(_scenes(nli), ONE_WORD, words, random.Random(seed))
    checked = pairs.read_all(nli, pairs.VALIDATION)
    checked += pairs.sample(made(MADE_CHECKED, rng, held_out=True), MADE_CHECKED, rng)
    checked += pairs.sample(of_other_subjects(SUBJECTS_CHECKED, rng), SUBJECTS_CHECKED, rng)
    checked += _of_world(work, WORLD_CHECKED, rng, CHECKED)
    known = {(pair.premise, pair.hypothesis) for pair in trained}
    checked = [pair for pair in checked if (pair.premise, pair.hypothesis) not in known]
    known |= {(pair.premise, pair.hypothesis) for pair in checked}
    unseen, familiar = (_of_world(work, WORLD_CHECKED, rng, MEASURED, part) for part in (MEASURED, TRAINED))
    new = [[pair for pair in some if (pair.premise, pair.hypothesis) not in known] for some in (unseen, familiar)]
    return Data(trained, checked, *new)


def _scenes(nli: Path) -> list[str]:
    return [said for pair in pairs.read_all(nli, SCENES) for said in (pair.premise, pair.hypothesis)]


def _of_world(work: Path, number: int, rng: random.Random, part: str, wordings: str = "") -> list[Pair]:
    """Pairs of the variations of a part, in its own wordings or in those of another."""
    path = work / f"scienceworld-{SPLITS[part]}.jsonl"
    if not path.exists():
        scienceworld.observe(path, SPLITS[part], SEED_OF_WALKS)
    return sights.pairs(path, number, rng, wordings or part)


def _of_file(nli: Path, name: str, rng: random.Random) -> list[Pair]:
    found = pairs.read(nli, name)
    return pairs.sample(found, MOST[name], rng) if name in MOST else found
