"""The jail's name server: it knows the approved names, and asks no other server. Pure.

No question leaves this machine, so it cannot be used as a tunnel. The format is RFC 1035, section 4.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from ipaddress import IPv4Address

_A, _INTERNET = 1, 1
_ANSWER, _RECURSION_WANTED, _RECURSION_HAD = 0x8000, 0x0100, 0x0080
_NO_SUCH_NAME = 3
_HEAD_BYTES = 12
_NAME_OF_QUESTION = 0xC00C  # "the name at byte 12"
_MOST_NAME_BYTES = 255
# Harmless side questions: names of addresses, and unneeded service records.
_NOT_TOLD = (".arpa", ".local")


def answer(question: bytes, addresses: Mapping[str, str]) -> tuple[bytes | None, str | None]:
    """The reply to a question (None if it is not understood), and the refused name, if any."""
    asked = _asked(question)
    if asked is None:
        return None, None
    name, kind, end = asked
    (identity, flags) = struct.unpack_from("!HH", question)
    flags = _ANSWER | (flags & _RECURSION_WANTED) | _RECURSION_HAD
    address = addresses.get(name)
    if address is None:
        head = struct.pack("!6H", identity, flags | _NO_SUCH_NAME, 1, 0, 0, 0)
        return head + question[_HEAD_BYTES:end], None if name.endswith(_NOT_TOLD) else name
    found = kind == (_A, _INTERNET)
    record = struct.pack("!HHHIH", _NAME_OF_QUESTION, _A, _INTERNET, 0, 4) + IPv4Address(address).packed
    head = struct.pack("!6H", identity, flags, 1, int(found), 0, 0)
    return head + question[_HEAD_BYTES:end] + (record if found else b""), None


def _asked(question: bytes) -> tuple[str, tuple[int, int], int] | None:
    """The name in lower case, its type and class, and the end of the question; None unless there is exactly one."""
    if len(question) < _HEAD_BYTES:
        return None
    _, flags, questions = struct.unpack_from("!3H", question)
    if flags & 0xF800 or questions != 1:
        return None
    labels, at = [], _HEAD_BYTES
    while at < len(question) and question[at]:
        length = question[at]
        if length > 63:
            return None
        labels.append(question[at + 1 : at + 1 + length])
        at += 1 + length
    end = at + 5
    if end > len(question) or not labels or at - _HEAD_BYTES > _MOST_NAME_BYTES:
        return None
    name = b".".join(labels).lower().decode("ascii", "backslashreplace")
    return name, struct.unpack_from("!HH", question, at + 1), end
