"""Machines as network namespaces on one bridge: each has an address of its own, and its link can be cut.

A process or a thread that is started `inside` a machine stays in there. Needs root.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HUB = "10.77.0.1"
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


class Network:
    """The bridge in the namespace of the hub, and machines at 10.77.0.2 and following."""

    def __init__(self, *machines: str) -> None:
        self._mark = f"mx{os.getpid()}"
        self.machines = {name: f"10.77.0.{number}" for number, name in enumerate(machines, start=2)}

    def lay(self) -> None:
        """Make all of it. Skips the test where this machine forbids it."""
        if os.geteuid() != 0:
            pytest.skip("network namespaces need root")
        try:
            _ip("netns", "add", self._name("hub"))
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no network namespaces here: {error}")
        self._in("hub", "link", "set", "lo", "up")
        self._in("hub", "link", "add", "br0", "type", "bridge")
        self._in("hub", "address", "add", f"{HUB}/24", "dev", "br0")
        self._in("hub", "link", "set", "br0", "up")
        for name, address in self.machines.items():
            _ip("netns", "add", self._name(name))
            self._in(
                "hub", "link", "add", f"to-{name}", "type", "veth", "peer", "name", "up0", "netns", self._name(name)
            )
            self._in("hub", "link", "set", f"to-{name}", "master", "br0", "up")
            self._in(name, "link", "set", "lo", "up")
            self._in(name, "address", "add", f"{address}/24", "dev", "up0")
            self._in(name, "link", "set", "up0", "up")

    def remove(self) -> None:
        """Take all of it away."""
        for name in ("hub", *self.machines):
            subprocess.run(["ip", "netns", "delete", self._name(name)], capture_output=True, check=False)

    def cut(self, name: str) -> None:
        """Nothing reaches the machine or comes from it any more, and nobody is told."""
        self._in("hub", "link", "set", f"to-{name}", "down")

    def join(self, name: str) -> None:
        """The link is there again."""
        self._in("hub", "link", "set", f"to-{name}", "up")

    @contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """This thread, and what it starts, is on that machine."""
        before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open(Path("/run/netns") / self._name(name), os.O_RDONLY)
        try:
            _enter(there)
            yield
        finally:
            _enter(before)
            os.close(before)
            os.close(there)

    def _name(self, name: str) -> str:
        return f"{self._mark}-{name}"

    def _in(self, name: str, *words: str) -> None:
        _ip("-n", self._name(name), *words)


def _enter(descriptor: int) -> None:
    if _libc.setns(descriptor, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], capture_output=True, text=True, check=True)


@contextmanager
def network(*machines: str) -> Iterator[Network]:
    """Machines of these names, and this thread on the hub."""
    found = Network(*machines)
    try:
        found.lay()
        with found.inside("hub"):
            yield found
    finally:
        found.remove()
