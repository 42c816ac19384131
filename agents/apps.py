"""Application configuration of `agents`."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Goals, beliefs, planning, execution."""

    name = "agents"
    verbose_name = "Agents"

    def ready(self) -> None:
        """Listen for what the rooms below tell."""
        from agents.frameworks import runs
        from agents.record import signals

        signals.goal_ended.connect(
            lambda goal_id, **_: runs.wake_for([goal_id]), weak=False, dispatch_uid="agents.answer_of_a_call"
        )
