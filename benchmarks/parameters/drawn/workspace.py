"""The workspace a command is said in: files by kind, folders and notes, drawn by chance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

STEMS = (
    "invoice",
    "harbour",
    "ledger",
    "weather",
    "parser",
    "billing",
    "orders",
    "harvest",
    "travel",
    "budget",
    "roster",
    "survey",
    "kitchen",
    "museum",
)
_SECOND = ["report", "loader", "summary", "index", "model", "view", "export", "import", "table", "draft"]
_FOLDERS = ["lib", "docs", "data", "assets", "archive", "reports", "services", "web", "config", "samples"]
_CODE, _PROSE, _DATA = ("py",), ("md", "txt"), ("csv", "json", "ini", "yaml")


@dataclass(frozen=True)
class World:
    """A drawn workspace: files by kind, and its folders."""

    code: tuple[str, ...]
    prose: tuple[str, ...]
    data: tuple[str, ...]
    folders: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def files(self) -> tuple[str, ...]:
        return self.code + self.prose + self.data

    @property
    def entries(self) -> tuple[tuple[str, str], ...]:
        notes = tuple(f"notes/{name}.md" for name in self.notes)
        return tuple((path, "file") for path in (*self.files, *notes)) + tuple((path, "dir") for path in self.folders)


def world(rng: random.Random) -> World:
    """Files with names that differ enough for one of them to be meant."""
    stems = rng.sample(STEMS, 9)
    folders = rng.sample(_FOLDERS, 4)

    def place(stem: str, endings: Sequence[str]) -> str:
        joined = stem if rng.random() < 0.5 else f"{stem}{rng.choice('_-')}{rng.choice(_SECOND)}"
        folder = rng.choice(("", *folders))
        return f"{folder}/{joined}.{rng.choice(endings)}".lstrip("/")

    return World(
        tuple(place(stem, _CODE) for stem in stems[:3]),
        tuple(place(stem, _PROSE) for stem in stems[3:6]),
        tuple(place(stem, _DATA) for stem in stems[6:]),
        tuple(folders),
        tuple(rng.sample(("groceries", "retrospective", "wishes", "phone"), 2)),
    )
