"""One of a thing in each process, made by whichever thread asks first."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Holds what `make` returns, from the first time that it is asked for; a forked child makes its own."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: T | None = None
        os.register_at_fork(after_in_child=self._begin_anew)

    def get(self) -> T:
        """What this process has."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def forget(self) -> None:
        """Have it made anew. For tests."""
        self._made = None

    def _begin_anew(self) -> None:
        """A forked child has none of the threads that a model's sessions count on, and perhaps a held lock.

        What there was is given up and not taken down: that would wait for those threads, which do not exist here, for
        ever.
        """
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._made))
        self._lock, self._made = threading.Lock(), None
