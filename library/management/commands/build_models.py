"""`manage.py build_models`: build the sentence model once, so that no request has to wait for it."""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from library.errors import EmbeddingUnavailable
from library.language import store


class Command(BaseCommand):
    """Does nothing when the model is there already."""

    help = "Build the sentence model below the data folder from the weights of the installed package."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        if store.expected_path().exists():
            self.stdout.write("The sentence model is already built.")
            return
        started = time.monotonic()
        try:
            store.graph_path()
        except EmbeddingUnavailable as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"The sentence model was built in {time.monotonic() - started:.1f} s.")
