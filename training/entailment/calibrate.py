"""`python -m training.entailment.calibrate`: ships what was trained, with its temperature and its thresholds.

Runs in .venv, on the very graph that the product builds. All are chosen on pairs that nothing was trained on and that
the structured matcher leaves open, since no model is asked about others: the temperature (Guo et al. 2017) so that
probabilities are as good as they can be, the thresholds so that of a hundred answers “yes” at most one is wrong: once
for what an environment of text says, once for all other kinds of sentences. Where too few answers are right to show
that, a model never says yes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.rules.entailment import entails
from library.language.entailment import model, trained
from library.language.entailment.trained import Sure
from training.entailment import pairs, product
from training.entailment.pairs import Pair

PRECISION = 0.99
# One-sided: so sure it has to be that precision is no less.
Z = 1.645
TEMPERATURES = np.geomspace(0.3, 5, 200)
# The most probable contradiction of a yes that is tried; the least probable entailment is then chosen for each.
CONTRADICTIONS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1)
ENVIRONMENT = frozenset({"scienceworld"})
# A third of the pairs that thresholds are chosen on follows, and hardly any of those that rules are judged by: there a
# yes that is less probable than this was wrong, however seldom it was a contradiction.
LEAST = 0.8

NEVER = Sure(1.0, 0.0)

Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path, help="the folder with trained.npz and checked.jsonl.gz")
    given = parser.parse_args()
    product.configure(given.work)
    shutil.copyfile(given.work / "trained.npz", trained.FOLDER / "trained.npz")
    card = _card(trained.FORMAT, trained.FOLDER / "trained.npz")
    _write(card, trained.FOLDER / "trained.json")
    checked = [pair for pair in pairs.read(given.work, "checked") if is_open(pair)]
    logs = log_probabilities([(pair.premise, pair.hypothesis) for pair in checked])
    labels = np.array([pair.label for pair in checked])
    card["temperature"] = round(temperature_of(logs, labels), 4)
    shares = tempered(logs, card["temperature"])
    kinds = np.array([pair.source for pair in checked])
    right = labels == pairs.ENTAILMENT
    of_environment = np.isin(kinds, sorted(ENVIRONMENT))
    card["usual"] = asdict(chosen(shares[~of_environment], right[~of_environment], kinds[~of_environment]))
    card["environment"] = asdict(chosen(shares[of_environment], right[of_environment], kinds[of_environment]))
    _write(card, trained.FOLDER / "trained.json")
    print(json.dumps(card))


def is_open(pair: Pair) -> bool:
    """Whether the structured matcher neither proves nor disproves it."""
    return entails(pair.premise, pair.hypothesis).answer == "unknown"


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


def chosen(shares: Floats, right: NDArray[np.bool_], kinds: NDArray[np.str_]) -> Sure:
    """The two thresholds together with which most answers “yes” are given, of which 99 in 100 are right.

    That has to hold on all pairs together with some certainty, and on each kind of them as it is: on all together alone
    one kind that is always right would pay for another that is not.
    """
    found = [(least, most) for most in CONTRADICTIONS if (least := threshold_of_each(shares, right, kinds, most)) <= 1]
    yes = [int((right & sure_enough(shares, Sure(*one))).sum()) for one in found]
    return Sure(*found[int(np.argmax(yes))]) if found else NEVER


def threshold_of_each(shares: Floats, right: NDArray[np.bool_], kinds: NDArray[np.str_], contradiction: float) -> float:
    """The least probability of entailment that does for all and for each kind; more than 1 where none does."""
    candidates = (shares[:, 0] >= LEAST) & (shares[:, 2] <= contradiction)
    sure, right, kinds = shares[candidates, 0], right[candidates], kinds[candidates]
    order = np.argsort(-sure, kind="stable")
    sure, right, kinds = sure[order], right[order], kinds[order]
    good = lower_bound(np.cumsum(right), np.arange(1, len(right) + 1)) >= PRECISION
    for kind in np.unique(kinds):
        own = kinds == kind
        good &= np.cumsum(own & right) >= PRECISION * np.cumsum(own)
    # Of equal probabilities all are a yes or none is.
    good &= np.append(sure[1:] != sure[:-1], True)
    last = np.flatnonzero(good)
    return float(np.floor(sure[last[-1]] * 1e6) / 1e6) if len(last) else np.inf


def lower_bound(hits: NDArray[np.int64], count: NDArray[np.int64]) -> Floats:
    """Wilson's lower bound of the share of hits, one-sided at 95 % (Wilson 1927)."""
    share = hits / count
    middle = share + Z**2 / (2 * count)
    spread = Z * np.sqrt(share * (1 - share) / count + Z**2 / (4 * count**2))
    return np.asarray((middle - spread) / (1 + Z**2 / count))


def sure_enough(shares: Floats, sure: Sure) -> NDArray[np.bool_]:
    """Which pairs would be answered “yes”."""
    return np.asarray((shares[:, 0] >= sure.entailment) & (shares[:, 2] <= sure.contradiction))


def _card(version: int, path: Path) -> dict[str, Any]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "format": version,
        "sha256": digest,
        "temperature": 1.0,
        "usual": asdict(NEVER),
        "environment": asdict(NEVER),
    }


def _write(card: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(card, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
