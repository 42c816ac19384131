"""What the session page shows: where the goal's terminal stands, and what plans and people typed into it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.utils import timezone

from agents.bdi.outcome.network import network_of
from agents.bdi.plans.document import IntentSpec
from agents.execution.goal_network import StepNetwork
from agents.hands import hand_commands
from agents.models import Attempt, HandCommand, Intent
from agents.pages.goals import goal_facts, goal_page
from agents.pages.goals.goal_page import GoalPage
from agents.presentation import transcript, used
from agents.presentation.timeline import Try
from agents.presentation.transcript import Command, Line
from agents.presentation.used import Used
from agents.record import selectors
from agents.states import HAND_ENDED, HandState
from sandbox.console import typed
from sandbox.contract import SessionState

# The newest tries and typed commands; the tab Attempts lists all tries, and the log holds what everything wrote.
TRIES_SHOWN = 50
# Of the steps and commands whose program was measured.
USED_SHOWN = 8
RUNNING_LINES = 40


@dataclass(frozen=True)
class Shown:
    """The lines of the newest tries and how many came before."""

    lines: list[Line]
    left_out: int


@dataclass(frozen=True)
class _Ran:
    """A try of a step or a typed command, in the one order that both have. `timeout_s`: what a step asked for."""

    began: datetime
    label: str
    command: Command
    timeout_s: Any = None


class SessionPage:
    """The session of one goal as one person sees it."""

    def __init__(self, page: GoalPage) -> None:
        self.page = page

    @cached_property
    def state(self) -> SessionState:
        """Where the session stands after whatever worked in it last; at its start when nothing has."""
        return hand_commands.standing(self.page.goal)[0]

    @cached_property
    def level(self) -> str:
        """The level of the jail that the newest try ran in; empty while nothing ran."""
        found = [ran.command.result.get("level") for ran in self._ran]
        return str(next((level for level in reversed(found) if level), ""))

    @property
    def least_level(self) -> str:
        """The level below which nothing runs here."""
        return str(settings.SANDBOX_MIN)

    @property
    def seen(self) -> str:
        """A word for what the page shows; another one when it would look different."""
        rows = HandCommand.objects.filter(goal=self.page.goal).order_by("-pk")
        typed_last = rows.values_list("pk", "state", "cancel_requested", "started_at").first()
        now: tuple[Any, ...] = ()
        if typed_last is not None and typed_last[1] not in HAND_ENDED:
            # The seconds that a command has taken, and what it has written.
            now = (int(timezone.now().timestamp()), self.page.goal.log_lines.order_by("-number").first())
        shown = repr((goal_page.signature(self.page.goal.pk), typed_last, now))
        return hashlib.sha256(shown.encode()).hexdigest()[:16]

    @cached_property
    def transcript(self) -> Shown:
        """The commands of the plan, and those that were typed, with what they said."""
        shown = self._ran[-TRIES_SHOWN:]
        found = [line for ran in shown for line in transcript.lines(ran.command)]
        return Shown([*found, *self._said_so_far], len(self._ran) - len(shown))

    @cached_property
    def used(self) -> list[Used]:
        """What the newest programs took of their limits, newest first."""
        found = [
            Used(ran.label, ran.command.sentence, used.bars(ran.command.result, ran.command.limits, ran.timeout_s))
            for ran in reversed(self._ran)
        ]
        return [one for one in found if one.bars][:USED_SHOWN]

    @cached_property
    def network(self) -> list[StepNetwork]:
        """What the plan's steps and the newest typed commands did on the network, in the order they began."""
        by_hand = [StepNetwork(0, row.text, network_of(row.result)) for row in self.typed]
        return [*self.page.network, *(one for one in by_hand if one.network)]

    @cached_property
    def typed(self) -> list[HandCommand]:
        """What people typed, oldest first; the newest of it."""
        rows = HandCommand.objects.filter(goal=self.page.goal).select_related("by").order_by("-pk")
        return list(rows[:TRIES_SHOWN])[::-1]

    @cached_property
    def unfinished(self) -> HandCommand | None:
        """The command of this goal that waits or runs."""
        return self.typed[-1] if self.typed and not self.typed[-1].has_ended else None

    @cached_property
    def _ran(self) -> list[_Ran]:
        """Every try of the newest plan and the newest typed commands, in the order they began."""
        typed_ones = [_typed(row) for row in self.typed if row.state != HandState.WAITING]
        return sorted([*self._tries, *typed_ones], key=lambda ran: ran.began)

    @cached_property
    def _tries(self) -> list[_Ran]:
        plan = self.page.plan
        tries = [(intent, one) for intent in plan.intents.all() for one in intent.attempts.all()] if plan else []
        return [_tried(intent, one, self._specs) for intent, one in sorted(tries, key=lambda pair: pair[1].pk)]

    @cached_property
    def _specs(self) -> dict[int, IntentSpec]:
        document = selectors.read_document(self.page.plan) if self.page.plan else None
        return {spec.position: spec for spec in document.all_intents} if document else {}

    @property
    def _said_so_far(self) -> list[Line]:
        """The end of what the running command has written, from the log."""
        command = self.unfinished
        if command is None or command.started_at is None:
            return []
        lines = self.page.goal.log_lines.filter(at__gte=command.started_at).order_by("-number")
        tail = list(lines.values_list("source", "text")[:RUNNING_LINES])[::-1]
        return transcript.said_so_far((source, text) for source, text in tail if source in ("stdout", "stderr"))


def _tried(intent: Intent, attempt: Attempt, specs: Mapping[int, IntentSpec]) -> _Ran:
    spec = specs.get(intent.position)
    command = goal_facts.command_of(attempt, spec)
    label = f"Step {intent.position}" + (f", try {attempt.number}" if attempt.number > 1 else "")
    return _Ran(attempt.started, label, command, _time_of(spec.params if spec else {}))


def _typed(row: HandCommand) -> _Ran:
    result = row.result if isinstance(row.result, dict) else {}
    began = row.started_at or row.created_at
    reason = row.reason or str(result.get("reason", ""))
    command = Command(
        position=0,
        name=hand_commands.speaker(row.by),
        sentence=row.text,
        tried=Try(1, began, row.finished_at, outcome_of(row), str(result.get("error_class") or ""), reason),
        result=result,
        limits=row.limits,
        changed=row.snapshot_after not in ("", row.snapshot_before),
        prompt=typed.prompt(SessionState.from_json(row.session_before)),
    )
    return _Ran(began, row.by.display_name, command, _time_of(row.params))


def _time_of(params: Mapping[str, Any]) -> float | None:
    """The time that a program asked for; None for the usual one."""
    found = params.get("timeout_s")
    return found if isinstance(found, int | float) else None


def outcome_of(row: HandCommand) -> str:
    """What became of a typed command, in the words of a try; empty while it has not ended."""
    if row.state == HandState.DONE:
        return "succeeded" if (row.result or {}).get("status") == "SUCCESS" else "failed"
    return row.state if row.has_ended else ""
