"""Whether this process may wait for a language model, or for anything else on the network.

The processes of a worker may not: there are few of them, and approved plans would wait behind a silent provider. Work
that comes to a question there ends with `NotHere` before anything is sent, and is done again from its beginning in the
background pool, whose threads may wait. Every other process (web, scripts, tests) may.
"""

from __future__ import annotations

_may = True


class NotHere(BaseException):
    """This work has to go on in the background pool. No error: what catches those must let it pass, as `SystemExit`."""


def forbid() -> None:
    """From now on nothing in this process waits for the network."""
    global _may
    _may = False


def allow() -> None:
    """The opposite of `forbid`: for the pool, which is forked from a worker, and for tests."""
    global _may
    _may = True


def here() -> bool:
    """Whether this process may wait."""
    return _may


def check() -> None:
    """Raises NotHere where this process may not wait."""
    if not _may:
        raise NotHere
