"""`manage.py embeddings`: how far the current sentence model has come, embedding the rest, asking it once."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from library import embedding, renewal
from library.errors import EmbeddingUnavailable, WrongDimensions
from library.language import spaces
from library.renewal import KINDS


class Command(BaseCommand):
    """A renewal may be stopped at any moment and goes on where it was. The background pool does the same."""

    help = "Show how much each sentence model has embedded, and embed again what another model embedded."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Three things to do, each a word."""
        does = parser.add_subparsers(dest="do", required=True)
        status = does.add_parser("status", help="how much each sentence model has embedded")
        status.add_argument("--json", action="store_true", help="one JSON document instead of lines")
        renew = does.add_parser("renew", help="embed what has no vectors, or those of another model")
        renew.add_argument("--kind", choices=list(KINDS), help="only these; default: everything")
        does.add_parser("check", help="ask the sentence model once; fails when its vectors cannot be stored")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do one of the three."""
        {"status": self._status, "renew": self._renew, "check": self._check}[options["do"]](options)

    def _status(self, options: dict[str, Any]) -> None:
        found, why_not = renewal.progress(), spaces.why_unavailable()
        if options["json"]:
            told = {"model": spaces.current(), "unavailable": why_not, "kinds": [asdict(one) for one in found]}
            self.stdout.write(json.dumps(told, indent=1))
            return
        for one in found:
            self.stdout.write(f"{one.sentence}")
            for model, count in one.others.items():
                self.stdout.write(f"  {count:,} still with {spaces.shown(model)}")
            if one.none:
                self.stdout.write(f"  {one.none:,} without vectors, found by their words")
        if why_not:
            self.stdout.write(f"{spaces.shown(spaces.current())} does not answer: {why_not}")

    def _renew(self, options: dict[str, Any]) -> None:
        kinds = [options["kind"]] if options["kind"] else list(KINDS)
        left = sum(sum(one.others.values()) for one in renewal.progress() if one.kind in kinds)
        model = spaces.shown(spaces.current())
        self.stdout.write(f"{left:,} to be embedded with {model}")
        try:
            done = renewal.renew(kinds, tell=lambda done: self._told(done, left))
            for kind in kinds:
                embedding.try_again(KINDS[kind])
            while embedding.embed_missing():
                pass
        except EmbeddingUnavailable as error:
            raise CommandError(f"{error} What was renewed stays; run this again when the model answers.") from error
        if done is None:
            raise CommandError("Another process is renewing embeddings; see `manage.py embeddings status`.")
        self.stdout.write(f"{done:,} were embedded with {model}")

    def _told(self, done: int, left: int) -> None:
        self.stdout.write(f"{done:,} of {left:,}")
        self.stdout.flush()

    def _check(self, options: dict[str, Any]) -> None:
        model = spaces.shown(spaces.current())
        try:
            spaces.check()
        except WrongDimensions as error:
            raise CommandError(str(error)) from error
        except EmbeddingUnavailable as error:
            # It may answer later; until then what it would embed is found by its words.
            self.stderr.write(f"{model} does not answer: {error}")
        else:
            self.stdout.write(f"{model} answers")
