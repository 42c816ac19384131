"""What training added to all-MiniLM-L6-v2: read from the file that this package ships, verified, and merged.

`trained.npz` holds float16 arrays (docs/entailment.md says how they came about), `trained.json` its digest and what
calibration found. Both are written by `make train-entailment`.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from library.errors import EntailmentUnavailable
from library.language.weights import Weights

LABELS = ("entailment", "neutral", "contradiction")
# Of the head: the first token, the mean over the premise and the mean over the hypothesis; and its inner width.
FEATURES, INNER = 3, 256
# Counts up when the network or the meaning of the files changes, so that files for another one are refused.
FORMAT = 1
FOLDER = Path(__file__).parent
_AGAIN = "Restore both files from the repository, or train again with `make train-entailment`."

Arrays = dict[str, NDArray[np.float16]]


@dataclass(frozen=True)
class Card:
    """What is known of the trained arrays: their digest, the temperature of the logits and the two thresholds.

    A yes needs a probability of entailment of at least `entailment` and of contradiction of at most `contradiction`.
    """

    sha256: str
    temperature: float
    entailment: float
    contradiction: float

    @property
    def version(self) -> str:
        """A short name of these weights, for caches."""
        return self.sha256[:12]


def read_card(folder: Path = FOLDER) -> Card:
    """Return what belongs to the arrays in this folder; EntailmentUnavailable when it is not for this code."""
    path = folder / "trained.json"
    try:
        said: dict[str, Any] = json.loads(path.read_text("utf-8"))
        found = Card(
            str(said["sha256"]), float(said["temperature"]), float(said["entailment"]), float(said["contradiction"])
        )
        stored = said["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EntailmentUnavailable(f"{path.name} of the entailment model cannot be read. {_AGAIN}") from error
    if stored != FORMAT:
        raise EntailmentUnavailable(
            f"{path.name} is for version {stored} of the entailment model, not {FORMAT}. {_AGAIN}"
        )
    if not (0.01 <= found.temperature <= 100 and 0 <= found.entailment <= 1 and 0 <= found.contradiction <= 1):
        raise EntailmentUnavailable(f"{path.name} of the entailment model holds impossible numbers. {_AGAIN}")
    return found


def read_arrays(folder: Path = FOLDER) -> Arrays:
    """Return the trained arrays by name; EntailmentUnavailable unless they are those that the card names."""
    path = folder / "trained.npz"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise EntailmentUnavailable(f"{path.name} of the entailment model cannot be read. {_AGAIN}") from error
    if hashlib.sha256(data).hexdigest() != read_card(folder).sha256:
        raise EntailmentUnavailable(f"{path.name} of the entailment model is damaged or of another version. {_AGAIN}")
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def merged(weights: Weights, arrays: Arrays) -> Weights:
    """Return the weights of the sentence model with the trained ones in their places, all of it float32.

    A pair `NAME.down` (rank, in) and `NAME.up` (out, rank) is added to `NAME.weight` as its product; the rest replaces.
    """
    result = dict(weights)
    for name, array in arrays.items():
        value = array.astype(np.float32)
        stem, _, part = name.rpartition(".")
        if part == "up":
            result[f"{stem}.weight"] = result[f"{stem}.weight"] + value @ arrays[f"{stem}.down"].astype(np.float32)
        elif name == "segment":
            result["embeddings.token_type_embeddings.weight"] = value
        elif part != "down":
            result[name] = value
    return result
