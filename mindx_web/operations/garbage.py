"""When long-running processes collect cyclic garbage, and which objects they look at.

Python starts a collection when enough new containers exist. A planning makes thousands of them that all go when it is
over, so with Python's own thresholds every turn was interrupted a dozen times for nothing. A full collection also went
through two hundred thousand modules, functions and models that live as long as the process: 50 to 120 ms, in the middle
of some turn. Objects that exist when the process starts are therefore left out of all collections.
"""

from __future__ import annotations

import gc
from typing import Any

from celery.signals import worker_init, worker_process_init

# New containers before a collection: twice as many as a planning has at once, which is a megabyte or two.
YOUNG = 10_000
# Python's defaults: every tenth collection includes objects that survived one, every tenth of these all objects.
_OLDER, _OLDEST = 10, 10


def settle(**_: Any) -> None:
    """Collect now; later collections are rare and look only at objects made from now on."""
    gc.set_threshold(YOUNG, _OLDER, _OLDEST)
    gc.collect()
    gc.freeze()


# Before the fork, so that a child's collections do not write into memory pages that it shares; and in each child.
worker_init.connect(settle)
worker_process_init.connect(settle)
