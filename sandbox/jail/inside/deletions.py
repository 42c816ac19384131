"""Which paths the programs that live on may not delete while autonomous mode is off."""

from __future__ import annotations

from .survey import Survey, deleted

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable


class Deletions:
    """What was there before the first of them was started, and what commands have made and removed since.

    What programs have made since counts as theirs, because it is unknown which of them made it. Paths are compared
    while the programs are stopped.
    """

    def __init__(self, look: Callable[[], Survey]) -> None:
        self._look = look
        self._kept: Survey | None = None
        self._now: Survey | None = None

    def begin(self, watched: bool) -> None:
        """A program is about to be started."""
        if watched and self._kept is None:
            self._kept = self._look()

    def forget(self) -> None:
        """None of them is alive any more."""
        self._kept = None

    def found(self, watched: bool) -> list[bytes]:
        """What was deleted since the last comparison; empty if deleting is allowed. Current paths are the new base."""
        if self._kept is None:
            return []
        self._now = self._look()
        if not watched:
            self._kept = self._now
            return []
        gone = deleted(self._kept, self._now)
        self._kept.paths -= set(gone)
        return gone

    def keep_up(self) -> None:
        """A command has changed files since `found`: what it made is protected, what it deleted no longer is."""
        if self._kept is None or self._now is None:
            return
        after = self._look()
        self._kept.paths |= after.paths - self._now.paths
        self._kept.paths -= self._now.paths - after.paths

    def kept_of(self, before: Survey | None) -> Survey | None:
        """The paths from before a `run` that its program may not delete."""
        if before is not None and self._kept is not None:
            before.paths &= self._kept.paths
        return before
