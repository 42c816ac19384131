"""The composing app: wires implementations that must point upwards into the apps below."""

import gc
from typing import Any

from django.apps import AppConfig

from mindx_web.celery import app as celery_app  # noqa: F401  # what sends wake-ups finds it as the current one


class MindxWebConfig(AppConfig):
    """Connects review's gate to the executor when Django is ready, and spares the way there the looks for garbage.

    Nothing that is imported is garbage, and looking through it again and again was a tenth of what a process takes to
    begin.
    """

    name = "mindx_web"
    verbose_name = "mindX"

    def __init__(self, *named: Any) -> None:
        super().__init__(*named)
        gc.disable()  # Django makes every app's configuration before it imports the first model

    def ready(self) -> None:
        """The last of all apps, so that from here on the process works."""
        from mindx_web import wiring

        wiring.connect()
        gc.freeze()
        gc.enable()
