"""A program that looks for markers in all it can read and reach. Standard library only, because it runs in jails.

`python search.py ORDER`: a JSON file with the markers spelled backwards (or the search would find itself), the
folders to walk and the sockets to try. Prints JSON: what was found where, which sockets answered, how many files
were read.
"""

# ruff: noqa: PTH118
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import json
import os
import socket
import stat
import sys

_MOST_BYTES = 32 << 20  # a whole file of a database's log
_SKIPPED = ("/usr", "/proc/sys", "/proc/bus", "/proc/irq", "/proc/fs")


def main() -> None:
    with open(sys.argv[1]) as file:
        order = json.load(file)
    markers = [each[::-1].encode() for each in order["backwards"]]
    found, read = set(), 0
    for folder in order["folders"]:
        for path in _files(folder):
            content = _content(path)
            read += bool(content)
            found |= {(number, path) for number, each in enumerate(markers) if each in content or each in path.encode()}
    answered = [address for address in order["sockets"] if _answers(address)]
    sys.stdout.write(json.dumps({"found": sorted(found), "answered": answered, "read": read}))


def _files(top: str) -> list[str]:
    paths = []
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != "task" and os.path.join(folder, name) not in _SKIPPED]
        paths += [os.path.join(folder, name) for name in names]
    return paths


def _content(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _MOST_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _answers(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as there:
        try:
            there.connect(address)
        except OSError:
            return False
        return True


main()
