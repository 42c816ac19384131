"""Pairs as tokens, and batches of them as tensors."""

from __future__ import annotations

import os
from collections.abc import Sequence

import torch
from tokenizers import Encoding, Tokenizer
from torch import Tensor

from library.language.weights import model_folder
from training.entailment.pairs import Pair

MAX_TOKENS = 96

Batch = tuple[Tensor, Tensor, Tensor]


def encode(pairs: Sequence[Pair]) -> list[Encoding]:
    """The tokens of each pair; of a longer one the first 96 count."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return list(tokenizer.encode_batch([(pair.premise, pair.hypothesis) for pair in pairs]))


def stacked(encodings: Sequence[Encoding]) -> Batch:
    """Ids, segments and mask of a batch, each (batch, longest), zeros behind the shorter ones."""
    ids, segments, mask = (torch.zeros(len(encodings), max(map(len, encodings)), dtype=torch.long) for _ in range(3))
    for number, encoding in enumerate(encodings):
        size = len(encoding)
        ids[number, :size] = torch.tensor(encoding.ids)
        segments[number, :size] = torch.tensor(encoding.type_ids)
        mask[number, :size] = 1
    return ids, segments, mask
