"""Run as a program by `review.services.deliveries`: sends one message by apprise, and connects to nothing internal.

A hook of the interpreter sees every connection that anything here makes, so neither a redirect nor a name that means
another machine the second time leads inside. Nothing of the order is printed: an address is a secret.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import sys
from typing import Any

INTERNAL = "the address leads to an internal machine, which the operator has not allowed"
NO_ADDRESS = "this is no address that a message can be sent to"
NOT_TAKEN = "the service did not take it"
# What a service may not do here besides connecting: start programs, write to this machine's log.
_NEVER = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "syslog.openlog", "syslog.syslog")

_refused: list[str] = []


def is_internal(host: str) -> bool:
    """Whether this is no address of the public internet; what is none at all counts as internal."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return True
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    return not address.is_global or address.is_multicast


def guard(event: str, arguments: tuple[Any, ...]) -> None:
    """The hook."""
    if event in _NEVER:
        _refused.append(event)
        raise PermissionError(event)
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1] if len(arguments) > 1 else None
        # Looking names up goes to the resolver, which does not pass here: it is the C library's own.
        if address is not None and (not isinstance(address, tuple) or is_internal(str(address[0]))):
            _refused.append(event)
            raise PermissionError(event)


def main() -> int:
    """The exit status is 0 when the message was taken; otherwise a sentence is printed."""
    order = json.load(sys.stdin)
    import apprise

    logging.disable(logging.CRITICAL)
    service = apprise.Apprise()
    if not service.add(order["address"]):
        print(NO_ADDRESS)  # noqa: T201
        return 1
    if not order["internal"]:
        sys.addaudithook(guard)
    sent = service.notify(title=order["title"], body=order["body"])
    if not sent:
        print(INTERNAL if _refused else NOT_TAKEN)  # noqa: T201
    return 0 if sent else 1


if __name__ == "__main__":
    raise SystemExit(main())
