"""Who has the files that an approved plan waits for, and what would end that, in words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

TYPED = "typed_command"


@dataclass(frozen=True)
class Holder:
    """Who has the files of a workspace: the goal whose plan runs on them, or the one in whose session a typed command
    does (`state` is TYPED then).

    `state` and `reason` are the goal's, and since `since` it stands so. `agent` is the name of its agent when that is
    paused. `named`: the reader may see the goal.
    """

    goal: int
    state: str
    reason: str
    since: datetime
    agent: str
    named: bool

    @property
    def who(self) -> str:
        """The goal by its number, for those who may know of it."""
        return f"goal {self.goal}" if self.named else "another goal"

    @property
    def does(self) -> str:
        """How that goal stands, to follow its name."""
        return self._words[0]

    @property
    def until(self) -> str:
        """What would end it: a sentence that stands alone."""
        return f"It starts automatically when {self._words[1]}."

    @property
    def needs_a_person(self) -> bool:
        """Whether it waits for somebody."""
        return self._words in _OF_A_PERSON

    @property
    def _words(self) -> tuple[str, str]:
        if self.state == TYPED:
            return "runs a typed command on them", "that command has ended"
        if self.state in ("achieved", "failed", "dropped"):
            return f"is {self.state}, but its plan was left running", "mindX has ended that plan, which takes seconds"
        if self.agent:
            who = f"its agent {self.agent}" if self.named else "its agent"
            return "is paused with its agent", f"an operator has resumed {who} and that goal has ended"
        kind = self.reason.partition(":")[0].strip()
        return _BY_REASON.get((self.state, kind)) or _BY_STATE.get(self.state) or _UNDER_WAY


_UNDER_WAY = ("is running", "that one has ended")
_HAND = (
    "needs a person",
    "somebody has fixed, skipped or given up the failed step there, or cancelled that goal, and it has ended",
)
_OUTCOME = (
    "asks whether a step took effect",
    "somebody has said there whether the step took effect, or cancelled that goal, and it has ended",
)
_ASKED = ("is waiting for review", "that one was decided and has ended")
_SECOND = (
    "is waiting for another person's approval",
    "it was approved or cancelled, and has ended",
)
_SANDBOX = ("is waiting for the sandbox", "the sandbox can start again and that goal has ended")
_WAITS = ("waits for a condition", "that one has ended")
_ANSWER = ("is waiting for an answer on the bus", "there is one and that goal has ended")
_MENDS = ("tries to recover from a failed step", "that one has ended")
_OF_A_PERSON = (_HAND, _OUTCOME, _ASKED, _SECOND)
_BY_STATE = {"manual": _HAND, "awaiting_review": _ASKED, "recovering": _MENDS}
_BY_REASON = {
    ("manual", "outcome_unknown"): _OUTCOME,
    ("recovering", "waits_for_person"): _SECOND,
    ("recovering", "waits_for_answer"): _ANSWER,
    ("recovering", "sandbox_unavailable"): _SANDBOX,
    ("recovering", "waits_until"): _WAITS,
}
