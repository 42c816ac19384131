"""A sweep does several things one after another; one that fails must not keep the others from being done."""

from __future__ import annotations

import logging
from collections.abc import Callable

from agents.execution.database_outage import is_outage

logger = logging.getLogger(__name__)


def each(*parts: Callable[[], object]) -> None:
    """Do every part. What one raises is logged; where the database is away, nothing else could be done either."""
    for part in parts:
        try:
            part()
        except Exception as error:  # the edge of the sweep
            if is_outage(error):
                raise
            logger.exception("A part of a sweep failed: %s.%s", part.__module__, part.__qualname__)
