"""`python -m training.entailment.measure`: the tables of docs/entailment.md, from the files that only measure.

Runs in .venv, on what the product ships. Nothing was trained, calibrated or chosen on these files.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.entailment import pairs
from training.entailment.pairs import ENTAILMENT, Pair

BINS = 10

Labels = list[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nli", type=Path, help="the folder with the NLI data")
    parser.add_argument("work", type=Path, help="the folder with checked.jsonl.gz")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
    sets = {name: pairs.read(given.nli, name) for name in pairs.TEST}
    made = [pair for pair in pairs.read(given.work, "checked") if pair.source not in pairs.VALIDATION]
    for source in sorted({pair.source for pair in made}):
        sets[f"{source} (held out)"] = [pair for pair in made if pair.source == source]
    for name, some in sets.items():
        print(json.dumps({"set": name, **measured(some)}))


def measured(some: Sequence[Pair]) -> dict[str, Any]:
    """Figures of the three ways to answer, and of the model's probabilities."""
    from agents.beliefs.entailment_model import shipped
    from agents.rules.cascade import MODEL, answers
    from library.language.entailment import model
    from library.language.entailment.trained import LABELS

    asked = [(pair.premise, pair.hypothesis) for pair in some]
    right = [pair.label for pair in some]
    judge = shipped()
    began = time.process_time()
    judged = model.judge(asked)
    took = (time.process_time() - began) / len(asked) * 1000
    structured, cascade = answers(asked, None), answers(asked, judge)
    by_structure = [answer.holds for answer in structured]
    by_cascade = [answer.holds for answer in cascade]
    alone = [one.entailment >= judge.entailment and one.contradiction <= judge.contradiction for one in judged]
    return {
        "n": len(some),
        "structured": [*f1(right, [LABELS.index(a.label) for a in structured]), *yes(right, by_structure)],
        "model": [*f1(right, [LABELS.index(one.label) for one in judged]), *yes(right, alone)],
        "cascade": [*f1(right, [LABELS.index(a.label) for a in cascade]), *yes(right, by_cascade)],
        "asked_the_model": sum(answer.stage == MODEL for answer in cascade),
        "bins": bins(right, [(LABELS.index(o.label), max(o.entailment, o.neutral, o.contradiction)) for o in judged]),
        "processor_ms_a_pair": round(took, 2),
    }


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
