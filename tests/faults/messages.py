"""Wake-ups as somebody else might send them: doubled, forged, ancient, foreign, and as pickles."""

from __future__ import annotations

import json
import os
import pickle
import uuid
from pathlib import Path
from typing import Any

from kombu.connection import Connection
from kombu.messaging import Producer

from tests.faults.system import servers
from tests.whole.started import Whole

QUEUE = "celery"


def send(whole: Whole, task: str, *arguments: Any, **named: Any) -> None:
    """A message as Celery's own protocol has it."""
    _publish(whole, json.dumps([arguments, named, {}]).encode(), "application/json", "utf-8", task)


def send_bytes(whole: Whole, body: bytes, task: str = "agents.work") -> None:
    """A message whose body is anything, called JSON."""
    _publish(whole, body, "application/json", "utf-8", task)


class _Touch:
    """Makes a folder in the process that unpickles it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, (str(self.path),)


def send_pickle(whole: Whole, trace: Path) -> None:
    """A pickle that makes the folder `trace` when it is read."""
    body = pickle.dumps(([_Touch(trace)], {}, {}))
    _publish(whole, body, "application/x-python-serialize", "binary", "agents.work")


def _publish(whole: Whole, body: bytes, kind: str, encoding: str, task: str) -> None:
    number = str(uuid.uuid4())
    headers = {"lang": "py", "task": task, "id": number, "root_id": number, "parent_id": None, "group": None}
    address = servers(whole)["redis_url"].replace("unix://", "redis+socket://", 1)
    with Connection(address) as connection, connection.channel() as channel:
        Producer(channel).publish(
            body,
            routing_key=QUEUE,
            exchange="",
            content_type=kind,
            content_encoding=encoding,
            headers=headers,
            correlation_id=number,
        )
