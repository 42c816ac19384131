"""A sentence model of a provider, asked by the real client over the loopback."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from library.errors import EmbeddingUnavailable, WrongDimensions
from library.language import may_wait, spaces
from library.language.may_wait import NotHere
from tests.models.server import Provider, refusing


def vectors(dimensions: int, *, backwards: bool = False) -> Callable[[Any], None]:
    """Answers as OpenAI does: for each text a vector whose first number is the text's length."""

    def reply(asked: Any) -> None:
        texts = asked.server.asked[-1]["input"]
        data = [
            {"object": "embedding", "index": at, "embedding": [float(len(text)), 1.0, *[0.0] * (dimensions - 2)]}
            for at, text in enumerate(texts)
        ]
        body = {"object": "list", "model": "m", "data": data[::-1] if backwards else data}
        said = json.dumps({**body, "usage": {"prompt_tokens": 1, "total_tokens": 1}}).encode()
        asked.send_response(200)
        asked.send_header("Content-Type", "application/json")
        asked.send_header("Content-Length", str(len(said)))
        asked.end_headers()
        asked.wfile.write(said)

    return reply


@pytest.fixture(autouse=True)
def another_model(provider: Provider, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.EMBEDDING_MODEL = "openai/text-embedding-3-small"
    monkeypatch.setattr(spaces, "_resting", {})
    spaces._asked_lately.cache_clear()


def test_each_text_gets_its_own_vector_of_384_numbers(provider: Provider) -> None:
    provider.will_say(vectors(384, backwards=True))
    one, three = spaces.to_store(["a", "abc"])
    assert one is not None
    assert three is not None
    assert one[:2] == pytest.approx([0.5**0.5, 0.5**0.5])
    assert three[:2] == pytest.approx([0.9**0.5, 0.1**0.5])
    (sent,) = provider.asked
    assert sent["input"] == ["a", "abc"]
    assert sent["dimensions"] == 384, "models that can choose are asked for what fits"


def test_a_model_that_cannot_choose_its_dimensions_is_asked_without(provider: Provider, settings: Any) -> None:
    settings.EMBEDDING_MODEL = "openai/some-local-model"
    provider.will_say(vectors(768))
    with pytest.raises(WrongDimensions, match="vectors of 768 numbers, and mindX stores 384"):
        spaces.to_store(["a"])
    assert "dimensions" not in provider.asked[0]


def test_many_texts_are_several_requests(provider: Provider) -> None:
    provider.will_say(vectors(384))
    assert len(spaces.to_store(["a"] * (spaces.BATCH + 1))) == spaces.BATCH + 1
    assert [len(one["input"]) for one in provider.asked] == [spaces.BATCH, 1]


def test_a_process_of_a_worker_asks_no_provider(provider: Provider) -> None:
    provider.will_say(vectors(384))
    may_wait.forbid()
    try:
        with pytest.raises(NotHere):
            spaces.to_store(["a"])
    finally:
        may_wait.allow()
    assert not provider.asked
    assert len(spaces.to_store(["a"])) == 1, "it is not noted as a model that does not answer"


def test_what_a_provider_refuses_is_said_in_words(provider: Provider) -> None:
    provider.will_say(refusing(401, "no such key"))
    with pytest.raises(EmbeddingUnavailable, match="refused the key"):
        spaces.to_store(["a"])
    assert "refused the key" in spaces.why_unavailable()


@pytest.mark.parametrize("body", [b"{}", b"no json", b'{"data": [{"index": 0, "embedding": ["x"]}]}'])
def test_what_is_no_answer_is_said_in_words(provider: Provider, body: bytes) -> None:
    def reply(asked: Any) -> None:
        asked.send_response(200)
        asked.send_header("Content-Type", "application/json")
        asked.send_header("Content-Length", str(len(body)))
        asked.end_headers()
        asked.wfile.write(body)

    provider.will_say(reply)
    with pytest.raises(EmbeddingUnavailable):
        spaces.to_store(["a"])
