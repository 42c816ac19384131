"""`python -m training.entailment.calibrate`: ships what was trained, with its temperature and its thresholds.

Runs in .venv, on the very graph that the product builds. Both are chosen on pairs that nothing was trained on: the
temperature (Guo et al. 2017) so that probabilities are as good as they can be, the thresholds so that of a hundred
answers “yes” at most one is wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from library.language.entailment import model, trained
from training.entailment import pairs, product

PRECISION = 0.99
# Fewer answers “yes” than these show nothing about one wrong in a hundred.
FEWEST = 50
TEMPERATURES = np.geomspace(0.3, 5, 200)
CONTRADICTION = 0.01

Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path, help="the folder with trained.npz and checked.jsonl.gz")
    given = parser.parse_args()
    product.configure(given.work)
    shutil.copyfile(given.work / "trained.npz", trained.FOLDER / "trained.npz")
    card = _card(trained.FORMAT, trained.FOLDER / "trained.npz")
    _write(card, trained.FOLDER / "trained.json")
    checked = pairs.read(given.work, "checked")
    logs = log_probabilities([(pair.premise, pair.hypothesis) for pair in checked])
    labels = np.array([pair.label for pair in checked])
    card["temperature"] = round(temperature_of(logs, labels), 4)
    shares = tempered(logs, card["temperature"])
    card["entailment"] = threshold_of_each(shares, labels == pairs.ENTAILMENT, [pair.source for pair in checked])
    card["contradiction"] = CONTRADICTION
    _write(card, trained.FOLDER / "trained.json")
    print(json.dumps(card))


def log_probabilities(asked: Sequence[tuple[str, str]]) -> Floats:
    """Logarithms of the shipped model's probabilities, (pairs, 3); at a temperature of one as good as its logits."""
    judged = model.judge(asked)
    return np.log(np.array([[one.entailment, one.neutral, one.contradiction] for one in judged]) + 1e-30)


def tempered(logs: Floats, temperature: float) -> Floats:
    """The probabilities at this temperature."""
    powers = np.exp(logs / temperature)
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def temperature_of(logs: Floats, labels: NDArray[np.int64]) -> float:
    """The temperature under which the right labels are most probable."""
    rows = np.arange(len(labels))
    losses = [-np.log(tempered(logs, t)[rows, labels] + 1e-30).mean() for t in TEMPERATURES]
    return float(TEMPERATURES[int(np.argmin(losses))])


def threshold_of_each(shares: Floats, right: NDArray[np.bool_], kinds: Sequence[str]) -> float:
    """The least threshold that holds on all pairs together and on each kind of them that has enough answers “yes”.

    On all together alone one kind that is always right would pay for another that is not.
    """
    names = np.array(kinds)
    found = [threshold(shares, right)]
    for kind in sorted(set(kinds)):
        own = names == kind
        if (sure_enough(shares[own], found[0])).sum() >= FEWEST:
            found.append(threshold(shares[own], right[own], fewest=1))
    return max(found)


def sure_enough(shares: Floats, least: float) -> NDArray[np.bool_]:
    """Which pairs would be answered “yes” at this threshold."""
    return np.asarray((shares[:, 0] >= least) & (shares[:, 2] <= CONTRADICTION))


def threshold(shares: Floats, right: NDArray[np.bool_], fewest: int = FEWEST) -> float:
    """The least probability of entailment from which on so many answers “yes” are right; 1 where there is none."""
    sure = shares[:, 0][shares[:, 2] <= CONTRADICTION]
    right = right[shares[:, 2] <= CONTRADICTION]
    order = np.argsort(-sure)
    precision = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(precision >= PRECISION)
    if not len(good) or good[-1] + 1 < fewest:
        return 1.0
    return float(np.floor(sure[order][good[-1]] * 1e6) / 1e6)


def _card(version: int, path: Path) -> dict[str, Any]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"format": version, "sha256": digest, "temperature": 1.0, "entailment": 1.0, "contradiction": 0.0}


def _write(card: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(card, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
