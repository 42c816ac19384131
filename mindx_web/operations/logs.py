"""The format of a log line: a sentence for people, or a JSON object for programs; never with one of our secrets."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings

from library.language import provider

HIDDEN = "[hidden]"
TEXT_MAX = 32_768
# Shorter ones would hide ordinary words.
_SECRET_MIN = 6
_OF_EVERY_RECORD = {*logging.makeLogRecord({}).__dict__, "message", "asctime", "color_message", "taskName"}


class Lines(logging.Formatter):
    """A line as people read it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        return hide(super().format(record))


class Objects(logging.Formatter):
    """One JSON object a line, with the ids of the goal, plan, intent and worker, and the code's extra fields."""

    def format(self, record: logging.LogRecord) -> str:
        from agents.record import telemetry  # settings import this module before Django's apps are loaded

        told: dict[str, Any] = {
            name: value for name, value in record.__dict__.items() if name not in _OF_EVERY_RECORD and name[0] != "_"
        }
        told |= telemetry.ids()
        told |= {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        # Hide secrets before writing JSON: escaping changes a secret that contains a quote.
        return json.dumps({name: _plain(value) for name, value in told.items()}, ensure_ascii=False)


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return hide(value if isinstance(value, str) else str(value))[:TEXT_MAX]


def hide(text: str) -> str:
    """The text with every secret of this installation replaced."""
    for secret in _secrets():
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


@lru_cache(maxsize=1)
def _secrets() -> tuple[str, ...]:
    """Keys, tokens and the passwords of every server, plain and as written in addresses; the longest first."""
    addresses = (settings.DATABASE_URL, settings.REDIS_URL, settings.BROKER_URL, settings.EMAIL_URL)
    found = {settings.SECRET_KEY, settings.APPROVAL_KEY, settings.METRICS_TOKEN}
    found |= {urlsplit(address).password or "" for address in addresses}
    found |= set(provider.keys())  # of models, and of buckets
    found |= {settings.SERVERS.get(name, "") and (urlsplit(settings.SERVERS[name]).password or "")
              for name in ("migrate_url", "database_url", "redis_url")}  # fmt: skip
    spelled = {spelling for secret in found for spelling in (secret, unquote(secret), quote(unquote(secret), safe=""))}
    return tuple(sorted((one for one in spelled if len(one) >= _SECRET_MIN), key=len, reverse=True))
