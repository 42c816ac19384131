"""The Celery application. Messages are wake-ups only; the scheduler's sweep finds whatever they miss."""

import os
from typing import Any

from celery import Celery
from celery.signals import task_prerun
from django.conf import settings
from django.db import connections

from mindx_web.operations import (  # noqa: F401  # connect to the worker's signals
    garbage,
    half_restored,
    heartbeat,
    stopping,
    tracing,
)
from mindx_web.processes import children

if not settings.configured:  # a worker begins here; everybody else has read them before
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")

# Celery has Django check the application and looks at nothing that it found. It costs a worker 37 MB: all pages.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

app = Celery("mindx_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

children.connect()


@task_prerun.connect
def leave_broken_connections(**_: Any) -> None:
    """Let go of a connection that an earlier task met broken, as Django does between two requests.

    A worker keeps its connections from task to task: without this, one that a restarted Postgres cut would fail every
    task that comes. Asked only after an error, so that a sound one costs nothing.
    """
    for connection in connections.all(initialized_only=True):
        if connection.errors_occurred and not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
