"""Looking on at a run for its rows: every action with what it was decided by, and where the run has to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

from agents.environments.beliefs import Beliefs, Held
from agents.environments.choosing import Choice, Library, Support
from agents.environments.environment import Percept
from agents.environments.interpreter import Action
from agents.environments.policies import LEARNED, PERSON, Situation
from agents.environments.weighing import weighed
from agents.models import EnvironmentAction, EnvironmentRun
from agents.record import leased
from agents.states import EnvironmentRunState
from agents.toolkit.wording.words import Text

S = EnvironmentRunState
# Of one action: rules that ask for each other without end are cut by the interpreter, not here.
_MOST_DECISIONS = 24
_MOST_BELIEFS = 500


class Suspended(Exception):
    """The run goes on later: it is paused, waits for a person, was taken over, or others have their turn."""


class Recorder:
    """Writes what is new; what is done again for the sake of the environment is known already.

    `is_due(n)` says after n new actions whether this worker has to stop. `goal` is set before the run begins.
    """

    def __init__(self, run: EnvironmentRun, is_due: Callable[[int], bool]) -> None:
        self._run, self._is_due = run, is_due
        self._known, self._new = run.at_step, 0
        self._at = 0
        self._decisions: list[dict[str, Any]] = []
        self._held: tuple[Held, ...] = ()
        self.goal = ""
        # The digest of a learned policy.
        self.policy = ""

    def began(self, percept: Percept, score: float) -> None:
        """Keep what the environment began with. Raises Suspended."""
        if self._run.first_percept is not None:
            return
        values = {"first_percept": percept.text, "goal": self.goal, "score_before": score, "score": score}
        if not leased.ours(self._run).update(**values):
            raise Suspended("taken over")
        for name, value in values.items():
            setattr(self._run, name, value)

    def decided(
        self, library: Library, goal: Text, beliefs: Beliefs, chosen: Choice | None, passed: Mapping[object, str]
    ) -> None:
        """Keep what was weighed, for an action that is new."""
        if self._at >= self._known and len(self._decisions) < _MOST_DECISIONS:
            self._decisions.append(weighed(library, goal, beliefs, chosen, passed))

    def before_action(self, number: int, beliefs: Beliefs) -> None:
        """Stop where the run has to. Raises Suspended."""
        self._held = beliefs.all()
        if number <= self._known:
            return
        with transaction.atomic():
            row = leased.ours(self._run).select_for_update(no_key=True).first()
            if row is None:
                raise Suspended("taken over, or stopped")
            if row.stop_at is not None and row.at_step >= row.stop_at:
                leased.to(row, S.PAUSED, reason=f"paused after action {row.at_step}", stop_at=None)
                paused = True
            else:
                paused = False
        if paused:
            raise Suspended("paused")
        if self._is_due(self._new):
            raise Suspended("others have their turn")

    def acted(self, action: Action) -> None:
        """Write the action. Raises Suspended where another worker has the run."""
        self._at = action.number
        if action.number > self._known:
            self._write(action)
            self._new += 1
        self._decisions = []

    def asks(self, situation: Situation) -> str:
        """The answer of a person to what comes next. Raises Suspended where nobody has answered."""
        number = self._at + 1
        run = self._run
        is_answered = bool(run.answer) and run.asked is not None and run.asked["number"] == number
        if is_answered and (not situation.actions or run.answer in situation.actions):
            return run.answer
        with transaction.atomic():
            row = leased.ours(run).select_for_update(no_key=True).first()
            if row is not None:
                asked = {"number": number, "actions": list(situation.actions), **self._seen()}
                leased.to(
                    row, S.WAITING, reason="A person has to choose the next action.", asked=asked, answer="",
                    answered_by=None,
                )  # fmt: skip
        raise Suspended("a person is asked")

    def _seen(self) -> dict[str, Any]:
        """What the next action is decided by, for whoever decides it."""
        held = [[one.sentence, one.source, one.age] for one in self._held[:_MOST_BELIEFS]]
        return {"beliefs": held, "decisions": self._decisions}

    def _write(self, action: Action) -> None:
        run = self._run
        by_person = action.by == PERSON
        with transaction.atomic():
            # The race it closes: a worker that was given up writes late. Under another fence it writes nothing.
            row = leased.ours(run).select_for_update(no_key=True).first()
            if row is None or row.at_step != action.number - 1:
                raise Suspended("taken over, or stopped")
            EnvironmentAction.objects.create(
                run=row,
                number=action.number,
                action=action.text,
                by=action.by,
                person=run.answered_by if by_person else None,
                policy=self.policy if action.by == LEARNED else "",
                rule=action.rule,
                line=action.line,
                goals=list(action.goals),
                why=[_told(one) for one in action.why],
                percept=action.percept.text,
                accepted=action.percept.accepted,
                is_over=action.percept.is_over,
                score=action.score,
                **self._seen(),
            )
            also = {"asked": None, "answer": "", "answered_by": None} if by_person else {}
            EnvironmentRun.objects.filter(pk=run.pk).update(
                at_step=action.number, score=action.score, lost_workers=0, **also
            )
        run.at_step = action.number
        if by_person:
            run.answer, run.asked = "", None


def _told(support: Support) -> dict[str, Any]:
    held = support.belief
    return {
        "context": support.context,
        "belief": [held.sentence, held.source, held.age],
        "stage": support.stage,
        "score": support.score,
        "reason": support.reason,
    }
