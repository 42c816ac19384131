"""Pairs of sentences with a known answer, from files and for a network: premise, hypothesis, label.

Labels are numbers: the place in LABELS. Sets that know only two classes are marked, because their “neutral” may be a
contradiction as well.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from library.language.entailment.trained import LABELS

ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)
TWO_CLASSES = frozenset({"med", "help"})
TRAIN = ("snli_dev", "cad_train", "conj_train", "med", "help")
VALIDATION = ("cad_dev", "conj_dev")
TEST = ("snli_test", "cad_test", "breaking")


@dataclass(frozen=True)
class Pair:
    """`two_classes`: a label of neutral only says that it does not follow."""

    premise: str
    hypothesis: str
    label: int
    source: str
    two_classes: bool = False


def read(folder: Path, name: str) -> list[Pair]:
    """The pairs of one file of the data folder, `NAME.jsonl.gz`."""
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Pair(
            row["premise"],
            row["hypothesis"],
            LABELS.index(row["label"]),
            row.get("source", name),
            name in TWO_CLASSES,
        )
        for row in rows
    ]


def read_all(folder: Path, names: Sequence[str]) -> list[Pair]:
    """The pairs of several files, in their order."""
    return [pair for name in names for pair in read(folder, name)]


def write(path: Path, pairs: Sequence[Pair]) -> None:
    """Write pairs as files of the data folder are written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        for pair in pairs:
            row = {
                "premise": pair.premise,
                "hypothesis": pair.hypothesis,
                "label": LABELS[pair.label],
                "source": pair.source,
            }
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")


def sample(pairs: Sequence[Pair], most: int, rng: random.Random) -> list[Pair]:
    """At most so many of them, each once, in random order."""
    unique = sorted({(pair.premise, pair.hypothesis): pair for pair in pairs}.values(), key=_key)
    return rng.sample(unique, min(most, len(unique)))


def _key(pair: Pair) -> tuple[str, str]:
    return pair.premise, pair.hypothesis


def batches(lengths: Sequence[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    """Indices of one epoch in random batches of similar length, so that little of a batch is padding."""
    order = list(range(len(lengths)))
    rng.shuffle(order)
    pool = size * 40
    ready: list[list[int]] = []
    for start in range(0, len(order), pool):
        near = sorted(order[start : start + pool], key=lengths.__getitem__)
        ready.extend(near[at : at + size] for at in range(0, len(near), size))
    rng.shuffle(ready)
    yield from ready
