"""A shared store of immutable objects, as the snapshot store asks it; `sandbox.store.s3` is the one there is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from sandbox.contract import SandboxError


class StoreUnavailable(SandboxError):
    """The shared snapshot store did not do what it was asked, after several tries."""


@dataclass(frozen=True)
class Stored:
    """An object: its name, its size in bytes and when it was last written (seconds since the epoch, their clock)."""

    name: str
    size_bytes: int
    at: float


class Objects(Protocol):
    """Objects by name. An object is there whole or not at all. Every method may raise StoreUnavailable."""

    # How people call this store: its address without anything secret.
    address: str

    def put(self, name: str, source: BinaryIO) -> None:
        """Stores an object, over one of this name; whoever asks afterwards gets it."""

    def get(self, name: str, target: BinaryIO) -> float:
        """Writes an object's bytes to `target`; when it was stored. Raises KeyError when there is none."""

    def find(self, name: str) -> Stored | None:
        """What is known of an object, or None."""

    def listed(self, prefix: str) -> Iterator[Stored]:
        """Every object whose name begins so."""

    def remove(self, name: str) -> None:
        """Removes an object; nothing happens when it is not there."""


class Turns(Protocol):
    """Who may touch the shared store at one time, over all machines: any number of writers, or one who removes."""

    def writing(self) -> AbstractContextManager[None]:
        """Held from the first look at what is there until the manifest is stored."""

    def removing(self, wait_s: float) -> AbstractContextManager[None]:
        """Held while names are removed. Raises StoreBusy."""
