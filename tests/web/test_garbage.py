"""A worker's child process looks for garbage among what it makes, and not among what it began with."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

# In a process of its own: what is left out of the looks stays out for as long as a process lives.
_CHILD = """
import gc, json, weakref
import django
django.setup()
assert gc.isenabled(), "looks are put off until every app is ready, and no longer"
from celery.signals import worker_init, worker_process_init
from mindx_web import celery
celery.app.loader.import_default_modules()

class Cycle:
    def __init__(self):
        self.itself = self

gc.disable()
early = weakref.ref(Cycle())
{signal}.send(sender=None)
gc.enable()
left, frozen = len(gc.get_objects()), gc.get_freeze_count()
late, made = weakref.ref(Cycle()), 0
while late() is not None and made < 200_000:
    Cycle()
    made += 1
print(json.dumps(dict(early=early() is None, frozen=frozen, left=left, late=late() is None, made=made)))
"""


@pytest.mark.parametrize("signal", ["worker_init", "worker_process_init"])
def test_only_what_is_made_later_is_looked_through_and_that_soon_enough(signal: str) -> None:
    child = [sys.executable, "-c", _CHILD.replace("{signal}", signal)]
    environment = {"DJANGO_SETTINGS_MODULE": "mindx_web.settings", "MINDX_SECRET_KEY": "x" * 60, "PATH": "/usr/bin"}
    done = subprocess.run(child, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["early"], "what was garbage when it began was not kept for ever"
    assert found["frozen"] > 100_000, found
    assert found["left"] < 2_000, found
    assert found["late"], "garbage that comes later is still found"
    assert 2_000 < found["made"] < 30_000, "neither at every hundredth container, nor after megabytes"
