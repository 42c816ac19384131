"""Training within a limit of time: the step size falls to nothing when the epochs or the minutes are over."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Encoding
from torch import Tensor
from torch.nn import functional

from library.language.weights import model_folder, read_weights
from training.entailment.encoding import encode, stacked
from training.entailment.network import CrossEncoder
from training.entailment.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, batches

logger = logging.getLogger(__name__)

BATCH = 16
WARM_UP = 0.05
STEP_SIZE, DECAY = 5e-4, 0.01
# So often within a run the validation pairs are judged and what was trained is saved.
CHECKS = 12


@dataclass(frozen=True)
class Limits:
    """Whichever is reached first ends the training."""

    epochs: float
    minutes: float


def loss_of(logits: Tensor, labels: Tensor, two_classes: Tensor) -> Tensor:
    """Mean cross-entropy; where only two classes are known, “neutral” stands for neutral or contradiction."""
    shares = functional.log_softmax(logits.float(), dim=1)
    either = torch.logaddexp(shares[:, NEUTRAL], shares[:, CONTRADICTION])
    exact = shares.gather(1, labels[:, None])[:, 0]
    return -torch.where(two_classes & (labels != ENTAILMENT), either, exact).mean()


def train(
    pairs: Sequence[Pair], checked: Sequence[Pair], limits: Limits, seed: int, saved: Path, kept: int = 0
) -> CrossEncoder:
    """Return the network trained on `pairs`; what was trained is also saved in the file `saved` from time to time.

    Where that file is there already, training goes on from it. `kept` is as in CrossEncoder.
    """
    torch.manual_seed(seed)
    network = CrossEncoder(read_weights(model_folder() / "model.safetensors"), kept)
    if saved.exists():
        with np.load(saved, allow_pickle=False) as arrays:
            network.load({name: arrays[name] for name in arrays.files})
    encodings, check_encodings = encode(pairs), encode(checked)
    labels = torch.tensor([pair.label for pair in pairs])
    coarse = torch.tensor([pair.two_classes for pair in pairs])
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=STEP_SIZE, weight_decay=DECAY)
    logger.info("%d pairs, %d trained numbers", len(pairs), sum(parameter.numel() for parameter in parameters))
    clock, seen, checks = time.monotonic(), 0, 0
    lately: list[float] = []
    for batch in _epochs(encodings, random.Random(seed)):
        progress = max(seen / (limits.epochs * len(pairs)), (time.monotonic() - clock) / (limits.minutes * 60))
        if progress >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = STEP_SIZE * min(progress / WARM_UP, (1 - progress) / (1 - WARM_UP)) + 1e-7
        network.train()
        logits = network(*stacked([encodings[number] for number in batch]))
        loss = loss_of(logits, labels[batch], coarse[batch])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        seen += len(batch)
        lately = [*lately[-199:], loss.item()]
        if progress * CHECKS >= checks + 1:
            checks += 1
            speed = seen / (time.monotonic() - clock)
            right = accuracy(network, check_encodings, checked)
            logger.info("%3.0f %% loss %.3f right %s %.0f pairs/s", 100 * progress, np.mean(lately), right, speed)
            save(network, saved)
    save(network, saved)
    return network


def _epochs(encodings: Sequence[Encoding], rng: random.Random) -> Iterator[list[int]]:
    lengths = [len(encoding) for encoding in encodings]
    while True:
        yield from batches(lengths, BATCH, rng)


def logits_of(network: CrossEncoder, encodings: Sequence[Encoding]) -> Tensor:
    """The logits of many pairs, (pairs, 3), in their order."""
    network.eval()
    order = sorted(range(len(encodings)), key=lambda number: len(encodings[number]))
    found = torch.empty(len(encodings), 3)
    with torch.no_grad():
        for at in range(0, len(order), 64):
            some = order[at : at + 64]
            found[some] = network(*stacked([encodings[number] for number in some])).float()
    return found


def accuracy(network: CrossEncoder, encodings: Sequence[Encoding], pairs: Sequence[Pair]) -> str:
    """The share of right labels by source, as text."""
    guessed = logits_of(network, encodings).argmax(1).tolist()
    counts: dict[str, list[bool]] = {}
    for pair, label in zip(pairs, guessed, strict=True):
        counts.setdefault(pair.source, []).append(pair.label == label)
    return " ".join(f"{source} {sum(right) / len(right):.3f}" for source, right in sorted(counts.items()))


def save(network: CrossEncoder, path: Path) -> None:
    """Write what was trained, so that a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".tmp.npz")
    np.savez(unfinished, **network.trained())
    unfinished.replace(path)
