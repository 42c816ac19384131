"""Where one claim works: its own checkout of the head snapshot and a jailed session on it.

A stopped worker that wakes up again writes into a folder that nobody reads any more.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from agents.execution.lease import Lease
from agents.services.stores import checkouts, store
from sandbox.contract import Limits, Result, SessionState
from sandbox.session import Session, open_session
from sandbox.snapshots import Snapshot


@dataclass
class Desk:
    """An open session on a checkout; `head` is the snapshot that the files correspond to."""

    session: Session
    folder: Path
    head: str

    def keep(self) -> Snapshot:
        """Store the files as a snapshot, durable on disk when this returns."""
        snapshot = store().take(self.folder, previous=self.head)
        self.head = snapshot.digest
        return snapshot


@contextmanager
def open_desk(lease: Lease, head: str, state: SessionState, *, part: str = "main") -> Iterator[Desk]:
    """Check the snapshot out and open a session on it; the folder goes when the claim ends.

    Raises SandboxUnavailable when no jail of the wanted level can be had.
    """
    folder = checkouts() / f"{lease.goal_id}-{lease.fence}-{part}"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        store().checkout(head, folder)
        with open_session(folder, state, Limits(), minimum=settings.SANDBOX_MIN) as session:
            yield Desk(session, folder, head)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_stale_checkouts(goal_id: int, fence: int) -> None:
    """Remove what dead claims of this goal left behind."""
    for folder in checkouts().glob(f"{goal_id}-*"):
        if not folder.name.startswith(f"{goal_id}-{fence}-"):
            shutil.rmtree(folder, ignore_errors=True)


def summary_of(result: Result) -> str:
    """One line about a result for the log."""
    if "return_code" in result.data:
        text = f"exit code {result.data['return_code']} after {result.duration_s:.2f} s"
    else:
        text = str(result.data.get("message") or result.status.lower())
    if result.limit:
        text += f", stopped at its limit of {result.limit}"
    if not result.ok and result.reason:
        text += f": {result.reason}"
    return text
