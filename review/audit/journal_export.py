"""The journal as lines of JSON or CSV, read and written in pieces, so its length does not matter."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from review.audit import canonical
from review.models import AuditEntry
from review.reading import journal_lines

COLUMNS = ("id", "at", "event", "by", "name", "subject", "sentence", "data", "version", "previous_hash", "hash")
# A spreadsheet takes a cell that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def lines(since: datetime | None, form: str) -> Iterator[str]:
    """Each entry from this moment on, oldest first, as a line with its end; CSV begins with the names."""
    rows = AuditEntry.objects.order_by("pk")
    if since is not None:
        rows = rows.filter(at__gte=since)
    if form == "csv":
        yield _cells(list(COLUMNS))
    for row in rows.iterator():
        yield FORMATS[form](row)


def _values(row: AuditEntry) -> dict[str, Any]:
    return {
        "id": row.pk,
        "at": canonical.moment(row.at),
        "event": row.event,
        "by": row.by_id,
        "name": row.name,
        "subject": row.subject,
        "sentence": journal_lines.sentence(row.event, row.subject, row.data),
        "data": row.data,
        "version": row.version,
        "previous_hash": row.previous_hash,
        "hash": row.hash,
    }


def _as_json(row: AuditEntry) -> str:
    return json.dumps(_values(row), ensure_ascii=False) + "\n"


def _as_csv(row: AuditEntry) -> str:
    values = _values(row)
    values["data"] = json.dumps(row.data, ensure_ascii=False)
    return _cells(["" if values[name] is None else str(values[name]) for name in COLUMNS])


def _cells(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return out.getvalue()


FORMATS: dict[str, Callable[[AuditEntry], str]] = {"jsonl": _as_json, "csv": _as_csv}
