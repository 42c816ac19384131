"""`manage.py row_protection`: for each kind of row, what a false one could do and what stops it, as Markdown."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from mindx_web.operations import row_protection


class Command(BaseCommand):
    """Prints the tables of docs/why/security.md."""

    help = "Print, for each kind of row, what a false one could do and what stops it."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write("\n".join(row_protection.tables()))
