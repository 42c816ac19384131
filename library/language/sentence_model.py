"""The sentence model loaded in this process. Import this only to run the network here: it brings numpy, tokenizers and
onnxruntime with it, 60 ms and 40 MB.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from library.errors import EmbeddingUnavailable
from library.language import store, weights
from library.language.batches import batches
from library.language.once import Once
from library.language.sessions import open_session
from library.language.weights import DIMENSIONS

MAX_TOKENS = 256
# So many texts' vectors are kept by each process, in under 2 MB.
KNOWN = 1_024


class SentenceModel:
    """The loaded network and its tokenizer; both may be used by several threads at once."""

    def __init__(self) -> None:
        # Its own threads would not survive a fork of a worker, and gain nothing at our sizes.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
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


of_this_process = Once(SentenceModel)
