"""What the tools that look at code have in common: the program in the jail, and how its parameters are described."""

from __future__ import annotations

from typing import Any

from agents.toolkit.describing import number, path
from agents.toolkit.limits import BOUNDS

KIT = "analysis"
# Where a number is said that is no time by itself.
SAID_TIME = "timeout_s > within, with a timeout of, timeout of, timeout, time limit of, time limit, limit of, limit"


def work(params: dict[str, Any]) -> dict[str, Any]:
    """Runs in the jail, where the kit is: ruff, vulture and mindX's own package over them."""
    import os
    import sys

    sys.path.insert(0, os.environ["MINDX_KIT"])
    from mindx_analysis.main import carry_out

    return dict(carry_out(params.pop("do"), params))


def code_path() -> dict[str, Any]:
    """What is looked at."""
    return path("File or folder with code", default=".")


def time_limit() -> dict[str, Any]:
    """How long it may take; what is not done by then is left out, and the report says so."""
    return number("Time limit in seconds", 1, int(BOUNDS["hard_s"][1]))
