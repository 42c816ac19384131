"""Run as a program by `review.notices.deliveries`: sends one message by apprise, and connects to nothing internal.

A hook of the interpreter sees every connection of this process, so neither a redirect nor a name that resolves to
another machine the second time leads inside. It also sees every opened file, because an option of an address can name
one. Nothing from the order is printed, because an address is a secret.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

# As a program this runs alone: without our environment, and without the project's folder in its path.
sys.path.append(str(Path(__file__).resolve().parents[2]))

from review.notices.addresses import is_allowed  # after the path
from sandbox.gate.internet import is_on_the_internet

INTERNAL = "the address leads to an internal machine, which the operator has not allowed"
NO_ADDRESS = "this is no address that a message can be sent to"
NOT_TAKEN = "the service rejected the message"
# What a service may not do here besides connecting: start programs, write to this machine's log.
_NEVER = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "syslog.openlog", "syslog.syslog")

_refused: list[str] = []


# Files that Python and its packages open themselves, and those for resolving names and checking servers.
_PYTHONS = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), sysconfig.get_path("purelib"))
_OWN_FILES = tuple(f"{os.path.realpath(path)}{os.sep}" for path in (*_PYTHONS, "/etc/ssl", "/usr/share/zoneinfo"))
_OWN_FILE = frozenset({"/etc/hosts", "/etc/resolv.conf", "/etc/mime.types", "/dev/null", "/dev/urandom"})


def may_open(path: object) -> bool:
    """Whether the sender may open this: a file of Python's own, or one that is already open."""
    if isinstance(path, int):
        return True
    real = os.path.realpath(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else ""
    return real in _OWN_FILE or real.startswith(_OWN_FILES)


def no_files(event: str, arguments: tuple[Any, ...]) -> None:
    """The hook about files."""
    if event == "open" and not may_open(arguments[0]):
        raise PermissionError(event)


def guard(event: str, arguments: tuple[Any, ...]) -> None:
    """The hook about connections."""
    if event in _NEVER:
        _refused.append(event)
        raise PermissionError(event)
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1] if len(arguments) > 1 else None
        # Name lookups use the C library's resolver, which this hook does not see.
        if address is not None and (not isinstance(address, tuple) or not is_on_the_internet(str(address[0]))):
            _refused.append(event)
            raise PermissionError(event)


def main() -> int:
    """The exit status is 0 if the message was accepted; otherwise a sentence is printed."""
    order = json.load(sys.stdin)
    import apprise

    logging.disable(logging.CRITICAL)
    sys.addaudithook(no_files)
    # Check again that it is allowed: it may be older than the list, or changed in the database.
    service = apprise.Apprise.instantiate(order["address"]) if is_allowed(order["address"]) else None
    sender = apprise.Apprise()
    if service is None or not sender.add(service):
        print(NO_ADDRESS)  # noqa: T201
        return 1
    if not order["internal"]:
        sys.addaudithook(guard)
    sent = sender.notify(title=order["title"], body=order["body"])
    if not sent:
        print(INTERNAL if _refused else NOT_TAKEN)  # noqa: T201
    return 0 if sent else 1


if __name__ == "__main__":
    raise SystemExit(main())
