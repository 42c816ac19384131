"""The cross-encoder loaded in this process. Import this only to run the network here: it brings numpy, tokenizers and
onnxruntime with it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from library.errors import EntailmentUnavailable
from library.language import weights
from library.language.batches import batches
from library.language.entailment import trained
from library.language.entailment.graph_file import graph_path
from library.language.entailment.judgement import MAX_CHARACTERS, TOO_LONG, Judgement, Pair, judgement_of
from library.language.once import Once
from library.language.sessions import open_session

# Trained on up to 96. A longer pair is not judged: its end may deny what its beginning says.
MAX_TOKENS = 128
# So many pairs' answers are kept by each process, in about 2 MB.
KNOWN = 8_192


class CrossEncoder:
    """The loaded network and its tokenizer; both may be used by several threads at once."""

    def __init__(self) -> None:
        # Its own threads would not survive a fork of a worker, and gain nothing at our sizes.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
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
                result[read[place][0]] = judgement_of(row)
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


of_this_process = Once(CrossEncoder)
