"""Sentences as unit vectors of 384 numbers by all-MiniLM-L6-v2, on this machine, without network or key."""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from library.errors import EmbeddingUnavailable
from library.language import store, weights
from library.language.once import Once

logger = logging.getLogger(__name__)

DIMENSIONS = 384
MAX_TOKENS = 256
BATCH = 32
# Tokens of padding from which a batch of its own is quicker: reading the weights once costs about as much.
SPARED = 20
# So many texts' vectors are kept by each process, in under 2 MB.
KNOWN = 1_024
# 256 tokens never need more; a megabyte of text must not cost a megabyte of tokenizing.
MAX_CHARACTERS = 16_000
# Latin letters with all their accents.
_LATIN_END, _MORE_LATIN = 0x250, (0x1E00, 0x1F00)


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return one unit vector for each text, in order; only the first 256 tokens of a text count.

    EmbeddingUnavailable says why when there is no usable model here. Never call this inside a transaction: the first
    call of a process takes about a second. What this process has embedded lately is remembered.
    """
    if not texts:
        return []
    try:
        return _model.get().known([_clean(text) for text in texts])
    except EmbeddingUnavailable:
        raise
    except Exception as error:
        # onnxruntime and tokenizers raise their own, undocumented classes; all of them mean the same here.
        logger.exception("Embedding failed")
        raise EmbeddingUnavailable(f"The sentence model failed: {error}") from error


def why_unavailable() -> str:
    """Return why sentences cannot be embedded, or an empty text when they can."""
    try:
        embed(["ready?"])
    except EmbeddingUnavailable as error:
        return str(error)
    return ""


def reads(text: str) -> bool:
    """Whether the model can tell this text from others.

    It was trained on English. Of other scripts it knows single letters at most: unrelated sentences in Greek, Hebrew,
    Hindi or Russian have a cosine of 0.6 to 0.8, and in Thai, Amharic or Burmese of 1.
    """
    letters = [char for char in text[:MAX_CHARACTERS] if char.isalpha()]
    latin = sum(ord(char) < _LATIN_END or _MORE_LATIN[0] <= ord(char) < _MORE_LATIN[1] for char in letters)
    return 2 * latin >= len(letters) if letters else any(char.isdigit() for char in text[:MAX_CHARACTERS])


def _clean(text: str) -> str:
    """Cut a text to what can count and replace lone surrogates, which no tokenizer takes."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode()


def batches(lengths: Sequence[int]) -> list[list[int]]:
    """The texts of these lengths in tokens, by their indices, in batches of at most 32 and of similar length.

    A batch is computed as if all of it were as long as its longest: three sentences beside one page would cost four
    pages.
    """
    found: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if not found or len(found[-1]) == BATCH or (lengths[index] - lengths[found[-1][0]]) * len(found[-1]) > SPARED:
            found.append([])
        found[-1].append(index)
    return found


class _Model:
    """The loaded network and its tokenizer; both may be used by several threads at once."""

    def __init__(self) -> None:
        # Its own threads would not survive a fork of a worker, and gain nothing at our sizes.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        # Together 60 ms and 40 MB, which a process that never embeds should not pay.
        from tokenizers import Tokenizer

        from library.language.sessions import open_session

        self.tokenizer = Tokenizer.from_file(str(weights.model_folder() / "tokenizer.json"))
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.no_padding()
        self.session = open_session(store.graph_path())
        # By a digest of the text, the one that was asked for last at the end.
        self._known: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, texts: list[str]) -> list[list[float]]:
        """As `embed`, but for the texts that it had lately.

        A goal's text is asked for when it is planned and again when it is remembered, and goals come again.
        """
        digests = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        found: dict[bytes, list[float]] = {}
        with self._lock:
            for digest in set(digests) & self._known.keys():
                self._known.move_to_end(digest)
                found[digest] = self._known[digest].tolist()
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in found}
        if new:
            made = dict(zip(new, self.embed(list(new.values())), strict=True))
            found |= made
            with self._lock:
                self._known |= {digest: np.array(vector, dtype=np.float32) for digest, vector in made.items()}
                while len(self._known) > KNOWN:
                    self._known.popitem(last=False)
        return [list(found[digest]) for digest in digests]

    def embed(self, texts: list[str]) -> list[list[float]]:
        encodings = self.tokenizer.encode_batch(texts)
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for batch in batches([len(encoding.ids) for encoding in encodings]):
            vectors[batch] = self._run([encodings[index].ids for index in batch])
        if not np.isfinite(vectors).all():
            raise EmbeddingUnavailable("The sentence model returned numbers that are not finite.")
        rows: list[list[float]] = vectors.tolist()
        return rows

    def _run(self, tokens: list[list[int]]) -> NDArray[np.float32]:
        longest = max(len(row) for row in tokens)
        ids = np.zeros((len(tokens), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(tokens):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        (vectors,) = self.session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
        result: NDArray[np.float32] = vectors
        return result


_model = Once(_Model)
