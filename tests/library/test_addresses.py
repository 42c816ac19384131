"""Where a model's requests go, read from the names that LiteLLM knows."""

from __future__ import annotations

import pytest

from library.language.addresses import address_of


@pytest.fixture(autouse=True)
def _only_these(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "ANTHROPIC_API_BASE", "OLLAMA_API_BASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("openai/gpt-x", "OPENAI_API_BASE"),
        ("gpt-x", "OPENAI_BASE_URL"),
        ("claude-x", "ANTHROPIC_API_BASE"),
        ("ollama_chat/llama", "OLLAMA_API_BASE"),
        ("hosted_vllm/a/b", "HOSTED_VLLM_API_BASE"),
    ],
)
def test_an_address_is_that_of_the_models_provider(model: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert address_of(model) == ""
    monkeypatch.setenv(name, "http://10.0.0.5:4000/v1/")
    assert address_of(model) == "http://10.0.0.5:4000/v1"
    assert address_of("other/model") == ""


def test_no_password_and_no_key_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "https://me:secret@proxy.example/v1?key=secret#secret")
    assert address_of("gpt-x") == "https://proxy.example/v1"
    monkeypatch.setenv("OPENAI_API_BASE", "me:secret@proxy.example?key=secret")
    assert "secret" not in address_of("gpt-x")
    monkeypatch.setenv("OPENAI_API_BASE", "http://proxy.example:port/")
    assert address_of("gpt-x") == "an address that cannot be read"


def test_of_two_addresses_none_is_kept_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://one")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://two")
    assert address_of("gpt-x") == "http://one or http://two"
