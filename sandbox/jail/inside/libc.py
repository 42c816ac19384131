"""The few calls of the C library that Python does not have.

Made of what `ctypes` itself is made of: importing the whole of it would cost every session's start 3 ms.
"""

from __future__ import annotations

import _ctypes
import os


class _Int(_ctypes._SimpleCData):  # type: ignore[type-arg]  # takes no argument when it runs
    _type_ = "i"


class _Function(_ctypes.CFuncPtr):
    """A function that answers an int and leaves errno. It takes ints, and bytes as pointers to them."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = _Int


_library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # None: this program itself


def function(name: str) -> _Function:
    return _Function(_ctypes.dlsym(_library, name))


def failure() -> OSError:
    """What the last call that failed left in errno."""
    number = _ctypes.get_errno()
    return OSError(number, os.strerror(number))


prctl = function("prctl")
syscall = function("syscall")
