"""Which paths the programs that live on have to leave where they are while autonomous mode is off."""

from __future__ import annotations

from .survey import Survey, deleted

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable


class Deletions:
    """What was there before the first of them was started, and what commands have made and removed since.

    What programs have made since is theirs: which of them made it is not to be seen. All looks are taken while they
    are held still.
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
        """None of them lives any more."""
        self._kept = None

    def found(self, watched: bool) -> list[bytes]:
        """What has gone since the last look; nothing when nobody minds, from then on what is there now is kept."""
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
        """A command has worked on files since `found`: what it made is kept, what it took away is not."""
        if self._kept is None or self._now is None:
            return
        after = self._look()
        self._kept.paths |= after.paths - self._now.paths
        self._kept.paths -= self._now.paths - after.paths

    def kept_of(self, before: Survey | None) -> Survey | None:
        """The paths that a program which is waited for may not have deleted, of those there were before it."""
        if before is not None and self._kept is not None:
            before.paths &= self._kept.paths
        return before
