"""`manage.py build_models`: build the models of this machine once, so that no request has to wait for them."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from library.errors import EmbeddingUnavailable, EntailmentUnavailable
from library.language import store
from library.language.entailment import graph_file


def is_needed() -> bool:
    """Whether a model of this machine is still to be built."""
    try:
        has_sentences = store.is_built(store.expected_path())
        return not (has_sentences and (not _asks_entailment() or store.is_built(graph_file.expected_path())))
    except EntailmentUnavailable:
        return True


def _asks_entailment() -> bool:
    return bool(settings.ENTAILMENT != "structured")


class Command(BaseCommand):
    """Does nothing for a model that is there already. The entailment model is built where rules ask it."""

    help = "Build the sentence model below the data folder from the weights of the installed package."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._build("sentence", store.expected_path, store.graph_path)
            if _asks_entailment():
                self._build("entailment", graph_file.expected_path, graph_file.graph_path)
        except (EmbeddingUnavailable, EntailmentUnavailable) as error:
            raise CommandError(str(error)) from error

    def _build(self, name: str, expected: Callable[[], Path], build: Callable[[], Path]) -> None:
        if store.is_built(expected()):
            self.stdout.write(f"The {name} model is already built.")
            return
        started = time.monotonic()
        build()
        self.stdout.write(f"The {name} model was built in {time.monotonic() - started:.1f} s.")
