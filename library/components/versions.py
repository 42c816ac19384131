"""Semantic versions of components (pure)."""

from __future__ import annotations

import re

FIRST = "1.0.0"
_FORM = re.compile(r"(\d+)\.(\d+)\.(\d+)\Z")


def parts(version: str) -> tuple[int, int, int]:
    """Return (major, minor, patch); ValueError for anything else."""
    found = _FORM.match(version)
    if found is None:
        raise ValueError(f"{version!r} is not a version such as 1.4.0")
    major, minor, patch = (int(number) for number in found.groups())
    return major, minor, patch


def next_minor(existing: list[str]) -> str:
    """Return the version after the highest of these; the first one when there is none."""
    if not existing:
        return FIRST
    major, minor, _ = max(parts(version) for version in existing)
    return f"{major}.{minor + 1}.0"
