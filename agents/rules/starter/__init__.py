"""The rules that mindX begins with, as readable files: `*.rule`, one subject each."""

from __future__ import annotations

from importlib import resources


def starter_files() -> list[tuple[str, str]]:
    """Return (file name, text) of every starter file, by name."""
    files = [file for file in resources.files(__name__).iterdir() if file.name.endswith(".rule")]
    return [(file.name, file.read_text(encoding="utf-8")) for file in sorted(files, key=lambda file: file.name)]
