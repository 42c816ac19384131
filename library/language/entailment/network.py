"""The cross-encoder as one ONNX graph: BERT with segments, three pooled vectors and a head of two layers.

In: `input_ids`, `attention_mask` and `token_type_ids`, int64, (batch, tokens). Out: `logits`, float32, (batch, 3), in
the order of `trained.LABELS`.
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from library.language.entailment.trained import LABELS
from library.language.graph import BuiltGraph, Network
from library.language.weights import Weights


def build(weights: Weights, file: str) -> BuiltGraph:
    """Return the serialised graph; the weights are those of `trained.merged`, `file` is as in `graph.build`."""
    graph = CrossEncoder(weights)
    graph.head(graph.encoded(graph.embeddings()))
    return graph.serialised(file)


class CrossEncoder(Network):
    """Two sentences in one row of tokens, so that each word of one is compared with each word of the other."""

    name = "entailment"
    inputs = ("input_ids", "attention_mask", "token_type_ids")
    output, width = "logits", len(LABELS)

    def embeddings(self) -> str:
        """Word, position and segment embeddings, summed and normalised."""
        places = self.positions(self.weights["embeddings.position_embeddings.weight"])
        segments = self.op("Gather", self.weight("embeddings.token_type_embeddings.weight"), "token_type_ids", axis=0)
        return self.normalised(self.op("Add", self.op("Add", self.words(), places), segments), "embeddings.LayerNorm")

    def head(self, hidden: str) -> None:
        """The first token, the mean over the premise and the mean over the hypothesis, through two layers."""
        mask = self.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        second = self.op("Mul", self.op("Cast", "token_type_ids", to=TensorProto.FLOAT), mask)
        first = self.op("Sub", mask, second)
        whole = self.op("Gather", hidden, self.constant("first_token", np.array(0)), axis=1)
        pooled = self.op("Concat", whole, self.mean(hidden, first), self.mean(hidden, second), axis=1)
        inner = self.op("Gelu", self.linear(pooled, "head.inner"))
        self.linear(inner, "head.outer", self.output)

    def mean(self, hidden: str, marked: str) -> str:
        """The mean over the marked tokens, (batch, 384); every row has one."""
        axis = self.constant("token_axis", np.array([1]))
        wide = self.op("Unsqueeze", marked, self.constant("last_axis", np.array([2])))
        total = self.op("ReduceSum", self.op("Mul", hidden, wide), axis, keepdims=0)
        return self.op("Div", total, self.op("ReduceSum", marked, axis, keepdims=1))
