"""`python -m training.entailment.measure`: the tables of docs/entailment.md, from the files that only measure.

Runs in .venv, on what the product ships. Nothing was trained, calibrated or chosen on the files of `nli` and on what is
unseen; the other made sets helped to choose temperature and thresholds, which the tables say.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.rules.cascade import MODEL, Judge, Likelihood, answers, is_sure
from library.language.entailment import model, trained
from library.language.entailment.trained import LABELS
from training.entailment import calibrate, pairs, product, reliability
from training.entailment.pairs import ENTAILMENT, Pair

BINS = 10

Labels = list[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nli", type=Path, help="the folder with the NLI data")
    parser.add_argument("work", type=Path, help="the folder with checked.jsonl.gz, if it was made")
    parser.add_argument("--plot", type=Path, help="the SVG of reliability that is written")
    parser.add_argument("--most", type=int, default=1_000_000, help="of each set at most so many, drawn at random")
    given = parser.parse_args()
    product.configure(given.work)
    if reason := model.why_unavailable():
        raise SystemExit(reason)
    sets = {name: pairs.read(given.nli, name) for name in pairs.TEST}
    for name in ("familiar", "unseen", "checked"):
        made = pairs.read(given.work, name) if (given.work / f"{name}.jsonl.gz").exists() else []
        for source in sorted({pair.source for pair in made} - set(pairs.VALIDATION)):
            sets[f"{source} {name}"] = [pair for pair in made if pair.source == source]
    found = {}
    for name, some in sets.items():
        figures = measured(pairs.sample(some, given.most, random.Random(7)), in_environment=is_environment(name))
        found[name] = figures["bins"]
        print(json.dumps({"set": name, **figures}), flush=True)
    if given.plot is not None:
        given.plot.write_text(reliability.plot(found), "utf-8")


def is_environment(name: str) -> bool:
    """Whether sentences of a set are those of environments of text, for which thresholds of their own hold."""
    return name.partition(" ")[0] in calibrate.ENVIRONMENT


class Shipped:
    """The shipped model with its thresholds, without the database in which the product keeps verdicts."""

    stage = MODEL

    def __init__(self, sure: trained.Sure) -> None:
        self.entailment, self.contradiction = sure.entailment, sure.contradiction

    def judge(self, asked: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        return [Likelihood(one.entailment, one.neutral, one.contradiction) for one in model.judge(asked)]


class Known:
    """The shipped model, whose answers are known already."""

    def __init__(self, judge: Judge, known: dict[tuple[str, str], Likelihood]) -> None:
        self.stage, self.entailment, self.contradiction = judge.stage, judge.entailment, judge.contradiction
        self._known = known

    def judge(self, asked: Sequence[tuple[str, str]]) -> Sequence[Likelihood]:
        return [self._known[pair] for pair in asked]


def measured(some: Sequence[Pair], *, in_environment: bool) -> dict[str, Any]:
    """Figures of the three ways to answer, and of the model's probabilities."""
    card = trained.read_card()
    shipped = Shipped(card.environment if in_environment else card.usual)
    asked = [(pair.premise, pair.hypothesis) for pair in some]
    right = [pair.label for pair in some]
    began = time.process_time()
    judged = shipped.judge(asked)
    took = (time.process_time() - began) / len(asked) * 1000
    judge = Known(shipped, dict(zip(asked, judged, strict=True)))
    structured, cascade = answers(asked), answers(asked, [judge])
    return {
        "n": len(some),
        "structured": _figures(right, [a.label for a in structured], [a.holds for a in structured]),
        "model": _figures(right, [one.label for one in judged], [is_sure(one, judge) for one in judged]),
        "cascade": _figures(right, [a.label for a in cascade], [a.holds for a in cascade]),
        "asked_the_model": sum(answer.stage == MODEL for answer in cascade),
        "bins": bins(right, [(LABELS.index(one.label), one.score) for one in judged]),
        "processor_ms_a_pair": round(took, 2),
    }


def _figures(right: Labels, labels: Sequence[str], holds: Sequence[bool]) -> dict[str, list[float]]:
    return {"f1_and_right": f1(right, [LABELS.index(label) for label in labels]), "yes": yes(right, holds)}


def f1(right: Labels, guessed: Labels) -> list[float]:
    """The F1 of each label, and the share of right ones."""
    found = []
    for label in range(3):
        hits = sum(a == b == label for a, b in zip(right, guessed, strict=True))
        found.append(_share(2 * hits, right.count(label) + guessed.count(label)))
    return [*found, _share(sum(a == b for a, b in zip(right, guessed, strict=True)), len(right))]


def yes(right: Labels, holds: Sequence[bool]) -> list[float]:
    """Precision and recall of the answer that a rule may rely on, and how often it is given."""
    hits = sum(label == ENTAILMENT and yes for label, yes in zip(right, holds, strict=True))
    return [_share(hits, sum(holds)), _share(hits, right.count(ENTAILMENT)), sum(holds)]


def bins(right: Labels, guessed: Sequence[tuple[int, float]]) -> list[list[float]]:
    """For ten equal ranges of the best probability: how many pairs, their mean probability, the share of right ones."""
    found = []
    for number in range(BINS):
        some = [
            (label == guess, share)
            for label, (guess, share) in zip(right, guessed, strict=True)
            if number == min(int(share * BINS), BINS - 1)
        ]
        if some:
            found.append(
                [len(some), *(round(float(np.mean(column)), 3) for column in list(zip(*some, strict=True))[::-1])]
            )
    return found


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


if __name__ == "__main__":
    main()
