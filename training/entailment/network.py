"""all-MiniLM-L6-v2 as a cross-encoder in torch: frozen, with low-rank additions (LoRA, Hu et al. 2021) and a head.

Trained are the additions to each matrix of attention and feed-forward, biases, normalisations, segments and the head.
`trained` returns just these, under the names that `library.language.entailment.trained` merges and builds.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from library.language.entailment.trained import FEATURES, INNER, LABELS, Arrays
from library.language.graph import EPSILON, HEADS, LAYERS, MASKED, WIDTH
from library.language.weights import Weights

RANK = 16
DROPOUT = 0.1


class Adapted(nn.Module):
    """A frozen matrix plus a trained product of two narrow ones, and a trained bias."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        matrix = torch.tensor(weights[f"{name}.weight"])
        # Half as wide as what is trained: it never changes, and products of such are twice as quick.
        self.register_buffer("matrix", matrix.bfloat16())
        out, into = matrix.shape
        self.down = nn.Parameter(torch.randn(RANK, into) / math.sqrt(into))
        self.up = nn.Parameter(torch.zeros(out, RANK))
        self.bias = nn.Parameter(torch.tensor(weights[f"{name}.bias"]))

    def forward(self, value: Tensor) -> Tensor:
        value = value.bfloat16()
        down, up, bias = self.down.bfloat16(), self.up.bfloat16(), self.bias.bfloat16()
        return functional.linear(value, self.matrix, bias) + functional.linear(functional.linear(value, down), up)


class Layer(nn.Module):
    """One encoder layer of BERT."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.query, self.key, self.value = (
            Adapted(weights, f"{name}.attention.self.{part}") for part in ("query", "key", "value")
        )
        self.attended = Adapted(weights, f"{name}.attention.output.dense")
        self.inner = Adapted(weights, f"{name}.intermediate.dense")
        self.outer = Adapted(weights, f"{name}.output.dense")
        self.norm_attention = _norm(weights, f"{name}.attention.output.LayerNorm")
        self.norm_output = _norm(weights, f"{name}.output.LayerNorm")

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """`hidden` is (batch, tokens, 384), `mask` (batch, 1, 1, tokens), 0 for tokens, far below for padding."""
        split = (*hidden.shape[:2], HEADS, WIDTH // HEADS)
        query, key, value = (part(hidden).view(split).transpose(1, 2) for part in (self.query, self.key, self.value))
        # By hand: torch's own attention takes ten times as long backwards in bfloat16 on a processor.
        scores = query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + mask
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).reshape(hidden.shape)
        hidden = self.norm_attention(hidden + self.attended(mixed))
        return self.norm_output(hidden + self.outer(functional.gelu(self.inner(hidden))))


class CrossEncoder(nn.Module):
    """Logits of entailment, neutral and contradiction for pairs."""

    def __init__(self, weights: Weights, kept: int = 0) -> None:
        """`kept`: so many of the lowest layers are not trained any further, which saves their way back."""
        super().__init__()
        self.kept = kept
        for name in ("word", "position"):
            self.register_buffer(name, torch.tensor(weights[f"embeddings.{name}_embeddings.weight"]))
        self.segment = nn.Parameter(torch.tensor(weights["embeddings.token_type_embeddings.weight"]))
        self.norm = _norm(weights, "embeddings.LayerNorm")
        self.layers = nn.ModuleList(Layer(weights, f"encoder.layer.{number}") for number in range(LAYERS))
        self.inner, self.outer = nn.Linear(FEATURES * WIDTH, INNER), nn.Linear(INNER, len(LABELS))
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """All three (batch, tokens): numbers of tokens, 0 for the premise and 1 for the hypothesis, 0 for padding."""
        bias = ((1 - mask[:, None, None, :]) * MASKED).bfloat16()
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.kept):
            hidden = self.norm(self.word[ids] + self.position[: ids.shape[1]] + self.segment[segments])
        for number, layer in enumerate(self.layers):
            with torch.set_grad_enabled(torch.is_grad_enabled() and number >= self.kept):
                hidden = layer(hidden, bias)
        second = (segments * mask).float()
        first = mask.float() - second
        hidden = hidden.float()
        pooled = torch.cat([hidden[:, 0], _mean(hidden, first), _mean(hidden, second)], dim=1)
        return self.outer(self.drop(functional.gelu(self.inner(pooled))))

    def trained(self) -> Arrays:
        """The tensors that training changed, as float16 arrays."""
        return {name: value.detach().numpy().astype(np.float16) for name, value in self._trained().items()}

    def load(self, arrays: Arrays) -> None:
        """Go on from what another run had trained."""
        with torch.no_grad():
            for name, value in self._trained().items():
                value.copy_(torch.tensor(arrays[name].astype(np.float32)))

    def _trained(self) -> dict[str, Tensor]:
        found: dict[str, Tensor] = {"segment": self.segment}
        found |= {f"embeddings.LayerNorm.{part}": value for part, value in self.norm.named_parameters()}
        found |= {f"head.inner.{part}": value for part, value in self.inner.named_parameters()}
        found |= {f"head.outer.{part}": value for part, value in self.outer.named_parameters()}
        for number, layer in enumerate(self.layers):
            for own, name in _NAMES.items():
                for part, value in getattr(layer, own).named_parameters():
                    found[f"encoder.layer.{number}.{name}.{part}"] = value
        return found


_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "norm_attention": "attention.output.LayerNorm",
    "norm_output": "output.LayerNorm",
}


def _norm(weights: Weights, name: str) -> nn.LayerNorm:
    norm = nn.LayerNorm(WIDTH, eps=EPSILON)
    with torch.no_grad():
        norm.weight.copy_(torch.tensor(weights[f"{name}.weight"]))
        norm.bias.copy_(torch.tensor(weights[f"{name}.bias"]))
    return norm


def _mean(hidden: Tensor, weight: Tensor) -> Tensor:
    """The mean over the tokens of weight one; `weight` is (batch, tokens) and marks at least one in each row."""
    return (hidden * weight[:, :, None]).sum(1) / weight.sum(1, keepdim=True)
