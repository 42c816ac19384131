"""The files a plan was made on: paths and contents of its base snapshot."""

from __future__ import annotations

from functools import cache

from agents.bdi.forecast.walk import BaseEntry
from agents.bdi.plans.misnamed import MOST_BYTES, Beginning, Reader
from agents.record.errors import AgentsError
from agents.workspaces.stores import store
from sandbox.contract import SandboxError


class BaseUnreadable(AgentsError):
    """The snapshot a plan was made on cannot be read, so nothing can be said about today's files."""


def entries_of(snapshot: str) -> list[BaseEntry]:
    """Everything in the snapshot. Names that are not UTF-8 come with surrogate escapes. Raises BaseUnreadable."""
    try:
        return [
            BaseEntry(entry.path.decode("utf-8", "surrogateescape"), entry.kind, entry.size)
            for entry in store().entries(snapshot)
        ]
    except (KeyError, SandboxError, OSError) as error:
        raise BaseUnreadable(f"the snapshot {snapshot[:8]} cannot be read") from error


def content_of(snapshot: str, path: str, at_most_bytes: int) -> bytes | None:
    """A file's bytes; None when there is no such file, it cannot be read, or it is larger than `at_most_bytes`."""
    try:
        with store().open(snapshot, path.encode("utf-8", "surrogateescape")) as file:
            content = file.read(at_most_bytes + 1)
    except (KeyError, SandboxError, OSError):
        return None
    return content if len(content) <= at_most_bytes else None


def beginnings_in(snapshot: str) -> Reader:
    """Reads the beginnings of the snapshot's files, each once."""

    @cache
    def read(path: str) -> Beginning | None:
        try:
            with store().open(snapshot, path.encode("utf-8", "surrogateescape")) as file:
                data = file.read(MOST_BYTES + 1)
        except (KeyError, SandboxError, OSError):
            return None
        return Beginning(data[:MOST_BYTES], len(data) <= MOST_BYTES)

    return read
