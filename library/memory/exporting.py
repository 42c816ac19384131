"""All that is remembered of one's own goals, as JSON; vectors are left out, for they follow from the texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from library.memory import summaries
from library.memory.selectors import VECTORS
from library.models import Experience
from people.models import User

FORMAT = 1
_FIELDS = tuple(field.attname for field in Experience._meta.concrete_fields if field.name not in VECTORS | {"owner"})


def chunks(owner: User) -> Iterator[str]:
    """One JSON object, piece by piece: `{"format", "owner", "experiences": [...]}`, the oldest first."""
    yield f'{{"format": {FORMAT}, "owner": {json.dumps(owner.username)}, "experiences": ['
    rows = (
        Experience.objects.filter(owner=owner)
        .defer(*VECTORS)
        .select_related("model_summary")
        .prefetch_related("ratings__by")
        .order_by("pk")
    )
    for number, row in enumerate(rows.iterator(chunk_size=500)):
        yield (",\n" if number else "\n") + json.dumps(_told(row), ensure_ascii=False)
    yield "\n]}\n"


def _told(row: Experience) -> dict[str, Any]:
    told = {name: getattr(row, name) for name in _FIELDS}
    told["timestamp"] = row.timestamp.isoformat()
    told["ratings"] = [{"by": one.by.username, "stars": one.stars, "comment": one.comment} for one in row.ratings.all()]
    if (summary := summaries.written_of(row)) is not None and summary.text:
        told["summary"] = {"text": summary.text, "model": summary.model}
    return told
