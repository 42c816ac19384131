"""Which process does what has to be done regularly, and when it was done last."""

from __future__ import annotations

from django.db import models


class Duty(models.Model):
    """Something that one process of the whole installation does again and again: sweeps, held decisions, upkeep.

    The row is a lease: whoever holds it does the work until `until` has passed, by the database's clock. One that dies
    or is stopped is followed by another process a few seconds later.
    """

    name = models.CharField(max_length=40, unique=True)
    holder = models.CharField(max_length=160, blank=True)
    until = models.DateTimeField(null=True)
    # When it was last done to its end, and how long that took.
    done_at = models.DateTimeField(null=True)
    took_ms = models.IntegerField(default=0)

    class Meta:
        verbose_name_plural = "duties"

    def __str__(self) -> str:
        return self.name
