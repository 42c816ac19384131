"""Judging pairs of sentences by the cross-encoder, which is loaded by whoever asks first.

Its answers are probabilities and can be wrong; `agents.rules.cascade` decides what is made of them.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from library.errors import EmbeddingUnavailable, EntailmentUnavailable
from library.language import store, weights
from library.language.embeddings import batches
from library.language.entailment import trained
from library.language.once import Once

if TYPE_CHECKING:
    from tokenizers import Encoding

logger = logging.getLogger(__name__)

# Trained on up to 96. A longer pair is not judged: its end may deny what its beginning says.
MAX_TOKENS = 128
# More characters are never so few tokens; a megabyte of text must not cost a megabyte of tokenizing.
MAX_CHARACTERS = 2_000
# So many pairs' answers are kept by each process, in about 2 MB.
KNOWN = 8_192
# Counts up when `network` builds another graph, so that the old file is no longer taken.
GRAPH_VERSION = 1

Pair = tuple[str, str]


@dataclass(frozen=True)
class Judgement:
    """The most probable label and the probabilities of entailment, neutral and contradiction, which add up to one."""

    label: str
    entailment: float
    neutral: float
    contradiction: float


TOO_LONG = Judgement("neutral", 0.0, 1.0, 0.0)


def judge(pairs: Sequence[Pair]) -> list[Judgement]:
    """Return one judgement for each (premise, hypothesis), in order; of a pair longer than 128 tokens `TOO_LONG`.

    EntailmentUnavailable says why when there is no usable model here. Never call this inside a transaction: the first
    call of a process takes about a second. What this process has judged lately is remembered.
    """
    if not pairs:
        return []
    try:
        return _model.get().judge([(_tidy(premise), _tidy(hypothesis)) for premise, hypothesis in pairs])
    except EntailmentUnavailable:
        raise
    except EmbeddingUnavailable as error:  # the weights below are those of the sentence model
        raise EntailmentUnavailable(str(error)) from error
    except Exception as error:
        # onnxruntime and tokenizers raise their own, undocumented classes; all of them mean the same here.
        logger.exception("Judging entailment failed")
        raise EntailmentUnavailable(f"The entailment model failed: {error}") from error


def why_unavailable() -> str:
    """Return why pairs cannot be judged, or an empty text when they can."""
    try:
        judge([("The door is open.", "The door is open.")])
    except EntailmentUnavailable as error:
        return str(error)
    return ""


def identity() -> str:
    """The model with all that its answers depend on, for whoever keeps them. Raises EntailmentUnavailable."""
    card = trained.read_card()
    return f"entailment {card.version} {GRAPH_VERSION} {card.temperature:g}"


def graph_path() -> Path:
    """Return the path of the ONNX graph, which is built first where it is missing. Raises EntailmentUnavailable."""
    path = expected_path()
    if not path.exists():
        try:
            store.build_once(path, _built)
        except OSError as error:
            raise EntailmentUnavailable(
                f"The entailment model cannot be built below the data folder: {error}"
            ) from error
    return path


def expected_path() -> Path:
    """Return where the graph of these weights and this code belongs; another version has another name."""
    return Path(settings.DATA_DIR) / "models" / f"entailment-{trained.read_card().version}-{GRAPH_VERSION}.onnx"


def _built() -> bytes:
    # Needed once in the life of a data folder, so the import (half a second) does not burden every start.
    try:
        from library.language.entailment import network
    except ImportError as error:
        raise EntailmentUnavailable(f"Building the entailment model needs the package onnx: {error}") from error
    base = weights.read_weights(weights.model_folder() / "model.safetensors")
    return network.build(trained.merged(base, trained.read_arrays()))


def _tidy(text: str) -> str:
    """Single spaces, and no lone surrogates, which no tokenizer takes; a text that is too long stays too long."""
    return " ".join(text[: MAX_CHARACTERS + 1].encode("utf-8", "replace").decode().split())


class _Model:
    """The loaded network and its tokenizer; both may be used by several threads at once."""

    def __init__(self) -> None:
        # Its own threads would not survive a fork of a worker, and gain nothing at our sizes.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        # Together 60 ms and 40 MB, which a process that never judges should not pay.
        from tokenizers import Tokenizer

        from library.language.sessions import open_session

        self.card = trained.read_card()
        self.tokenizer = Tokenizer.from_file(str(weights.model_folder() / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        path = graph_path()
        try:
            self.session = open_session(path)
        except Exception as error:  # of classes that onnxruntime does not document
            raise EntailmentUnavailable(f"Delete {path}, which cannot be loaded: it is built again.") from error
        # By a digest of the pair, the one that was asked for last at the end.
        self._known: OrderedDict[bytes, Judgement] = OrderedDict()
        self._lock = threading.Lock()

    def judge(self, pairs: list[Pair]) -> list[Judgement]:
        digests = [_digest(pair) for pair in pairs]
        with self._lock:
            found = {digest: self._known[digest] for digest in set(digests) & self._known.keys()}
            for digest in found:
                self._known.move_to_end(digest)
        new = {digest: pair for digest, pair in zip(digests, pairs, strict=True) if digest not in found}
        if new:
            made = dict(zip(new, self._judged(list(new.values())), strict=True))
            found |= made
            with self._lock:
                self._known |= made
                while len(self._known) > KNOWN:
                    self._known.popitem(last=False)
        return [found[digest] for digest in digests]

    def _judged(self, pairs: list[Pair]) -> list[Judgement]:
        """The judgements of pairs that are not known yet."""
        result = [TOO_LONG] * len(pairs)
        short = [number for number, pair in enumerate(pairs) if max(map(len, pair)) <= MAX_CHARACTERS]
        encodings = self.tokenizer.encode_batch([pairs[number] for number in short])
        read = [(number, one) for number, one in zip(short, encodings, strict=True) if len(one.ids) <= MAX_TOKENS]
        for batch in batches([len(one.ids) for _, one in read]):
            probabilities = self._run([read[place][1] for place in batch])
            for place, row in zip(batch, probabilities.tolist(), strict=True):
                result[read[place][0]] = Judgement(trained.LABELS[int(np.argmax(row))], *row)
        return result

    def _run(self, encodings: list[Encoding]) -> NDArray[np.float64]:
        """The probabilities of a batch, (pairs, 3)."""
        fields: dict[str, NDArray[np.int64]] = {}
        longest = max(len(one.ids) for one in encodings)
        for name, part in (("input_ids", "ids"), ("attention_mask", "attention_mask"), ("token_type_ids", "type_ids")):
            fields[name] = np.zeros((len(encodings), longest), dtype=np.int64)
            for number, one in enumerate(encodings):
                fields[name][number, : len(one.ids)] = getattr(one, part)
        (logits,) = self.session.run(["logits"], fields)
        return probabilities_of(logits, self.card.temperature)


def probabilities_of(logits: NDArray[np.float32], temperature: float) -> NDArray[np.float64]:
    """The softmax of each row after division by the temperature (Guo et al. 2017); EntailmentUnavailable for NaN."""
    if not np.isfinite(logits).all():
        raise EntailmentUnavailable("The entailment model returned numbers that are not finite.")
    scaled = logits.astype(np.float64) / temperature
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _digest(pair: Pair) -> bytes:
    return hashlib.blake2b("\0".join(pair).encode(), digest_size=16).digest()


_model = Once(_Model)
