"""What is done regularly, how often, and where: by the scheduler what people wait for, by the background pool the rest.

One process of the whole installation does each (`agents.record.duties`); on every machine with a worker another one
stands by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from agents import upkeep as agents
from library import upkeep as library
from people import rate_limits
from review import upkeep as review
from review.deciding import holding


@dataclass(frozen=True)
class Duty:
    """Something to be done every so many seconds. `sooner`: in how many seconds it should be done next, if earlier."""

    name: str
    every_s: float
    do: Callable[[], object]
    sooner: Callable[[], float | None] = lambda: None


DECISIONS, SWEEP, REVIEW_SWEEP, UPKEEP = "decisions", "sweep", "review sweep", "upkeep"


def of_scheduler() -> tuple[Duty, ...]:
    """Each of these has a thread of its own, so that none waits for another."""
    return (
        Duty(DECISIONS, 1.0, holding.settle_due, holding.next_due_s),
        Duty(SWEEP, settings.SWEEP_S, agents.sweep),
        Duty(REVIEW_SWEEP, 5.0, review.sweep),
    )


def of_pool() -> tuple[Duty, ...]:
    """These are done one after the other. They may take minutes, and nobody waits for one."""
    return (
        Duty("tend backlog", 10.0, agents.tend_backlog),
        Duty("embed missing", 30.0, library.embed_missing),
        Duty("embed members", 30.0, agents.embed_members),
        Duty("summarise memory", 60.0, library.summarise_memory),
        Duty("note failures", 600.0, agents.note_failures),
        Duty("audit", 1_800.0, agents.audit),
        Duty("add up days", 1_800.0, agents.add_up_days),
        Duty("keep logs", 3_600.0, agents.keep_logs),
        Duty("keep memory", 3_600.0, library.keep_memory),
        Duty("prune verdicts", 3_600.0, library.prune_verdicts),
        Duty("forget rate limits", 3_600.0, rate_limits.forget_old),
        Duty("prune snapshots", 86_400.0, agents.prune_snapshots),
    )
