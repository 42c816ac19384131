"""What a process beside the worker shows of itself: its name, that it is alive, and that it ends with the worker."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import threading
import time

from mindx_web.supervisor.launch import PR_SET_PDEATHSIG

_PR_SET_NAME = 15
_COUNTER = struct.Struct("q")


class Pulse:
    """A counter in memory that two processes share: one beats, the other one looks.

    It lies behind a file descriptor, so that it outlives `exec`: `number` is the same in a process that was forked and
    in what that process executes, if it is made inheritable.
    """

    def __init__(self, number: int | None = None) -> None:
        if number is None:
            number = os.memfd_create("pulse")
            os.ftruncate(number, _COUNTER.size)
        self.number = number
        self._memory = mmap.mmap(number, _COUNTER.size)

    def count(self) -> int:
        """How often it has beaten."""
        return int(_COUNTER.unpack(self._memory[:])[0])

    def beat(self) -> None:
        """Say that this process is alive."""
        self._memory[:] = _COUNTER.pack(self.count() + 1)

    def beat_for_ever(self, every_s: float = 1.0) -> None:
        """From a thread of its own: for a process whose main thread waits elsewhere."""

        def beat() -> None:
            while True:
                self.beat()
                time.sleep(every_s)

        threading.Thread(target=beat, name="pulse", daemon=True).start()


def show_name(name: str) -> None:
    """Set what `ps -o comm` shows of this process."""
    ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def end_with_parent(signal_number: int) -> None:
    """Have the kernel send this signal when the parent ends; it stays so after `exec`."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
