"""Application configuration of `library`."""

from django.apps import AppConfig


class LibraryConfig(AppConfig):
    """Components, experiences, language services."""

    name = "library"
    verbose_name = "Library"
