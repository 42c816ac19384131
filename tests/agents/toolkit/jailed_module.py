"""Stands for a module whose whole source is handed into the jail."""

from __future__ import annotations

from typing import Any


def main(params: dict[str, Any]) -> dict[str, Any]:
    """What the jail calls."""
    return {"count": len(params)}
