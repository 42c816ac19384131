"""`manage.py load_starters`: bring what ships into the library, and make the first agent."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agents.actors import firmware, prompt_versions
from agents.components import made_tools, rules, shipped_tools
from agents.models import DEFAULT_AGENT, Agent
from agents.rules.grammar import RuleSyntaxError
from agents.rules.starter import starter_files
from library import embedding
from library.components import services
from library.errors import EmbeddingUnavailable
from library.prompts import in_use

# Of 64 rows each.
_ROUNDS = 3


class Command(BaseCommand):
    """May run at every start; says what is new."""

    help = "Load the starter rules and create the default agent."

    def handle(self, *args: Any, **options: Any) -> None:
        Agent.objects.get_or_create(name=DEFAULT_AGENT)
        try:
            loaded = services.load_starters(rules.starters(starter_files()))
        except RuleSyntaxError as error:
            raise CommandError(f"A starter rule cannot be read: {error}") from error
        loaded += services.load_starters(firmware.starters(), firmware.KIND)
        loaded += services.load_starters(shipped_tools.starters(), made_tools.KIND)
        loaded += services.load_starters(prompt_versions.starters(), in_use.KIND)
        for version in loaded:
            self.stdout.write(f"{version} is {version.status}.")
        if not loaded:
            self.stdout.write("The starter rules are loaded.")
        self._embed()

    def _embed(self) -> None:
        try:
            # As many rows as ship; of a large library the rest is for the sweep, for a start must not wait for it.
            for _ in range(_ROUNDS):
                if not embedding.embed_missing():
                    break
        except EmbeddingUnavailable as error:
            # Rules work without; the sweep tries again.
            self.stderr.write(f"Semantic search is not ready yet: {error}")
