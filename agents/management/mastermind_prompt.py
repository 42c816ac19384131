"""Mastermind at a prompt: one line after the other, with what was typed before and what may come next."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory

from agents.mastermind.completing import offers
from agents.mastermind.components import Component
from agents.states import BacklogState

logger = logging.getLogger(__name__)

PROMPT = "mastermind> "
_ENDS = frozenset({"exit", "quit"})


class Words(Completer):
    """Completes by what there was when the prompt came: while it is open nothing asks the database."""

    def __init__(self) -> None:
        self.known: list[Component] = []

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        typed = document.text_before_cursor
        last = typed.rpartition(" ")[2]
        for word in offers(typed, self.known, ["open", *(state.value for state in BacklogState)]):
            yield Completion(word, start_position=-len(last))


def interact(do: Callable[[str], int], known: Callable[[], list[Component]], history: Path) -> int:
    """Read and do lines until `exit` or the end of the input; the highest of what they came to."""
    sys.stdout.write("Type 'help' for a list of commands, or 'exit' to quit.\n")
    words = Words()
    session: PromptSession[str] = PromptSession(
        PROMPT, history=_kept(history), completer=words, complete_while_typing=False
    )
    worst = 0
    while True:
        words.known = known()
        try:
            line = session.prompt().strip()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return worst
        if line in _ENDS:
            return worst
        if line:
            worst = max(worst, _interruptible(do, line))


def _interruptible(do: Callable[[str], int], line: str) -> int:
    """Ctrl-C ends the waiting for a goal, not the session; the goal continues."""
    try:
        return do(line)
    except KeyboardInterrupt:
        sys.stdout.write("\nNo longer waiting. What has started continues.\n")
        return 0


def _kept(history: Path) -> History:
    """The file of what was typed, for its owner's eyes only; in memory where it cannot be kept."""
    before = os.umask(0o077)
    try:
        history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        history.touch(mode=0o600)
        return FileHistory(str(history))
    except OSError as error:
        logger.warning("The command history is not saved: %s", error)
        return InMemoryHistory()
    finally:
        os.umask(before)
