"""`manage.py mastermind [COMMAND …]`: one command, or one after the other at a prompt."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import REMAINDER, ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from agents.bdi.outcome import outcome
from agents.components import known_components
from agents.coordinator import commanding
from agents.coordinator.commanding import Given
from agents.mastermind import answers, commands
from agents.mastermind.answers import Answer, Outcome
from agents.models import GivenCommand, Goal
from agents.presentation import hidden, outcome_words
from agents.states import GoalState
from people.models import User

FIRST_USER = "admin"
_LOOK_S = 0.5
_NEEDS_A_PERSON = (GoalState.AWAITING_REVIEW.value, GoalState.MANUAL.value)


class Command(BaseCommand):
    """Exit status: 0 done, 1 a goal that was waited for ended otherwise than achieved, 2 not understood, 3 not allowed,
    4 not possible now, 5 waited for too long.
    """

    help = (
        "Mastermind, the command line of mindX. Without a COMMAND it opens a prompt (Tab completes, arrow keys bring "
        "back earlier lines). If standard input is no terminal, it reads the commands from there."
    )
    requires_system_checks: tuple[str, ...] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = "Commands: " + ", ".join(command.name for command in commands.COMMANDS)
        parser.add_argument(
            "--as",
            dest="user",
            metavar="USER",
            default=os.environ.get("MINDX_USER", FIRST_USER),
            help=f"the person to act as (default: MINDX_USER, else {FIRST_USER})",
        )
        parser.add_argument("--workspace", default="", help="workspace for the goals (default: a new one)")
        parser.add_argument("--agent", default="", help="agent for the goals (default: the first one)")
        parser.add_argument("--priority", type=int, default=3, choices=range(1, 6), help="1 is adopted first, 5 last")
        parser.add_argument("--json", action="store_true", help="answer in JSON, one line per command")
        parser.add_argument("--wait", action="store_true", help="wait until the created goals have ended")
        parser.add_argument("--timeout", type=float, default=600.0, metavar="S", help="seconds to wait at most (600)")
        parser.add_argument("words", nargs=REMAINDER, metavar="COMMAND", help="“help” lists them")

    def handle(self, *args: Any, **options: Any) -> None:
        options = _with_late(options)
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(
                f"There is no active person named {options['user']!r}. Choose one with --as.", returncode=3
            )
        teller = Teller(self, user, options)
        if options["words"]:
            code = teller.do(" ".join(options["words"]))
        elif sys.stdin.isatty() and not options["json"]:
            # Half a second to load, which no script needs.
            from agents.management.mastermind_prompt import interact

            kept = Path(settings.DATA_DIR) / "mastermind" / f"history-{user.pk}"
            code = interact(teller.do, known_components.known, kept)
        else:
            code = max((teller.do(line) for line in _lines() if line.strip()), default=0)
        if code:
            sys.exit(code)


class Teller:
    """Does lines for one person, and shows what came of each."""

    def __init__(self, command: BaseCommand, user: User, options: dict[str, Any]) -> None:
        self._out, self._err, self._user, self._options = command.stdout, command.stderr, user, options

    def do(self, line: str) -> int:
        """Carry out one line and show the answer; what a shell is told of it."""
        answer = commanding.carry_out(
            Given(
                line,
                self._user,
                GivenCommand.Via.TERMINAL.value,
                workspace=self._options["workspace"],
                agent=self._options["agent"],
                priority=self._options["priority"],
            )
        )
        as_json = self._options["json"]
        if not as_json:
            self._show(answer)
        code = answers.EXIT_CODES[answer.outcome]
        ends: list[dict[str, str]] = []
        if answer.is_done and answer.goals and self._options["wait"] and answer.command in commanding.MAKES_GOALS:
            code = self._wait(answer, ends)
        if as_json:
            # ASCII only: a goal's text may hold characters that steer a terminal.
            told = {**answer.as_json(), **({"ended": ends} if self._options["wait"] else {}), "exit": code}
            self._out.write(json.dumps(told, default=str))
        return code

    def _show(self, answer: Answer) -> None:
        good = answer.is_done
        stream = self._out if good else self._err
        if answer.understood and answer.command != "help":
            stream.write(f"understood: {safe(answer.understood)}")
        for line in answer.said:
            stream.write(safe(line) if good else f"{_MARK[answer.outcome]}: {safe(line)}")
        for suggestion in answer.suggestions:
            stream.write(f"  try: {safe(suggestion)}")

    def _wait(self, answer: Answer, ends: list[dict[str, str]]) -> int:
        """Wait for the goals' ends, asking the table; each new state is said."""
        until = time.monotonic() + self._options["timeout"]
        seen: dict[int, str] = {}
        while True:
            goals = list(Goal.objects.filter(pk__in=answer.goals).only("state", "outcome", "reason"))
            for goal in goals:
                if seen.get(goal.pk) != goal.state:
                    seen[goal.pk] = goal.state
                    self._say_state(goal)
            is_over = all(goal.has_ended for goal in goals)
            if is_over or time.monotonic() >= until:
                ends += [_end(goal) for goal in goals]
            if is_over:
                achieved = (outcome.Outcome.ACHIEVED, outcome.Outcome.NOT_CHECKED)
                return 0 if all(goal.shown_state in achieved for goal in goals) else answers.NOT_ACHIEVED
            if time.monotonic() >= until:
                return answers.STILL_WAITING
            time.sleep(min(_LOOK_S, max(0.0, until - time.monotonic())))

    def _say_state(self, goal: Goal) -> None:
        if self._options["json"]:
            return
        why = f": {goal.reason}" if goal.reason else ""
        turn = " (a person's turn)" if goal.state in _NEEDS_A_PERSON else ""
        # “Goal 7 is executing”, “goal 7 is achieved”, “goal 7 ran, but nothing changed”.
        said = outcome_words.STATES.get(goal.shown_state, f"is {goal.state.replace('_', ' ')}")
        self._out.write(safe(f"goal {goal.pk} {said}{turn}{why}"))


def _end(goal: Goal) -> dict[str, str]:
    return {"goal": str(goal.pk), "state": goal.state, "outcome": goal.outcome, "reason": goal.reason}


_MARK = {
    Outcome.NOT_UNDERSTOOD: "not understood",
    Outcome.NOT_ALLOWED: "not allowed",
    Outcome.NOT_POSSIBLE: "not possible now",
}


def safe(text: str) -> str:
    """One line for a terminal: whatever is no ink is written as its code point, escape sequences among it."""
    return hidden.visible_text(text)


def _with_late(options: dict[str, Any]) -> dict[str, Any]:
    """--json and --wait count after the command too; what only looks like them inside it is its text."""
    words = list(options["words"])
    while words and words[-1] in ("--json", "--wait"):
        options = {**options, words.pop().removeprefix("--"): True}
    return {**options, "words": words}


def _lines() -> Iterator[str]:
    """What is typed, or comes in."""
    for line in sys.stdin:
        yield line.rstrip("\n")
