"""Application configuration of `people`."""

from django.apps import AppConfig


class PeopleConfig(AppConfig):
    """People, roles and tokens."""

    name = "people"
    verbose_name = "People"

    def ready(self) -> None:
        from people import receivers

        receivers.connect()
