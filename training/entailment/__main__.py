"""`python -m training.entailment`: makes the pairs and trains, in .venv-train; `calibrate` goes on with the result."""

from __future__ import annotations

import argparse
import logging
import random
from pathlib import Path

from training.entailment import data, pairs, train

CHECKED_OFTEN = 480


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nli", type=Path, help="the folder with the NLI data")
    parser.add_argument("work", type=Path, help="the folder for what is made and trained")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--minutes", type=float, default=90, help="training ends after so many, however far it is")
    parser.add_argument("--kept", type=int, default=0, help="so many of the lowest layers are not trained further")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    found = data.gather(given.nli, given.work, given.seed)
    pairs.write(given.work / "checked.jsonl.gz", found.checked)
    pairs.write(given.work / "unseen.jsonl.gz", found.unseen)
    pairs.write(given.work / "familiar.jsonl.gz", found.familiar)
    often = random.Random(given.seed).sample(found.checked, CHECKED_OFTEN)
    limits = train.Limits(given.epochs, given.minutes)
    train.train(found.trained, often, limits, given.seed, given.work / "trained.npz", given.kept)


if __name__ == "__main__":
    main()
