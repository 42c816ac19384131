"""One answer of each of several language models."""

from __future__ import annotations

from agents.bdi.modular import sampling
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.sampling import Sample
from agents.bdi.modular.state import GENERATOR

_MOST = 8


def generate(agent: ModularAgent) -> None:
    """Ask each model once, all at the same time. Where none answers, a person writes what comes next."""
    named = [name.strip() for name in agent.setting(GENERATOR, "models").split(",") if name.strip()][:_MOST]
    temperature, length = agent.setting(GENERATOR, "temperature"), agent.setting(GENERATOR, "max_tokens")
    # Without a name mindX asks its own model and each of those it falls back on.
    models = named or ["", "fallback"]
    samples = [Sample(f"model-{number}", model, temperature, length) for number, model in enumerate(models, start=1)]
    sampling.offer(agent, samples)


MODULE = Module(
    GENERATOR,
    "several_models",
    "Several language models",
    "Asks several models at once for one answer each.",
    generate,
    (
        Setting("models", "text", "Models", "", "As LiteLLM names them, with commas. Empty: those of mindX."),
        Setting("temperature", "number", "Temperature", 0.2, "0: always the likeliest answer.", 0, 2),
        Setting("max_tokens", "whole", "Longest answer in tokens", 2_000, "", 50, 32_000),
    ),
    uses_model=True,
)
