"""`manage.py audit verify|anchor|export`: check the chains, store their ends elsewhere, export the journal."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from people import sealing
from review.audit import anchors, journal_export


class Command(BaseCommand):
    """Exit status 1 if a chain is broken, a sealed row was changed, or an anchor does not match."""

    help = "Verify the chains of decisions, typed commands and the journal; anchor their ends; export the journal."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parts = parser.add_subparsers(dest="part", required=True)
        verify = parts.add_parser("verify", help="check every chain and name the first broken row")
        verify.add_argument("--anchors", type=Path, metavar="FILE", help="also compare with the anchors in this file")
        anchor = parts.add_parser("anchor", help="print the length and the last hash of every chain")
        anchor.add_argument("--file", type=Path, help="append them to this file as well; keep it on another machine")
        export = parts.add_parser("export", help="write the journal to stdout, oldest first")
        export.add_argument("--since", metavar="MOMENT", help="a day or a moment, as in 2026-01-31 or 2026-01-31T12:00")
        export.add_argument("--format", choices=list(journal_export.FORMATS), default="jsonl")

    def handle(self, *args: Any, **options: Any) -> None:
        {"verify": self._verify, "anchor": self._anchor, "export": self._export}[options["part"]](options)

    def _verify(self, options: dict[str, Any]) -> None:
        for name, found in anchors.walk_all():
            if found.broken is not None:
                raise CommandError(f"Row {found.broken.row} of the {name} does not hold: {found.broken.reason}.")
            self.stdout.write(f"{found.rows} rows of the {name} hold. Last hash: {found.last_hash or 'none'}")
        if broken := [
            f"{model._meta.verbose_name} {row.pk}" for model in sealing.models() for row in sealing.broken(model)
        ]:
            raise CommandError(f"These rows are not what mindX sealed: {', '.join(broken)}.")
        self.stdout.write("All sealed rows are genuine.")
        if options["anchors"]:
            try:
                checked = anchors.compare(options["anchors"])
            except anchors.AnchorBroken as error:
                raise CommandError(str(error)) from error
            self.stdout.write(f"{checked} anchors fit.")

    def _anchor(self, options: dict[str, Any]) -> None:
        lines = anchors.ends()
        for line in lines:
            self.stdout.write(line)
        if options["file"]:
            try:
                anchors.append(options["file"], lines)
            except OSError as error:
                raise CommandError(f"The anchors could not be written: {error}") from error

    def _export(self, options: dict[str, Any]) -> None:
        for line in journal_export.lines(_moment(options["since"]), options["format"]):
            self.stdout.write(line, ending="")


def _moment(text: str | None) -> datetime | None:
    """A day or a moment; without a time zone it is UTC."""
    if not text:
        return None
    try:
        day = parse_date(text)
        moment = datetime(day.year, day.month, day.day) if day else parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError("--since is a day or a moment, as in 2026-01-31 or 2026-01-31T12:00.")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
