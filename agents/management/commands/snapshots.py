"""`manage.py snapshots verify | repair | upload | prune`: look after the store of snapshots."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.presentation import hidden
from agents.workspaces import file_paths, snapshot_maintenance, snapshot_references
from sandbox.store.blobs import DamagedStore
from sandbox.store.objects import StoreUnavailable
from sandbox.store.prune import DAY_S, Policy
from sandbox.store.store_lock import StoreBusy
from sandbox.store.verify import Damage


class Command(BaseCommand):
    """Exit code 1 says that something is damaged, or that the store could not be pruned."""

    help = "Verify, repair or prune the snapshots of workspaces."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("verify", help="Check every manifest and every content.")
        repair = actions.add_parser("repair", help="Repair missing contents from checkouts and other folders.")
        repair.add_argument("--from", dest="folders", action="append", type=Path, default=[], metavar="FOLDER")
        actions.add_parser("upload", help="Copy the snapshots of this machine's data folder into the shared store.")
        prune = actions.add_parser("prune", help="Remove snapshots that are no longer needed.")
        usual = Policy()
        prune.add_argument("--older-than", type=_days, default=usual.older_than_s / DAY_S, metavar="DAYS")
        prune.add_argument("--keep-bytes", type=_bytes, metavar="N", help="remove the oldest history above N bytes")
        prune.add_argument("--dry-run", action="store_true", help="only show what would be removed")

    def handle(self, *args: Any, **options: Any) -> None:
        match options["action"]:
            case "verify":
                self._verify()
            case "repair":
                self._repair(options["folders"])
            case "upload":
                self._upload()
            case "prune":
                self._prune(Policy(options["older_than"] * DAY_S, options["keep_bytes"]), options["dry_run"])

    def _verify(self) -> None:
        found = snapshot_maintenance.verify()
        self.stdout.write(
            f"{found.manifests:,} snapshots with {found.contents:,} contents of {found.size_bytes:,} bytes."
        )
        self._tell(found.damages)
        if found.damages:
            raise CommandError(f"{len(found.damages)} parts are damaged or missing. Try `snapshots repair`.")
        self.stdout.write("Nothing is missing.")

    def _repair(self, folders: list[Path]) -> None:
        missing = [folder for folder in folders if not folder.is_dir()]
        if missing:
            raise CommandError(f"{missing[0]} is no folder.")
        result = snapshot_maintenance.repair(folders)
        for each in result.mended:
            self.stdout.write(f"Brought back: {each.part} {each.name}")
        self._tell(result.left)
        if result.left:
            raise CommandError(f"{len(result.left)} parts could not be repaired: no folder here holds them.")
        self.stdout.write("Nothing is missing.")

    def _upload(self) -> None:
        try:
            number = snapshot_maintenance.upload()
        except (DamagedStore, StoreUnavailable, snapshot_maintenance.NotShared) as error:
            raise CommandError(f"{error}.") from error
        self.stdout.write(f"{number:,} snapshots of this machine are in the shared store.")

    def _prune(self, policy: Policy, dry_run: bool) -> None:
        try:
            gone = snapshot_maintenance.prune(policy, dry_run=dry_run)
        except (DamagedStore, StoreBusy, StoreUnavailable) as error:
            raise CommandError(f"No content was removed: {error}.") from error
        self.stdout.write(
            f"{'Would remove' if dry_run else 'Removed'} {len(gone.snapshots):,} snapshots, {gone.contents:,} contents"
            f" of {gone.freed_bytes:,} bytes and {gone.leftovers:,} left-overs; {gone.kept_bytes:,} bytes stay."
        )

    def _tell(self, damages: Iterable[Damage]) -> None:
        users = snapshot_references.in_words({digest for each in damages for digest in each.snapshots})
        for each in damages:
            self.stdout.write(f"{each.part} {each.name} is {each.what}")
            for path in each.paths:
                self.stdout.write(f"  file {hidden.visible_text(file_paths.to_text(path))}")
            for digest in each.snapshots:
                for words in users[digest] or ["needed by nothing that runs"]:
                    self.stdout.write(f"  snapshot {digest[:12]}: {words}")
            if not each.snapshots:
                self.stdout.write("  no snapshot needs it")


def _days(text: str) -> float:
    days = float(text)
    if not 0 <= days < 1e6:
        raise argparse.ArgumentTypeError("a number of days, 0 or more")
    return days


def _bytes(text: str) -> int:
    count = int(text)
    if count < 0:
        raise argparse.ArgumentTypeError("a number of bytes, 0 or more")
    return count
