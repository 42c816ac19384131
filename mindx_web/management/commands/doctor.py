"""`manage.py doctor`: check the whole installation, and say what to do."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from mindx_web.doctor.examination import examine
from mindx_web.doctor.finding import Finding, Grade


class Command(BaseCommand):
    """Exit status 0: all is well; 1: something fails; 2: only warnings, and `--strict` was given."""

    help = "Check database, rights, workers, disks, keys, clock, snapshots, chains, queues; say what to do."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="one JSON document instead of lines")
        parser.add_argument("--strict", action="store_true", help="exit with status 2 when there are warnings")
        parser.add_argument("--whole-store", action="store_true", help="read every snapshot, not only a sample")

    def handle(self, *args: Any, **options: Any) -> None:
        found: list[Finding] = []
        for finding in examine(whole_store=options["whole_store"]):
            found.append(finding)
            if not options["json"]:
                self._tell(finding)
        grades = [finding.grade for finding in found]
        counts = {grade.value: grades.count(grade) for grade in Grade}
        if options["json"]:
            self.stdout.write(json.dumps({"counts": counts, "findings": [asdict(each) for each in found]}, indent=1))
        else:
            self.stdout.write(", ".join(f"{count} {grade}" for grade, count in counts.items()))
        if counts[Grade.FAIL]:
            sys.exit(1)
        if counts[Grade.WARN] and options["strict"]:
            sys.exit(2)

    def _tell(self, finding: Finding) -> None:
        style = {Grade.OK: self.style.SUCCESS, Grade.WARN: self.style.WARNING, Grade.FAIL: self.style.ERROR}
        self.stdout.write(f"{style[finding.grade](finding.grade.value.ljust(4))} {finding.check}: {finding.says}")
        if finding.do:
            self.stdout.write(f"       {finding.do}")
