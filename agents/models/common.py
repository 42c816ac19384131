"""What several rows share."""

from __future__ import annotations

from enum import StrEnum

from django.db import models
from django.db.models import Q

DIGEST_HEX = 64


def one_of(field: str, values: type[StrEnum], name: str) -> models.BaseConstraint:
    """The database's own check that a state is one of the table's."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": [value.value for value in values]}), name=name)
