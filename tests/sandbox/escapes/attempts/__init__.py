"""The table of attempts to get out, and the program that makes them: standard library only, because it runs in jails.

Outside each attempt gets what it wants, or it would prove nothing; what the jail does is in the row.
"""

from __future__ import annotations

from . import kernel, network, paths, processes, resources

ROWS = [*paths.ROWS, *processes.ROWS, *network.ROWS, *kernel.ROWS, *resources.ROWS]
