"""The composing app: wires implementations that must point upwards into the apps below."""

from django.apps import AppConfig


class MindxWebConfig(AppConfig):
    """Connects review's gate to the executor when Django is ready."""

    name = "mindx_web"
    verbose_name = "mindX"

    def ready(self) -> None:
        from mindx_web import wiring

        wiring.connect()
