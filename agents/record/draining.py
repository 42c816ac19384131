"""A worker that is told to stop: its step is finished and recorded, the rest of the plan is another worker's.

The process that gets the signal is not the one that runs the step, and no broker may be needed to tell it: one byte of
memory is shared by the worker and the processes that it forks. It is 1 when no further step may begin, 2 when the one
that runs must end too; then it starts again from its snapshot, elsewhere.
"""

from __future__ import annotations

import mmap

_FINISH, _END = 1, 2
# Anonymous and shared: children that are forked later see it as well.
_shared = mmap.mmap(-1, 1)


def finish() -> None:
    """Begin no further step in any process of this worker."""
    _shared[0] = max(_shared[0], _FINISH)


def end() -> None:
    """End the steps that run, too."""
    _shared[0] = _END


def forget() -> None:
    """Work as if nobody had asked to stop: for a worker that starts, and for tests."""
    _shared[0] = 0


def is_asked() -> bool:
    """Whether no further step may begin here."""
    return _shared[0] >= _FINISH


def is_urgent() -> bool:
    """Whether the step that runs must end."""
    return _shared[0] >= _END
