"""all-MiniLM-L6-v2 as one ONNX graph, written by hand from its weights: BERT, mean pooling and unit length.

In: `input_ids` and `attention_mask`, int64, shape (batch, tokens). Out: `embedding`, float32, shape (batch, 384).
The architecture is BERT's (Devlin et al. 2018) with the sizes of the model's config.json: 6 layers, 12 heads, 384 wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data

from library.language.weights import Weights

LAYERS, HEADS, WIDTH = 6, 12, 384
HEAD_WIDTH = WIDTH // HEADS
EPSILON = 1e-12
# Finite, because a row of -inf alone would become not-a-number in the softmax.
MASKED = -10_000.0
_OPSET, _IR_VERSION = 20, 10
# Constants of so many bytes lie in a file of their own, each from the beginning of a page.
_LARGE_BYTES, _PAGE_BYTES = 4_096, 4_096


@dataclass(frozen=True)
class BuiltGraph:
    """A serialised graph, and its large constants, which it finds in a file of their own beside it.

    From there they are mapped into memory: constants within a graph are copied, and as much is needed again while they
    are read. Of the words' vectors, half of all, memory then holds those that were asked for.
    """

    graph: bytes
    constants: bytes


def build(weights: Weights, file: str) -> BuiltGraph:
    """Return the serialised graph for these weights; `file` is the name that its large constants get."""
    graph = Network(weights)
    graph.pooled(graph.encoded(graph.embeddings()))
    return graph.serialised(file)


class Network:
    """Collects nodes and constants; every method adds one part of the network and returns the name of its output."""

    name = "all-MiniLM-L6-v2"
    inputs: tuple[str, ...] = ("input_ids", "attention_mask")
    output, width = "embedding", WIDTH

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def embeddings(self) -> str:
        """Word, position and segment (always the first) embeddings, summed and normalised."""
        # The segment of every token is the first, so its one row is added to the positions once, here.
        segment = self.weights["embeddings.token_type_embeddings.weight"][0]
        places = self.weights["embeddings.position_embeddings.weight"] + segment
        return self.normalised(self.op("Add", self.words(), self.positions(places)), "embeddings.LayerNorm")

    def words(self) -> str:
        return self.op("Gather", self.weight("embeddings.word_embeddings.weight"), "input_ids", axis=0)

    def positions(self, places: NDArray[np.float32]) -> str:
        """The first of the places, as many as there are tokens."""
        length = self.op("Shape", "input_ids", start=1, end=2)
        start, axis = self.constant("zero", np.array([0])), self.constant("axis_0", np.array([0]))
        return self.op("Slice", self.constant("positions", places), start, length, axis)

    def encoded(self, hidden: str) -> str:
        """All layers, one upon the other."""
        mask = self.attention_bias()
        for number in range(LAYERS):
            hidden = self.layer(hidden, mask, f"encoder.layer.{number}")
        return hidden

    def attention_bias(self) -> str:
        """0 for a token, MASKED for padding, shaped to be added to the scores of every head."""
        axes = self.constant("mask_axes", np.array([1, 2]))
        mask = self.op("Unsqueeze", self.op("Cast", "attention_mask", to=TensorProto.FLOAT), axes)
        absent = self.op("Sub", self.constant("one", np.array([1.0], dtype=np.float32)), mask)
        return self.op("Mul", absent, self.constant("masked", np.array([MASKED], dtype=np.float32)))

    def layer(self, hidden: str, mask: str, name: str) -> str:
        """One encoder layer: attention and feed-forward, each with its residual and normalisation."""
        attended = self.linear(self.attention(hidden, mask, name), f"{name}.attention.output.dense")
        hidden = self.normalised(self.op("Add", attended, hidden), f"{name}.attention.output.LayerNorm")
        inner = self.op("Gelu", self.linear(hidden, f"{name}.intermediate.dense"))
        outer = self.linear(inner, f"{name}.output.dense")
        return self.normalised(self.op("Add", outer, hidden), f"{name}.output.LayerNorm")

    def attention(self, hidden: str, mask: str, name: str) -> str:
        """Multi-head self-attention, before its output projection."""
        parts = [self.weights[f"{name}.attention.self.{part}.weight"].T for part in ("query", "key", "value")]
        biases = [self.weights[f"{name}.attention.self.{part}.bias"] for part in ("query", "key", "value")]
        # Scores are divided by the root of the head's width; dividing the query once is the cheaper place.
        parts[0], biases[0] = parts[0] / np.sqrt(HEAD_WIDTH), biases[0] / np.sqrt(HEAD_WIDTH)
        matrix = self.constant(f"{name}.qkv", np.concatenate(parts, axis=1).astype(np.float32))
        bias = self.constant(f"{name}.qkv_bias", np.concatenate(biases).astype(np.float32))
        mixed = self.op("Add", self.op("MatMul", hidden, matrix), bias)
        split = self.op("Reshape", mixed, self.constant("heads", np.array([0, 0, 3, HEADS, HEAD_WIDTH])))
        ordered = self.op("Transpose", split, perm=[2, 0, 3, 1, 4])
        query, key, value = (
            self.op("Gather", ordered, self.constant(f"part_{part}", np.array(part)), axis=0) for part in range(3)
        )
        scores = self.op("MatMul", query, self.op("Transpose", key, perm=[0, 1, 3, 2]))
        share = self.op("Softmax", self.op("Add", scores, mask), axis=-1)
        joined = self.op("Transpose", self.op("MatMul", share, value), perm=[0, 2, 1, 3])
        return self.op("Reshape", joined, self.constant("width", np.array([0, 0, WIDTH])))

    def pooled(self, hidden: str) -> None:
        """The mean over the tokens that are not padding, scaled to length one."""
        mask = self.op("Cast", "attention_mask", to=TensorProto.FLOAT)
        mask = self.op("Unsqueeze", mask, self.constant("last_axis", np.array([2])))
        axis = self.constant("token_axis", np.array([1]))
        total = self.op("ReduceSum", self.op("Mul", hidden, mask), axis, keepdims=0)
        # The sum and the mean point the same way, so dividing by the number of tokens would change nothing.
        length = self.op("ReduceL2", total, axis, keepdims=1)
        self.op("Div", total, length, output=self.output)

    def linear(self, value: str, name: str, output: str = "") -> str:
        """A matrix and a bias; `output` names the result where it is one of the whole network."""
        matrix = self.constant(f"{name}.matrix", np.ascontiguousarray(self.weights[f"{name}.weight"].T))
        return self.op("Add", self.op("MatMul", value, matrix), self.weight(f"{name}.bias"), output=output)

    def normalised(self, value: str, name: str) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", value, scale, bias, axis=-1, epsilon=EPSILON)

    def op(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(value, name)
        return name

    def serialised(self, file: str) -> BuiltGraph:
        """Moves the large constants out of the graph, which then cannot be serialised again."""
        large = bytearray()
        for tensor in self.constants.values():
            if len(tensor.raw_data) >= _LARGE_BYTES:
                large += bytes(-len(large) % _PAGE_BYTES)
                offset = len(large)
                large += tensor.raw_data
                set_external_data(tensor, file, offset=offset, length=len(tensor.raw_data))
                tensor.ClearField("raw_data")
        tokens = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in self.inputs]
        result = helper.make_tensor_value_info(self.output, TensorProto.FLOAT, ["batch", self.width])
        graph = helper.make_graph(self.nodes, self.name, tokens, [result], initializer=list(self.constants.values()))
        opsets = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION)
        return BuiltGraph(model.SerializeToString(), bytes(large))
