"""What the session page shows: the terminal of the goal's newest plan as it stands, and what was typed into it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.conf import settings

from agents import goal_facts, goal_page
from agents.bdi.document import IntentSpec
from agents.goal_page import GoalPage
from agents.models import Attempt, Intent, TerminalSession
from agents.presentation import transcript
from agents.presentation.transcript import Command, Line
from sandbox.contract import SessionState

# The newest tries; the tab Attempts lists all of them and the log holds what they wrote.
TRIES_SHOWN = 50


@dataclass(frozen=True)
class Shown:
    """The lines of the newest tries and how many came before."""

    lines: list[Line]
    left_out: int


class SessionPage:
    """The session of one goal as one person sees it."""

    def __init__(self, page: GoalPage) -> None:
        self.page = page

    @cached_property
    def state(self) -> SessionState:
        """Where the session stands after the last step that succeeded; at its start when none has."""
        row = TerminalSession.objects.filter(intent_plan=self.page.plan).first() if self.page.plan else None
        return SessionState.from_json(row.state if row else {})

    @cached_property
    def level(self) -> str:
        """The level of the jail that the newest try ran in; empty while nothing ran."""
        found = [attempt.result.get("level") for _, attempt in self._tries if isinstance(attempt.result, dict)]
        return str(next((level for level in reversed(found) if level), ""))

    @property
    def least_level(self) -> str:
        """The level below which nothing runs here."""
        return str(settings.SANDBOX_MIN)

    @property
    def seen(self) -> str:
        """A word for what the page shows; another one when it would look different."""
        return hashlib.sha256(repr(goal_page.signature(self.page.goal.pk)).encode()).hexdigest()[:16]

    @cached_property
    def transcript(self) -> Shown:
        """The commands of the plan with what they said."""
        specs = self._specs
        shown = self._tries[-TRIES_SHOWN:]
        found = [line for intent, attempt in shown for line in transcript.lines(_command(intent, attempt, specs))]
        return Shown(found, len(self._tries) - len(shown))

    @cached_property
    def _tries(self) -> list[tuple[Intent, Attempt]]:
        """Every try of the newest plan, in the order they began."""
        plan = self.page.plan
        tries = [(intent, one) for intent in plan.intents.all() for one in intent.attempts.all()] if plan else []
        return sorted(tries, key=lambda pair: pair[1].pk)

    @cached_property
    def _specs(self) -> dict[int, IntentSpec]:
        document = goal_facts.read_document(self.page.plan) if self.page.plan else None
        return {spec.position: spec for spec in document.all_intents} if document else {}


def _command(intent: Intent, attempt: Attempt, specs: Mapping[int, IntentSpec]) -> Command:
    spec = specs.get(intent.position)
    return Command(
        position=intent.position,
        name=f"{intent.tool}.{intent.command}",
        sentence=spec.sentence if spec else f"{intent.tool}.{intent.command}",
        tried=goal_facts.try_of(attempt),
        result=attempt.result if isinstance(attempt.result, dict) else {},
        limits=spec.limits if spec else {},
        is_cleanup=intent.phase == Intent.Phase.CLEANUP,
        changed=attempt.snapshot_after not in ("", attempt.snapshot_before),
    )
