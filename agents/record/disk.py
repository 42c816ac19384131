"""A full disk, told from other errors. Nobody's step is to blame for it, and it passes when somebody makes room."""

from __future__ import annotations

import errno
from collections.abc import Iterator

from django.db import DatabaseError

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
# What Postgres says when it cannot write (SQLSTATE).
_DISK_FULL = "53100"


def is_full(error: BaseException | None) -> bool:
    """Whether a full disk, ours or the database's, is behind this error."""
    return any(has_no_room(each) for each in causes(error))


def has_no_room(error: BaseException) -> bool:
    """Whether this very error says that a disk is full."""
    if isinstance(error, DatabaseError):
        return str(getattr(error.__cause__, "sqlstate", None) or "") == _DISK_FULL
    return isinstance(error, OSError) and error.errno in _NO_ROOM


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what stands behind it, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
