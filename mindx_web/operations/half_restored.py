"""A worker does not begin where a restore was not finished: what was approved before it would run by itself."""

from __future__ import annotations

from typing import Any

from celery.signals import worker_init
from django.conf import settings

from mindx_web.supervisor import unfinished_restore


@worker_init.connect
def refuse(**_: Any) -> None:
    """Before any child is forked. Celery passes on no other exception of a receiver."""
    if reason := unfinished_restore.why_not_to_start(settings.DATA_DIR):
        raise SystemExit(f"The worker did not start: {reason}")
