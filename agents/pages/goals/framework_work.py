"""What the page of a goal shows of the work of a framework's agent: its calls in order, its limits, its last words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.conf import settings

from agents.frameworks.offered import command_named
from agents.models import FrameworkCall, FrameworkRun, Goal
from agents.toolkit.frameworks import FRAMEWORKS

# The newest ones; each goal has a page of its own.
MOST = 50


@dataclass(frozen=True)
class Row:
    """A call. Its goal is a part of the goal whose page it is on, so whoever sees the one sees the other."""

    call: FrameworkCall

    @property
    def command(self) -> str:
        """As pages name commands; what a model named that is none stays as it is."""
        tool, command = command_named(self.call.name)
        return f"{tool}.{command}" if command else self.call.name

    @property
    def state(self) -> str:
        """Of its goal; one that could not become a goal was refused."""
        if self.call.goal is not None:
            return self.call.goal.shown_state
        return "refused" if self.call.refused else "pending"


@dataclass(frozen=True)
class Work:
    """A run as the page shows it."""

    run: FrameworkRun

    @property
    def label(self) -> str:
        """The framework's own name."""
        return FRAMEWORKS[self.run.framework].label

    @cached_property
    def rows(self) -> list[Row]:
        """Its newest calls, the first of them first."""
        found = self.run.calls.select_related("goal").order_by("-position")[:MOST]
        return [Row(call) for call in reversed(found)]

    @property
    def earlier(self) -> int:
        """How many calls there were before those."""
        return self.rows[0].call.position - 1 if self.rows else 0

    @property
    def took(self) -> list[tuple[str, str]]:
        """What it took of each of its limits, in words."""
        run = self.run
        return [
            ("Questions to its model", f"{run.steps} of {settings.FRAMEWORK_STEPS}"),
            ("Tokens", f"{run.tokens:,} of {settings.FRAMEWORK_TOKENS:,}"),
            ("Time at work", f"{run.worked_s:.0f} of {settings.FRAMEWORK_SECONDS:.0f} s"),
        ]


def of(goal: Goal) -> Work | None:
    """The work on a goal; None where mindX plans it."""
    run = FrameworkRun.objects.filter(goal=goal).first()
    return Work(run) if run is not None else None
