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
FORMAT = 2
FOLDER = Path(__file__).parent
_AGAIN = "Restore both files from the repository, or train again with `make train-entailment`."

Arrays = dict[str, NDArray[np.float16]]


@dataclass(frozen=True)
class Sure:
    """What makes a yes: entailment is at least as probable as the first, contradiction at most as the other."""

    entailment: float
    contradiction: float


@dataclass(frozen=True)
class Card:
    """What is known of the trained arrays: their digest, the temperature of the logits, and how sure a yes has to be.

    `usual` holds wherever it is not known what sentences are about, `environment` for what an environment of text says:
    on such sentences the same probability is right more often.
    """

    sha256: str
    temperature: float
    usual: Sure
    environment: Sure

    @property
    def version(self) -> str:
        """A short name of these weights, for caches."""
        return self.sha256[:12]


def read_card(folder: Path = FOLDER) -> Card:
    """Return what belongs to the arrays in this folder; EntailmentUnavailable when it is not for this code."""
    path = folder / "trained.json"
    try:
        said: dict[str, Any] = json.loads(path.read_text("utf-8"))
        stored = said["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EntailmentUnavailable(f"{path.name} of the entailment model cannot be read. {_AGAIN}") from error
    if stored != FORMAT:
        raise EntailmentUnavailable(
            f"{path.name} is for version {stored} of the entailment model, not {FORMAT}. {_AGAIN}"
        )
    try:
        found = Card(str(said["sha256"]), float(said["temperature"]), _sure(said["usual"]), _sure(said["environment"]))
    except (ValueError, KeyError, TypeError) as error:
        raise EntailmentUnavailable(f"{path.name} of the entailment model cannot be read. {_AGAIN}") from error
    if not (0.01 <= found.temperature <= 100 and _is_possible(found.usual) and _is_possible(found.environment)):
        raise EntailmentUnavailable(f"{path.name} of the entailment model holds impossible numbers. {_AGAIN}")
    return found


def _sure(said: dict[str, Any]) -> Sure:
    return Sure(float(said["entailment"]), float(said["contradiction"]))


def _is_possible(sure: Sure) -> bool:
    return 0 <= sure.entailment <= 1 and 0 <= sure.contradiction <= 1


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
