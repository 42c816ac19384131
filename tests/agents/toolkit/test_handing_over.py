"""Which commands ask people for what the goal wishes, and which have done it when they end."""

from __future__ import annotations

from agents.toolkit.finishing import SERVICES
from agents.toolkit.registry import REGISTRY

# What a step leaves is there and in force when it ends, or the step waits until it is.
_DONE = {
    "agent_registry.change_agent",
    "agent_registry.create_agent",
    "agent_registry.retire_agent",
    "sub_goals.add",
    "system_agent.record_experience",
    "system_agent.register_agent",
    "system_agent.request_agent",
}
_HANDED_OVER = {
    "system_agent.ask_for_approval",
    "system_agent.create_component",
    "system_agent.design_solution",
    "system_agent.evolve_component",
    "system_agent.generate_workflow",
    "system_agent.process_workflow",
}


def test_of_every_command_that_changes_mindx_it_is_known_whether_people_have_to_go_on() -> None:
    acting = [one for tool in REGISTRY.tools for one in tool.commands if one.finish and SERVICES[one.finish].acts]
    assert {f"{one.tool}.{one.name}" for one in acting} == _DONE | _HANDED_OVER
    assert {f"{one.tool}.{one.name}" for one in acting if one.hands_over} == _HANDED_OVER
