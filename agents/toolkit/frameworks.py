"""The frameworks whose agents can have goals, by the names that settings of agents use. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Framework:
    """A framework. `package`: what must be installed for it, "" for none; `install`: the command that does it."""

    name: str
    label: str
    package: str = ""
    install: str = ""


# Our own agent, which plans by rules, understanding and models.
OWN = "mindx"
_TOGETHER = "make extras"
FRAMEWORKS: Mapping[str, Framework] = {
    one.name: one
    for one in (
        Framework(OWN, "mindX"),
        Framework("langgraph", "LangGraph", "langgraph", _TOGETHER),
        Framework("pydantic_ai", "Pydantic AI", "pydantic-ai-slim", _TOGETHER),
        Framework("beeai", "BeeAI", "beeai-framework", _TOGETHER),
        Framework("openai_agents", "OpenAI Agents SDK", "openai-agents", "make extras-openai-agents"),
    )
}
