"""Connects the system agents: as members of the bus, and as the services that SystemAgent's commands name."""

from __future__ import annotations

from agents.bus import providers
from agents.execution import tool_answers
from agents.system import acting, answering, asking_others, reading

_READS = (reading.search_component, reading.task_context, reading.build_context, reading.discover_agent)
_ACTS = (
    acting.design_solution,
    acting.create_component,
    acting.evolve_component,
    acting.generate_workflow,
    acting.process_workflow,
    acting.record_experience,
    acting.register_agent,
    asking_others.request_agent,
)


def connect() -> None:
    """Connect what stands in this room."""
    tool_answers.register({f"system_{work.__name__}": work for work in (*_READS, *_ACTS)})
    for one in answering.system_agents():
        providers.connect(one)
