"""Several samples of one language model."""

from __future__ import annotations

from agents.bdi.modular import sampling
from agents.bdi.modular.agent import ModularAgent
from agents.bdi.modular.modules import Module, Setting
from agents.bdi.modular.sampling import Sample
from agents.bdi.modular.state import GENERATOR


def generate(agent: ModularAgent) -> None:
    """Ask the model `samples` times at once. Where it cannot be asked, a person writes what comes next."""
    model, temperature = agent.setting(GENERATOR, "model"), agent.setting(GENERATOR, "temperature")
    length = agent.setting(GENERATOR, "max_tokens")
    samples = [
        Sample(f"sample-{number}", model, temperature, length)
        for number in range(1, agent.setting(GENERATOR, "samples") + 1)
    ]
    sampling.offer(agent, samples)


MODULE = Module(
    GENERATOR,
    "model",
    "A language model",
    "Asks one model for one or more answers to choose from.",
    generate,
    (
        Setting("model", "text", "Model", "", "As LiteLLM names it. Empty: the model that mindX is set up with."),
        Setting("samples", "whole", "Answers to choose from", 2, "", 1, 16),
        Setting("temperature", "number", "Temperature", 0.7, "0: always the likeliest answer.", 0, 2),
        Setting("max_tokens", "whole", "Longest answer in tokens", 2_000, "", 50, 32_000),
    ),
    uses_model=True,
)
