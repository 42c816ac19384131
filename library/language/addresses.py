"""Where the requests to a model go, as far as the operator says so: LiteLLM reads it from the environment.

It says so without LiteLLM, which takes seconds to load: pages and planning ask this too.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit

# How LiteLLM names the variables: PROVIDER_API_BASE, for some providers also another one.
_ENDINGS = ("_API_BASE", "_BASE_URL", "_API_URL", "_ENDPOINT")
_ALSO = {
    "AZURE": ("AZURE_OPENAI_ENDPOINT",),
    "BEDROCK": ("AWS_BEDROCK_RUNTIME_ENDPOINT",),
    "HUGGINGFACE": ("HF_API_BASE",),
    "TEXT-COMPLETION-OPENAI": ("OPENAI_API_BASE", "OPENAI_BASE_URL"),
    "OLLAMA_CHAT": ("OLLAMA_API_BASE",),
    "VERTEX_AI": ("VERTEXAI_API_BASE",),
}
# Names that LiteLLM takes without their provider before them.
_FAMILIES = (("claude", "ANTHROPIC"), ("gemini", "VERTEX_AI"), ("command", "COHERE"))


def address_of(model: str) -> str:
    """The address that the environment names for the model's provider, "" where it names none.

    Where several variables name different ones, all of them: any may be the one that LiteLLM takes. Never a password.
    """
    provider = _provider(model)
    names = [provider + ending for ending in _ENDINGS] + list(_ALSO.get(provider, ()))
    found = [_shown(os.environ[name]) for name in names if os.environ.get(name, "").strip()]
    return " or ".join(dict.fromkeys(found))


def _provider(model: str) -> str:
    provider, slash, _ = model.partition("/")
    if slash:
        return provider.upper()
    return next((name for start, name in _FAMILIES if model.startswith(start)), "OPENAI")


def _shown(address: str) -> str:
    """Host and path: what stands before an @ is a password, and behind a ? may be a key."""
    try:
        parts = urlsplit(address.strip())
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "an address that cannot be read"
    if not parts.hostname:
        return address.strip().partition("?")[0].rpartition("@")[2]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}"
