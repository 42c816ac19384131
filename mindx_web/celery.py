"""The Celery application. Messages carry ids and are wake-ups only; beat's sweep finds whatever they miss."""

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
    own_beat,
    stopping,
    tracing,
)

# Hints do the work at once; this finds what they missed.
REVIEW_SWEEP_S = 5.0

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")

app = Celery("mindx_web")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@task_prerun.connect
def leave_broken_connections(**_: Any) -> None:
    """Let go of a connection that an earlier task met broken, as Django does between two requests.

    A worker keeps its connections from task to task: without this, one that a restarted Postgres cut would fail every
    task that comes. Asked only after an error, so that a sound one costs nothing.
    """
    for connection in connections.all(initialized_only=True):
        if connection.errors_occurred and not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()


@app.on_after_finalize.connect
def schedule(sender: Celery, **_: object) -> None:
    """Beat's table. A sweep that waited longer than its own period is worthless, so it expires."""
    from agents import tasks as agents_tasks
    from library import tasks as library_tasks
    from people import tasks as people_tasks
    from review import tasks as review_tasks

    sender.add_periodic_task(
        settings.SWEEP_S, agents_tasks.sweep.s(), name="sweep", expires=max(2.0, 2 * settings.SWEEP_S)
    )
    sender.add_periodic_task(REVIEW_SWEEP_S, review_tasks.sweep.s(), name="review sweep", expires=2 * REVIEW_SWEEP_S)
    sender.add_periodic_task(1.0, review_tasks.settle_held.s(), name="settle held decisions", expires=2.0)
    sender.add_periodic_task(10.0, agents_tasks.tend_backlog.s(), name="tend backlog", expires=20.0)
    sender.add_periodic_task(600.0, agents_tasks.note_failures.s(), name="note failures", expires=600.0)
    sender.add_periodic_task(1_800.0, agents_tasks.audit.s(), name="audit", expires=1_800.0)
    sender.add_periodic_task(30.0, library_tasks.embed_missing.s(), name="embed missing", expires=30.0)
    sender.add_periodic_task(30.0, agents_tasks.embed_members.s(), name="embed members", expires=30.0)
    sender.add_periodic_task(86_400.0, agents_tasks.prune_snapshots.s(), name="prune snapshots", expires=3_600.0)
    sender.add_periodic_task(3_600.0, agents_tasks.keep_logs.s(), name="keep logs", expires=3_600.0)
    sender.add_periodic_task(3_600.0, library_tasks.keep_memory.s(), name="keep memory", expires=3_600.0)
    sender.add_periodic_task(60.0, library_tasks.summarise_memory.s(), name="summarise memory", expires=60.0)
    sender.add_periodic_task(3_600.0, library_tasks.prune_verdicts.s(), name="prune verdicts", expires=3_600.0)
    sender.add_periodic_task(3_600.0, people_tasks.forget_rate_limits.s(), name="forget limits", expires=3_600.0)
    sender.add_periodic_task(1_800.0, agents_tasks.add_up_days.s(), name="add up days", expires=1_800.0)
