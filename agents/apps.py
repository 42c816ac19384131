"""Application configuration of `agents`."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Goals, beliefs, planning, execution."""

    name = "agents"
    verbose_name = "Agents"

    def ready(self) -> None:
        """Listen for goals that end: a request of the bus or a modular agent may wait for one."""
        from agents.bus import settling
        from agents.modular import stepping
        from agents.record import signals

        signals.goal_ended.connect(settling.goal_ended, dispatch_uid="bus")
        signals.goal_ended.connect(stepping.goal_ended, dispatch_uid="modular")
