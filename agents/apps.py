"""Application configuration of `agents`."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Goals, beliefs, planning, execution."""

    name = "agents"
    verbose_name = "Agents"

    def ready(self) -> None:
        """Listen for goals that end: requests of the bus, frameworks and modular agents wait for them."""
        from agents.bus import settling
        from agents.frameworks import runs
        from agents.modular import wanting
        from agents.record import signals

        signals.goal_ended.connect(settling.goal_ended, dispatch_uid="bus")
        signals.goal_ended.connect(runs.goal_ended, dispatch_uid="agents.frameworks")
        signals.goal_ended.connect(wanting.goal_ended, dispatch_uid="modular")
