"""mindX with a program in every step: `true`, in a jail of the level that everyday plans get."""

from __future__ import annotations

from benchmarks.durable import ours


class Lane(ours.Lane):
    """As `ours`, with another step."""

    step = ("run", {"command_line": "true"})
