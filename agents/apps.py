"""Application configuration of `agents`."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    """Goals, beliefs, planning, execution."""

    name = "agents"
    verbose_name = "Agents"
