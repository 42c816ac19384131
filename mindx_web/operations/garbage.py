"""How often a process that works for long looks for garbage that nothing but a cycle holds, and among what.

Python counts what is made and not given up yet; a planning makes thousands of containers that all go when it is over,
so by Python's own thresholds every turn was interrupted a dozen times for nothing. And each look at everything went
through two hundred thousand modules, functions and models that live as long as the process: 50 to 120 ms, inside
whichever turn it met. What stands when the process begins is left out of every later look.
"""

from __future__ import annotations

import gc
from typing import Any

from celery.signals import worker_init, worker_process_init

# Containers that may wait for the first look: twice what a planning holds at once, and a megabyte or two.
YOUNG = 10_000
# Python's own: every tenth look goes through what survived one, every tenth of these through the rest.
_OLDER, _OLDEST = 10, 10


def settle(**_: Any) -> None:
    """From here on look only at what is made from now on, and seldom. What is garbage already goes first."""
    gc.set_threshold(YOUNG, _OLDER, _OLDEST)
    gc.collect()
    gc.freeze()


# Before the fork, so that a child's looks do not write into pages that it shares; and in each child for its own.
worker_init.connect(settle)
worker_process_init.connect(settle)
