"""The base of rows of a chain."""

from __future__ import annotations

from django.db import models

from agents.models import DIGEST_HEX


class Chained(models.Model):
    """A row that is never changed and signed together with the row before it (`review.audit.chain_rows` adds them).

    `hash` is an HMAC-SHA-256 over this row's content and `previous_hash`, with a key outside the database: a row
    changed or removed later breaks the chain.
    """

    append_only = True

    at = models.DateTimeField()
    previous_hash = models.CharField(max_length=DIGEST_HEX, blank=True)
    hash = models.CharField(max_length=DIGEST_HEX, unique=True)

    class Meta:
        abstract = True
        ordering = ["id"]
