"""Application configuration of `review`."""

from django.apps import AppConfig


class ReviewConfig(AppConfig):
    """Queue, decisions, approvals."""

    name = "review"
    verbose_name = "Review"

    def ready(self) -> None:
        from review import receivers

        receivers.connect()
