"""The AgentFactory: which provider a framework's name means, and what is missing for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec

from agents.frameworks import of_openai_agents
from agents.frameworks.contract import Ask, Brief, FrameworkMissing, Provider
from agents.frameworks.of_beeai import BeeAI
from agents.frameworks.of_langgraph import LangGraph
from agents.frameworks.of_openai_agents import OpenAIAgents
from agents.frameworks.of_pydantic_ai import PydanticAI
from agents.toolkit.frameworks import FRAMEWORKS

Create = Callable[[Brief, Ask], Provider]


def _has(module: str) -> Callable[[], bool]:
    """Whether a module could be imported; it is not."""
    return lambda: find_spec(module) is not None


_PROVIDERS: Mapping[str, Create] = {
    LangGraph.name: LangGraph.create,
    PydanticAI.name: PydanticAI.create,
    BeeAI.name: BeeAI.create,
    OpenAIAgents.name: OpenAIAgents.create,
}
_IS_THERE: Mapping[str, Callable[[], bool]] = {
    LangGraph.name: _has("langgraph"),
    PydanticAI.name: _has("pydantic_ai"),
    BeeAI.name: _has("beeai_framework"),
    OpenAIAgents.name: of_openai_agents.is_there,
}


class AgentFactory:
    """Makes agents of frameworks. A test puts providers of its own in."""

    def __init__(self, providers: Mapping[str, Create] = _PROVIDERS) -> None:
        self._providers = providers

    def create(self, framework: str, brief: Brief, ask: Ask) -> Provider:
        """Make an agent. Raises FrameworkMissing, which says how the framework is installed."""
        make = self._providers.get(framework)
        if make is None:
            raise FrameworkMissing(f"mindX knows no framework “{framework[:60]}”.")
        if make is _PROVIDERS.get(framework) and (said := missing(framework)):
            raise FrameworkMissing(said)
        return make(brief, ask)


def missing(framework: str) -> str:
    """What is missing for a framework, as a sentence for operators; "" when it can be used."""
    known = FRAMEWORKS.get(framework)
    if known is None:
        return f"mindX knows no framework “{framework[:60]}”."
    if not known.package or _IS_THERE[framework]():
        return ""
    return f"{known.label} is not installed here. Run `{known.install}` on each machine with workers, and restart them."


FACTORY = AgentFactory()
