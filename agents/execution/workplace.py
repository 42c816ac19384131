"""Where one claim works: its own checkout of the head snapshot and a jailed session on it, both from the first step
that asks something of a jail.

A stopped worker that wakes up again writes into a folder that nobody reads any more.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from agents.bdi.recovery.recovery import Failure
from agents.record.errors import AgentsError
from agents.record.lease import Lease
from agents.workspaces.stores import checkouts, store
from sandbox.contract import Limits, Result, SessionState
from sandbox.sessions.session import Session, open_session
from sandbox.store.snapshots import SnapshotRefused


class WouldEndPrograms(AgentsError):
    """The step needs another jail, and started programs live in this one."""


class Checkout:
    """The folder of one claim, which holds the snapshot from the first time that something is asked of a jail.

    `is_missing`: it could not be laid out, so nothing has run in it.
    """

    def __init__(self, name: str, head: str) -> None:
        self.folder = checkouts() / name
        self.is_missing = False
        # When it had been laid out, by the clock of the file system's times.
        self.laid_ns = 0
        self._head = head
        self._is_begun = False

    def lay_out(self) -> None:
        """Make it what the snapshot says, once. Raises whatever a store raises that cannot give it."""
        if self._is_begun and not self.is_missing:
            return
        self._is_begun = self.is_missing = True
        if os.path.lexists(self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)
        store().checkout(self._head, self.folder)
        self.laid_ns = time.time_ns()
        self.is_missing = False

    def remove(self) -> None:
        """Remove what was laid out, half of one too."""
        if self._is_begun:
            _remove(self.folder)


@dataclass
class Desk:
    """An open session on a checkout; `head` is the snapshot that the files correspond to."""

    session: Session
    checkout: Checkout
    head: str
    limits: Limits
    jail: ExitStack
    hosts: tuple[str, ...] = ()
    minimum: str | None = None
    # What an earlier session wrote here was not kept, for its step had failed.
    is_unlike_head: bool = False

    def under(self, limits: Limits, hosts: tuple[str, ...]) -> None:
        """Give what runs next these ceilings and hosts: a jail's are fixed when it starts, so other ones take another.

        Raises SandboxUnavailable when that cannot be had, WouldEndPrograms when it would end what was started.
        """
        if (limits, hosts) == (self.limits, self.hosts):
            return
        if self.session.living:
            names = ", ".join(self.session.living)
            raise WouldEndPrograms(f"it needs another sandbox than {names}, which is running; stop it before this step")
        state = self.session.state
        self.is_unlike_head = self.is_unlike_head or self.session.may_have_written
        self.jail.close()
        self.session = self.jail.enter_context(_session(self.checkout, state, limits, hosts, self.minimum))
        self.limits, self.hosts = limits, hosts

    def keep(self, *, may_change: bool = True) -> None:
        """Store the files as a snapshot, `head`, durable on disk when this returns.

        Not looked at again when nothing can have written since the last time. Raises SnapshotRefused above the
        limits, when a started program did not hold still meanwhile, and for files that differ though they may not.
        """
        if not (self.session.may_have_written or self.is_unlike_head):
            return
        with self.session.still():
            snapshot = store(self.limits).take(self.checkout.folder, previous=self.head)
        if not may_change and snapshot.digest != self.head and not self.is_unlike_head:
            self.is_unlike_head = True
            raise SnapshotRefused("it says that it changes no file, but it changed some; the changes are discarded")
        self.session.looked_at()
        self.head, self.is_unlike_head = snapshot.digest, False


def _session(
    checkout: Checkout, state: SessionState, limits: Limits, hosts: tuple[str, ...], minimum: str | None
) -> AbstractContextManager[Session]:
    wanted, lay_out = minimum or settings.SANDBOX_MIN, checkout.lay_out
    return open_session(
        checkout.folder, state, limits, minimum=wanted, hosts=hosts, jail_when_needed=True, lay_out=lay_out
    )


@contextmanager
def open_desk(
    lease: Lease,
    head: str,
    state: SessionState,
    limits: Limits,
    hosts: tuple[str, ...] = (),
    *,
    part: str = "main",
    minimum: str | None = None,
) -> Iterator[Desk]:
    """Open a session on a checkout of the snapshot, as the first step needs it; the folder goes with the claim.

    `minimum` is as for `open_desk_in`. Raises SandboxUnavailable when no jail of the wanted level can be had.
    """
    with open_desk_in(f"{lease.goal_id}-{lease.fence}-{part}", head, state, limits, hosts, minimum) as desk:
        yield desk


@contextmanager
def open_desk_in(
    name: str,
    head: str,
    state: SessionState,
    limits: Limits,
    hosts: tuple[str, ...] = (),
    minimum: str | None = None,
) -> Iterator[Desk]:
    """As `open_desk`, in a checkout of this name, which no other claim may have.

    `minimum` is the level that the jail must have, by default the operator's.
    """
    checkout = Checkout(name, head)
    try:
        with ExitStack() as jail:
            session = jail.enter_context(_session(checkout, state, limits, hosts, minimum))
            yield Desk(session, checkout, head, limits, jail, hosts, minimum)
    finally:
        checkout.remove()


def _remove(folder: Path) -> None:
    try:
        folder.rmdir()  # an empty one, at a tenth of the cost
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def remove_stale_checkouts(goal_id: int, fence: int) -> None:
    """Remove what dead claims of this goal left behind."""
    for folder in os.scandir(checkouts()):
        if folder.name.startswith(f"{goal_id}-") and not folder.name.startswith(f"{goal_id}-{fence}-"):
            shutil.rmtree(folder.path, ignore_errors=True)


def summary_of(result: Result, failure: Failure | None = None) -> str:
    """One line about a result for the log; a failed step's own reason says which limit it reached."""
    if "return_code" in result.data:
        text = f"exit code {result.data['return_code']} after {result.duration_s:.2f} s"
    else:
        text = str(result.data.get("message") or result.status.lower())
    if failure is not None and (result.limit or result.ok):
        text += f": {failure.reason}"
    elif not result.ok and result.reason:
        text += f": {result.reason}"
    return text
