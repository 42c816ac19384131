"""The interface of a shared store of immutable objects; `sandbox.store.s3` implements it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from sandbox.contract import SandboxError


class StoreUnavailable(SandboxError):
    """The shared snapshot store failed, after several tries."""


@dataclass(frozen=True)
class Stored:
    """An object: its name, its size in bytes and when it was last written (seconds since the epoch, their clock)."""

    name: str
    size_bytes: int
    at: float


class Objects(Protocol):
    """Objects by name. An object exists completely or not at all. Every method may raise StoreUnavailable."""

    # The store's name for people: its address without secrets.
    address: str

    def put(self, name: str, source: BinaryIO) -> None:
        """Stores an object, replacing one of this name; later reads get it."""

    def get(self, name: str, target: BinaryIO) -> float:
        """Writes an object's bytes to `target`; when it was stored. Raises KeyError when there is none."""

    def find(self, name: str) -> Stored | None:
        """What is known of an object, or None."""

    def listed(self, prefix: str) -> Iterator[Stored]:
        """Every object whose name has this prefix."""

    def remove(self, name: str) -> None:
        """Removes an object, if it exists."""


class Turns(Protocol):
    """Who may use the shared store at one time, on all machines: any number of writers, or one remover."""

    def writing(self) -> AbstractContextManager[None]:
        """Held from the first check of existing contents until the manifest is stored."""

    def removing(self, wait_s: float) -> AbstractContextManager[None]:
        """Held while names are removed. Raises StoreBusy."""
