"""The entailment model: its files, its network, and how it says that it cannot be used."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer

from library.errors import EntailmentUnavailable
from library.language import weights
from library.language.building import constants_of
from library.language.entailment import cross_encoder, graph_file, judgement, model, trained
from library.language.entailment.cross_encoder import CrossEncoder
from library.language.once import Once

PLAIN = [
    ("A man is playing a guitar on a stage.", "A man plays an instrument.", "entailment"),
    ("Two dogs run through the snow.", "Two dogs are outside.", "entailment"),
    ("Two dogs run through the snow.", "Two cats sleep on a sofa.", "contradiction"),
    ("A woman reads a book in the park.", "The woman is a teacher.", "neutral"),
    ("The file notes.txt has just been created.", "The file notes.txt exists.", "entailment"),
    ("The file notes.txt was just deleted.", "The file notes.txt exists.", "contradiction"),
    ("You see a door to the hallway (that is closed)", "You are in the hallway.", "neutral"),
    ("You see a door to the hallway (that is closed)", "The door to the hallway is open.", "contradiction"),
    ("The database has crashed.", "The database is not running.", "entailment"),
    ("Perhaps the web server is running.", "The web server is running.", "neutral"),
]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Path:
    """A folder with copies of the shipped files, which the model is read from anew."""
    for name in ("trained.npz", "trained.json"):
        (tmp_path / name).write_bytes((trained.FOLDER / name).read_bytes())
    settings.DATA_DIR = tmp_path / "data"
    monkeypatch.setattr(cross_encoder, "of_this_process", Once(CrossEncoder))
    monkeypatch.setattr(trained, "FOLDER", tmp_path)
    for read in (trained.read_card, trained.read_arrays):
        monkeypatch.setattr(read, "__defaults__", (tmp_path,))
    return tmp_path


def change(folder: Path, **values: Any) -> None:
    card = json.loads((folder / "trained.json").read_text())
    (folder / "trained.json").write_text(json.dumps(card | values))


@pytest.mark.parametrize(("premise", "hypothesis", "label"), PLAIN)
def test_the_shipped_weights_know_plain_pairs(premise: str, hypothesis: str, label: str) -> None:
    (judged,) = model.judge([(premise, hypothesis)])
    assert judged.label == label
    assert math.isclose(judged.entailment + judged.neutral + judged.contradiction, 1.0, abs_tol=1e-6)


def test_what_is_shipped_is_small() -> None:
    assert (trained.FOLDER / "trained.npz").stat().st_size < 3_000_000


def test_a_pair_has_the_same_answer_alone_and_among_others() -> None:
    alone = [cross_encoder.of_this_process.get()._judged([pair[:2]])[0] for pair in PLAIN]
    together = cross_encoder.of_this_process.get()._judged([pair[:2] for pair in PLAIN])
    for one, other in zip(alone, together, strict=True):
        assert math.isclose(one.entailment, other.entailment, abs_tol=0.02)


def test_a_pair_that_is_too_long_to_be_read_to_its_end_is_not_judged() -> None:
    words = "The gate is open and " * 40
    assert model.judge([(words, "The gate is open."), ("x " * 50_000, "x"), ("a", "b")])[:2] == [judgement.TOO_LONG] * 2


def test_known_pairs_are_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ("The gate is painted blue.", "The gate is blue.")
    first = model.judge([pair])
    monkeypatch.setattr(CrossEncoder, "_judged", lambda self, pairs: pytest.fail("judged again"))
    assert model.judge([pair, (" The  gate is painted blue. ", pair[1])]) == first * 2


def test_only_so_many_answers_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cross_encoder, "KNOWN", 3)
    model.judge([(f"There are {number} gates.", "There is a gate.") for number in range(6)])
    assert len(cross_encoder.of_this_process.get()._known) == 3


def test_logits_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(EntailmentUnavailable, match="not finite"):
        cross_encoder.probabilities_of(np.array([[1.0, float("nan"), 0.0]], dtype=np.float32), 1.0)


def test_a_higher_temperature_makes_it_less_sure() -> None:
    logits = np.array([[2.0, 1.0, 0.0]], dtype=np.float32)
    assert cross_encoder.probabilities_of(logits, 2.0)[0, 0] < cross_encoder.probabilities_of(logits, 1.0)[0, 0]


def test_damaged_weights_are_refused_and_say_what_to_do(copied: Path) -> None:
    data = bytearray((copied / "trained.npz").read_bytes())
    data[1_000] ^= 1
    (copied / "trained.npz").write_bytes(data)
    with pytest.raises(EntailmentUnavailable, match=r"damaged or of another version.*make train-entailment"):
        model.judge([("a", "b")])
    assert "damaged" in model.why_unavailable()


def test_weights_for_another_version_are_refused(copied: Path) -> None:
    change(copied, format=trained.FORMAT + 1)
    assert f"is for version {trained.FORMAT + 1}" in model.why_unavailable()


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": 0},
        {"temperature": math.nan},
        {"usual": {"entailment": 7, "contradiction": 0}},
        {"environment": {"entailment": 0.9, "contradiction": -1}},
        {"environment": None},
        {"sha256": None, "format": None},
    ],
)
def test_impossible_numbers_are_refused(copied: Path, values: dict[str, Any]) -> None:
    change(copied, **values)
    with pytest.raises(EntailmentUnavailable):
        trained.read_card(copied) if "sha256" not in values else model.judge([("a", "b")])


def test_missing_and_broken_cards_are_refused(copied: Path) -> None:
    (copied / "trained.json").write_text("{")
    assert "cannot be read" in model.why_unavailable()
    (copied / "trained.json").unlink()
    assert "cannot be read" in model.why_unavailable()


def test_a_damaged_graph_says_which_file_to_delete(copied: Path) -> None:
    path = graph_file.expected_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half a graph")
    constants_of(path).write_bytes(b"")
    assert f"Delete {path}" in model.why_unavailable()


def test_additions_are_merged_into_their_matrices() -> None:
    base = {"x.weight": np.ones((2, 3), np.float32), "x.bias": np.zeros(2, np.float32)}
    arrays = {
        "x.up": np.array([[1], [2]], np.float16),
        "x.down": np.array([[1, 0, 1]], np.float16),
        "x.bias": np.array([5, 6], np.float16),
    }
    found = trained.merged(base, arrays)
    assert found["x.weight"].tolist() == [[2, 1, 2], [3, 1, 3]]
    assert found["x.bias"].tolist() == [5, 6]
    assert base["x.weight"].tolist() == [[1, 1, 1], [1, 1, 1]]


def straight(premise: str, hypothesis: str, w: weights.Weights) -> NDArray[np.float64]:
    """The logits of one pair as the papers write the network, in double precision."""

    def linear(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return x @ w[f"{name}.weight"].astype(np.float64).T + w[f"{name}.bias"]

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def gelu(x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.vectorize(lambda value: value * (1 + math.erf(value / math.sqrt(2))) / 2)(x)

    tokenizer = Tokenizer.from_file(str(weights.model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokens = tokenizer.encode(premise, hypothesis)
    segments = np.array(tokens.type_ids)
    x = w["embeddings.word_embeddings.weight"][tokens.ids].astype(np.float64)
    x = x + w["embeddings.position_embeddings.weight"][: len(segments)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][segments], "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        heads = []
        q, k, v = (linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        for head in range(12):
            part = slice(head * 32, head * 32 + 32)
            scores = np.exp(q[:, part] @ k[:, part].T / math.sqrt(32))
            heads.append(scores / scores.sum(-1, keepdims=True) @ v[:, part])
        attended = linear(np.concatenate(heads, -1), f"{layer}.attention.output.dense")
        x = norm(x + attended, f"{layer}.attention.output.LayerNorm")
        inner = gelu(linear(x, f"{layer}.intermediate.dense"))
        x = norm(x + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    pooled = np.concatenate([x[0], x[segments == 0].mean(0), x[segments == 1].mean(0)])
    return linear(gelu(linear(pooled, "head.inner")), "head.outer")


def test_the_network_computes_what_the_papers_say() -> None:
    base = weights.read_weights(weights.model_folder() / "model.safetensors")
    merged = trained.merged(base, trained.read_arrays())
    temperature = trained.read_card().temperature
    for premise, hypothesis, _ in PLAIN[:3]:
        logits = straight(premise, hypothesis, merged)
        (wanted,) = cross_encoder.probabilities_of(logits[None].astype(np.float32), temperature)
        (found,) = cross_encoder.of_this_process.get()._judged([(premise, hypothesis)])
        assert np.allclose([found.entailment, found.neutral, found.contradiction], wanted, atol=0.02)
