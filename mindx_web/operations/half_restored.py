"""A worker does not start after an unfinished restore: plans approved before the restore would run without review."""

from __future__ import annotations

from typing import Any

from celery.signals import worker_init
from django.conf import settings

from mindx_web.supervisor import unfinished_restore


@worker_init.connect
def refuse(**_: Any) -> None:
    """Called before any child is forked. SystemExit, because Celery swallows other exceptions of a receiver."""
    if reason := unfinished_restore.why_not_to_start(settings.DATA_DIR):
        raise SystemExit(f"The worker did not start: {reason}")
