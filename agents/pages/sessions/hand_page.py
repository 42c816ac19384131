"""The prompt on a goal's session page: who may type, where, what was typed before, and how it is done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.utils import timezone

from agents.forms.hand import Typing
from agents.hands import hand_commands
from agents.models import HandCommand
from agents.pages.sessions.session_page import SessionPage, outcome_of
from agents.states import HAND_ENDED
from agents.workspaces.workspaces import running
from sandbox.commands import COMMANDS
from sandbox.console import typed
from sandbox.contract import SessionState

EARLIER = 50
LISTED = 10


@dataclass(frozen=True)
class Typed:
    """A command that has ended, as the list shows it."""

    row: HandCommand
    outcome: str

    @property
    def changed(self) -> bool:
        """Whether it left other files, so that the two states can be compared."""
        return self.row.snapshot_after not in ("", self.row.snapshot_before)


class HandPage:
    """The prompt of one goal as one person sees it; `typing` is a line that was refused or has to be agreed to."""

    def __init__(self, terminal: SessionPage, typing: Typing) -> None:
        self.terminal = terminal
        self.goal = terminal.page.goal
        self.user = terminal.page.user
        self.typing = typing

    @cached_property
    def why_not(self) -> str:
        """Who may type here, when this person may not."""
        return hand_commands.why_not(self.user, self.goal)

    @cached_property
    def state(self) -> SessionState:
        """Where the next command of this person would begin."""
        return hand_commands.session_for(self.goal, self.user)

    @property
    def prompt(self) -> str:
        """As `python -m sandbox` writes it."""
        return typed.prompt(self.state).strip()

    @property
    def runs(self) -> str:
        """The sentence about what runs on these files, when that is no command of this goal."""
        return "" if self.terminal.unfinished else running(self.goal.workspace)

    @property
    def may_cancel(self) -> bool:
        """Whether the person may end the command that waits or runs."""
        command = self.terminal.unfinished
        return command is not None and hand_commands.may_cancel(self.user, command)

    @property
    def took_s(self) -> float:
        """Seconds since the unfinished command began to run; 0 while it waits."""
        command = self.terminal.unfinished
        began = command.started_at if command is not None else None
        return max(0.0, (timezone.now() - began).total_seconds()) if began else 0.0

    @property
    def earlier(self) -> list[str]:
        """What was typed before in this goal, newest first, each line once."""
        return list(dict.fromkeys(row.text for row in reversed(self.terminal.typed)))[:EARLIER]

    @property
    def ended(self) -> list[Typed]:
        """The newest commands that have ended, newest first."""
        rows = [row for row in reversed(self.terminal.typed) if row.state in HAND_ENDED]
        return [Typed(row, outcome_of(row)) for row in rows[:LISTED]]

    @property
    def words(self) -> tuple[str, ...]:
        """The commands by name."""
        return hand_commands.OFFERED

    @property
    def help(self) -> list[tuple[str, str]]:
        """How each command is typed and what it does."""
        return [(typed.usage(name), COMMANDS[name].summary) for name in hand_commands.OFFERED]
