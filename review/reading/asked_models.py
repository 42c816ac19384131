"""The language models to which a step sends text, in words."""

from __future__ import annotations

from agents.bdi.plans.approved_models import Asked, Model


def in_words(asked: Asked) -> str:
    """All of them in the order in which they would be asked."""
    if not asked.models:
        return "no language model, for none was set up"
    most = f"; at most {asked.tokens:,} tokens at a time"
    return ", else ".join(_model(one) for one in asked.models) + most


def _model(model: Model) -> str:
    price = f" for {model.price}" if model.price else ""
    return f"{model.name} at {model.at or 'its provider’s own address'}{price}"
