"""`manage.py entail FILE.jsonl`: whether hypotheses follow from premises, by all stages of the cascade."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.beliefs import entailment_model
from agents.rules.cascade import Answer, Judge, answers
from library.language.entailment import model

# So many lines are judged together; results appear after each of these.
TOGETHER = 256


@dataclass(frozen=True)
class BadLine:
    """The number of a line, from 1, and what is wrong with it."""

    line: int
    error: str


Row = tuple[str, str] | BadLine


class Command(BaseCommand):
    """One line of JSON out for each line in, in order. Exit code 1: a line could not be read, or the file not."""

    help = "Judge pairs of sentences, one {premise, hypothesis} per line; “-” reads standard input."
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="JSON lines with premise and hypothesis, or - for standard input")
        parser.add_argument("--structured", action="store_true", help="ask the structured matcher only")
        parser.add_argument(
            "--environment", action="store_true", help="the premises come from a text environment (docs/entailment.md)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        judges = () if options["structured"] else self._model(in_environment=options["environment"])
        bad = 0
        try:
            with open(0 if options["file"] == "-" else Path(options["file"]), "rb") as lines:
                numbered = enumerate(lines, start=1)
                while some := list(islice(numbered, TOGETHER)):
                    rows = [read(line, number) for number, line in some if line.strip()]
                    bad += sum(isinstance(row, BadLine) for row in rows)
                    for said in judged(rows, judges):
                        self.stdout.write(json.dumps(said, ensure_ascii=False))
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error}") from error
        if bad:
            self.stderr.write(f"{bad} {'line' if bad == 1 else 'lines'} could not be read.")
            sys.exit(1)

    def _model(self, *, in_environment: bool) -> tuple[Judge, ...]:
        if reason := model.why_unavailable():
            self.stderr.write(f"The structured matcher decides alone. {reason}")
            return ()
        return entailment_model.shipped(in_environment=in_environment)


def read(line: bytes, number: int) -> Row:
    """The pair that a line holds, or what is wrong with it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return BadLine(number, "no JSON")
    if not isinstance(row, dict):
        return BadLine(number, "no JSON object")
    for name in ("premise", "hypothesis"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            return BadLine(number, f"no text as its {name}")
    return row["premise"], row["hypothesis"]


def judged(rows: Sequence[Row], judges: Sequence[Judge] = ()) -> Iterator[dict[str, Any]]:
    """What is printed for each row, in order."""
    found = iter(answers([row for row in rows if not isinstance(row, BadLine)], judges))
    for row in rows:
        yield asdict(row) if isinstance(row, BadLine) else _said(next(found))


def _said(answer: Answer) -> dict[str, Any]:
    return {
        "label": answer.label,
        "score": round(answer.score, 4),
        "stage": answer.stage,
        "holds": answer.holds,
        "reason": answer.reason,
    }
