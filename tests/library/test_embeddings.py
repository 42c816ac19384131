"""The sentence model: what it computes, how it is built, and how it says that it cannot."""

from __future__ import annotations

import json
import math
import os
import select
import signal
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer

from library.errors import EmbeddingUnavailable
from library.language import embeddings, sentence_model, store, weights
from library.language.batches import BATCH, SPARED, batches
from library.language.building import constants_of
from library.language.once import Once
from library.language.sentence_model import SentenceModel

SENTENCES = [
    "Create a Python project named weather",
    "The quick brown fox, being 42 years old, jumped over São Paulo's lazy dogs!",
]


def write_graph(path: Path, content: bytes) -> None:
    """Write this in place of a graph, as if it had been built."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    constants_of(path).write_bytes(b"")


def straight(text: str, tensors: weights.Weights) -> NDArray[np.float64]:
    """The transformer as its paper writes it, one sentence at a time, in double precision."""

    def w(name: str) -> NDArray[np.float64]:
        return tensors[name].astype(np.float64)

    def linear(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return x @ w(f"{name}.weight").T + w(f"{name}.bias")

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * w(f"{name}.weight") + w(f"{name}.bias")

    tokenizer = Tokenizer.from_file(str(weights.model_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    ids = tokenizer.encode(text).ids
    x = w("embeddings.word_embeddings.weight")[ids] + w("embeddings.position_embeddings.weight")[: len(ids)]
    x = norm(x + w("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        heads = []
        q, k, v = (linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        for head in range(12):
            part = slice(head * 32, head * 32 + 32)
            scores = np.exp(q[:, part] @ k[:, part].T / math.sqrt(32))
            heads.append(scores / scores.sum(-1, keepdims=True) @ v[:, part])
        attended = linear(np.concatenate(heads, -1), f"{layer}.attention.output.dense")
        x = norm(x + attended, f"{layer}.attention.output.LayerNorm")
        inner = linear(x, f"{layer}.intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        x = norm(x + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def test_vectors_agree_with_a_straight_computation_of_the_transformer() -> None:
    tensors = weights.read_weights(weights.model_folder() / "model.safetensors")
    for text, vector in zip(SENTENCES, embeddings.embed(SENTENCES), strict=True):
        assert float(np.dot(vector, straight(text, tensors))) >= 0.9999


def test_vectors_have_384_numbers_and_unit_length() -> None:
    vectors = np.array(embeddings.embed([*SENTENCES, "", "\ud800 lone surrogate", "word " * 50_000]))
    assert vectors.shape == (5, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_like_sentences_are_near_and_unlike_ones_far() -> None:
    create, start, delete, cat, kitten = np.array(
        embeddings.embed(
            [
                "create a python project named weather",
                "start a new python project",
                "delete every file in the folder",
                "a cat sat on the mat",
                "a kitten sits on a rug",
            ]
        )
    )
    assert create @ start > 0.55
    assert cat @ kitten > 0.55
    assert max(create @ delete, create @ cat, start @ kitten) < 0.3


@given(st.lists(st.integers(2, 256), max_size=80))
def test_batches_hold_each_text_once_and_little_padding(lengths: list[int]) -> None:
    found = batches(lengths)
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) <= BATCH
        longest = max(lengths[index] for index in batch)
        # The last that was taken in made none of the others longer by more than was spared, all together.
        others = batch[:-1]
        assert sum(longest - lengths[index] for index in others) <= SPARED


def test_a_vector_does_not_depend_on_the_other_texts_of_its_batch() -> None:
    texts = [f"{SENTENCES[0]} {'and more ' * (number % 9)}" for number in range(70)]
    model = sentence_model.of_this_process.get()  # past what it remembers
    together = np.array(model.embed(texts))
    alone = np.array([model.embed([text])[0] for text in texts[:9]])
    assert np.allclose(together[:9], alone, atol=1e-5)
    assert np.allclose(together[:9], together[9:18], atol=1e-5)


def test_a_text_that_was_embedded_lately_is_not_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    model, asked = sentence_model.of_this_process.get(), list[str]()
    real = SentenceModel.embed

    def counted(self: SentenceModel, texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return real(self, texts)

    monkeypatch.setattr(SentenceModel, "embed", counted)
    monkeypatch.setattr(sentence_model, "KNOWN", 3)
    model._known.clear()
    first = embeddings.embed(["high tide", "low tide", "high tide"])
    assert asked == ["high tide", "low tide"], "a text that is twice among them too"
    assert first[0] == first[2] != first[1]
    assert embeddings.embed(["low tide", "spring tide"]) == [first[1], *embeddings.embed(["spring tide"])]
    assert asked == ["high tide", "low tide", "spring tide"]
    embeddings.embed(["high tide"])
    embeddings.embed(["neap tide"])
    assert len(model._known) == 3
    embeddings.embed(["high tide", "spring tide"])
    assert asked[3:] == ["neap tide"], "the one that nobody asked for longest was forgotten"
    embeddings.embed(["low tide"])
    assert asked[4:] == ["low tide"]
    first[0][0] = 7.0
    assert embeddings.embed(["high tide"])[0][0] != 7.0, "what is given out is the caller's own"


def test_what_one_model_made_of_a_text_is_not_given_out_as_what_another_one_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embeddings.embed(["high tide"])
    other = SentenceModel()
    monkeypatch.setattr(other, "embed", lambda texts: [[1.0, *[0.0] * 383] for _ in texts])
    monkeypatch.setattr(sentence_model, "of_this_process", Once(lambda: other))
    assert embeddings.embed(["high tide"])[0][0] == 1.0


def test_only_the_first_256_tokens_count() -> None:
    start = "word " * 254
    same, longer, shorter = np.array(embeddings.embed([start, start + "something entirely different", "word " * 200]))
    assert np.allclose(same, longer)
    assert not np.allclose(same, shorter, atol=1e-6)


def test_many_threads_may_embed_at_once() -> None:
    expected = np.array(embeddings.embed(SENTENCES))
    results: list[NDArray[np.float64]] = []
    threads = [threading.Thread(target=lambda: results.append(np.array(embeddings.embed(SENTENCES)))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    assert all(np.allclose(result, expected, atol=1e-5) for result in results)


def test_a_child_forked_while_another_thread_loads_can_embed() -> None:
    expected = embeddings.embed(SENTENCES)[0][0]
    read, write = os.pipe()
    with sentence_model.of_this_process._lock:
        child = os.fork()
        if child == 0:
            os.write(write, struct.pack("d", embeddings.embed(SENTENCES)[0][0]))
            os._exit(0)
    os.close(write)
    try:
        answered, _, _ = select.select([read], [], [], 60)
        assert answered, "the child is stuck"
        assert struct.unpack("d", os.read(read, 8))[0] == pytest.approx(expected, abs=1e-5)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(read)


def test_threads_that_start_together_build_the_graph_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_DIR = tmp_path
    builds: list[Path] = []
    together = threading.Barrier(4)

    def build(path: Path, sources: tuple[Path, ...]) -> None:
        builds.append(path)
        write_graph(path, b"graph")

    def ask() -> None:
        together.wait(timeout=60)
        store.graph_path()

    monkeypatch.setattr(store, "_build", build)
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert builds == [store.expected_path()]
    assert store.graph_path().read_bytes() == b"graph"


def test_two_processes_that_start_together_build_one_whole_graph(tmp_path: Path) -> None:
    environment = {**os.environ, "MINDX_DATA": str(tmp_path)}
    command = [sys.executable, "manage.py", "build_models"]
    both = [
        subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    folder = tmp_path / "models"
    files = [constants_of(store.graph_path()), store.graph_path()]
    assert sorted(path.name for path in folder.iterdir()) == [*(path.name for path in files), "build.lock"]
    assert all((folder / path.name).read_bytes() == path.read_bytes() for path in files)


def test_a_graph_without_its_constants_is_built_again(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    write_graph(store.expected_path(), b"as an earlier mindX left it")
    constants_of(store.expected_path()).unlink()
    assert b"as an earlier" not in store.graph_path().read_bytes()
    assert constants_of(store.graph_path()).exists()


_USES_BOTH_MODELS = """
import sys
import django
django.setup()
from library.language import embeddings
from library.language.entailment import model
assert len(embeddings.embed(["one"])) == len(model.judge([("a", "b")])) == 1
print([name for name in sys.modules if name.partition(".")[0] == "onnx"])
"""


def test_a_process_that_uses_the_models_never_loads_what_builds_them(tmp_path: Path) -> None:
    environment = {**os.environ, "MINDX_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "mindx_web.settings"}
    for _ in ("first use, which builds both", "later"):
        done = subprocess.run(
            [sys.executable, "-c", _USES_BOTH_MODELS],
            cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("[]\n", "")
        assert len(list((tmp_path / "models").glob("*.onnx"))) == 2


def test_a_model_that_cannot_be_built_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(weights, "model_folder", lambda: tmp_path)
    with pytest.raises(EmbeddingUnavailable, match="weights of the sentence model cannot be read"):
        store.graph_path()
    settings.BASE_DIR = tmp_path
    with pytest.raises(EmbeddingUnavailable, match="ended with exit code 1"):
        store.graph_path()
    assert "No module named" in caplog.text, "what a developer needs is in the log"
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["build.lock"]


def test_build_models_does_nothing_when_the_model_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    before = store.graph_path().stat().st_mtime_ns
    call_command("build_models")
    assert "is already built" in capsys.readouterr().out
    assert store.graph_path().stat().st_mtime_ns == before


def test_weights_that_are_not_the_tested_ones_are_refused(tmp_path: Path) -> None:
    changed = bytearray((weights.model_folder() / "model.safetensors").read_bytes())
    changed[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(changed)
    with pytest.raises(EmbeddingUnavailable, match="not the file that was tested"):
        weights.read_weights(tmp_path / "model.safetensors")


def test_safetensors_are_read_by_their_own_offsets(tmp_path: Path) -> None:
    import hashlib

    numbers = np.arange(6, dtype="<f4")
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "b": {"dtype": "F32", "shape": [2], "data_offsets": [16, 24]},
            "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        }
    ).encode()
    data = struct.pack("<Q", len(header)) + header + numbers.tobytes()
    (tmp_path / "small").write_bytes(data)
    read = weights.read_weights(tmp_path / "small", hashlib.sha256(data).hexdigest())
    assert read["a"].tolist() == [[0, 1], [2, 3]]
    assert read["b"].tolist() == [4, 5]


def test_a_missing_package_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_model, "of_this_process", Once(SentenceModel))
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package")
    with pytest.raises(EmbeddingUnavailable, match="not installed"):
        embeddings.embed(["anything"])
    assert "not installed" in embeddings.why_unavailable()


def test_a_damaged_graph_is_said_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(sentence_model, "of_this_process", Once(SentenceModel))
    write_graph(store.expected_path(), b"half a graph")
    assert "sentence model failed" in embeddings.why_unavailable()


def test_a_failed_load_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_model, "of_this_process", Once(SentenceModel))
    with monkeypatch.context() as broken:
        broken.setattr(weights, "PACKAGE", "no_such_package")
        assert embeddings.why_unavailable()
    assert embeddings.why_unavailable() == ""


def test_nothing_costs_nothing() -> None:
    assert embeddings.embed([]) == []
