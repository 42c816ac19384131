"""The two sides of a replay of a prompt or of firmware: a recorded request, sent again with a version of its text.

The answer is checked by code as its asker would check it, and the steps of a plan are run in a copy. Nothing acts on
it. What was answered since the replay was asked for is not paid for again.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Event
from typing import Protocol

from agents.actors import firmware
from agents.actors.firmware import Firmware
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.evolution.replays import answer_checks, asking_again, copies
from agents.evolution.replays.answer_checks import Asked, Checked
from agents.evolution.replays.copies import GONE, SAID_MAX, Side
from agents.execution.shadow import Stopped
from agents.models import Goal, Replay, ReplayCase
from agents.record import logs
from agents.record.errors import NotPossibleNow
from agents.states import PlanState, ReplayState
from agents.toolkit.limits import UnknownLimit
from library.language import generation
from library.language.asking import Answer, Ask, BudgetSpent, ModelError
from library.language.asking import Stopped as NotWanted
from library.models import ComponentVersion, ModelCall
from library.prompts import in_use
from library.prompts.in_use import KIND as PROMPT
from sandbox.contract import SandboxError

logger = logging.getLogger(__name__)


class OutOfBudget(NotPossibleNow):
    """The agent's budget of today is used; what was answered is not asked again tomorrow."""


@dataclass(frozen=True)
class AnswerSide:
    """One version of a text. `candidate` is the version under test, whose checks both sides are held to."""

    version: ComponentVersion
    candidate: ComponentVersion
    since: datetime

    @property
    def version_id(self) -> int:
        """Which version it is."""
        return self.version.pk

    def tried(self, case: ReplayCase, name: str, stop_work: Event) -> Side:
        """The case's request with this version, and what its answer is worth. Raises Stopped, OutOfBudget."""
        call = ModelCall.objects.filter(pk=case.call or 0).first()
        if call is None or (call.goal and case.goal is None):
            return Side(None, GONE)
        started = time.monotonic()
        try:
            request = self._request(call)
        except NotPossibleNow as error:
            return Side(None, logs.storable(f"no answer: {error}")[:SAID_MAX])
        answer = answered(request, self.since, stop_work)
        if isinstance(answer, Side):
            return answer
        asked = Asked(call, case.goal, case.base)
        # Both sides are held to the checks of the firmware under test, or else to those in force.
        held_to = _told(call, self.candidate if self.candidate.component.kind != PROMPT else None)
        checked = answer_checks.check(asked, answer.text, held_to.checks)
        if not checked.wrong and checked.document is not None:
            against = firmware.problems_under(held_to, checked.document)
            checked = replace(checked, wrong="; ".join(one.says for one in against[:2]))
        return judged(checked, asked, name, stop_work, started, call=answer.call)

    def _request(self, call: ModelCall) -> Ask:
        if self.version.component.kind == PROMPT:
            # A text of a search is no row yet.
            text = None if self.version.pk else in_use.of_text(self.version.component.name, self.version.body)
            return asking_again.request_of(call, version=self.version.version, text=text)
        sent = str(call.asked_with["prompts"][0]["version"])
        return asking_again.request_of(call, version=sent, told=_told(call, self.version))


def of(replay: Replay, version: ComponentVersion) -> AnswerSide:
    """The side that a version takes in a replay."""
    return AnswerSide(version, replay.version, since(replay))


def since(replay: Replay) -> datetime:
    """When it was asked for, or the one before it that came to no end."""
    begun = replay.created_at
    before = Replay.objects.filter(version=replay.version_id, parent=replay.parent_id, pk__lt=replay.pk)
    for state, at in before.order_by("-pk").values_list("state", "created_at"):
        if state != ReplayState.IMPOSSIBLE:
            break
        begun = at
    return begun


def answered(request: Ask, since: datetime, stop_work: Event) -> Answer | Side:
    """The answer to a request, from before or now; or a side that proves nothing, where there is none.

    Raises Stopped, OutOfBudget.
    """
    try:
        known = generation.answered_since(request, since, ())
        return known or generation.ask(request, is_wanted=lambda: not stop_work.is_set())
    except NotWanted as stopped:
        raise Stopped from stopped
    except BudgetSpent as spent:
        raise OutOfBudget(f"{spent} Begin it again when there is budget: what was answered stays.") from spent
    except ModelError as error:
        return Side(None, logs.storable(f"no answer: {error}")[:SAID_MAX])


class OnFiles(Protocol):
    """A goal, and the files that its plan is made on."""

    @property
    def goal(self) -> Goal | None:
        """None: there is none."""

    @property
    def base(self) -> str:
        """A snapshot."""


def judged(
    checked: Checked, on: OnFiles, name: str, stop_work: Event, started: float, *, call: int | None = None
) -> Side:
    """How a side ended that came to this: of a plan the steps are run in a copy of this name. Raises Stopped."""
    passes: bool | None = not checked.wrong
    said, is_valid = checked.wrong or "the answer is of use", False
    if checked.document is not None and not checked.wrong:
        passes, said = _run(checked.document, on, name, stop_work)
        is_valid = passes is None
    return Side(
        passes,
        logs.storable(said)[:SAID_MAX],
        # The same answer may be allowed to one side and forbidden to the other.
        (checked.means, bool(checked.wrong)),
        time.monotonic() - started,
        is_void=bool(checked.wrong),
        is_valid=is_valid,
        call=call,
    )


def _told(call: ModelCall, instead: ComponentVersion | None) -> Firmware:
    agent = asking_again.agent_of(call)
    return Firmware() if agent is None else firmware.of(agent, instead=instead)


def _run(document: Document, on: OnFiles, name: str, stop_work: Event) -> tuple[bool | None, str]:
    """What a copy says of a plan; one that people approved and that worked needs none."""
    if on.goal is not None and _has_worked(document, on.goal):
        return True, "the plan that people approved and that worked"
    try:
        passes, said, _ = copies.run(document, on.base, name, stop_work)
    except (SandboxError, UnknownLimit, ValueError, KeyError, OSError) as error:
        logger.warning("A plan could not be tried", extra={"copy": name}, exc_info=True)
        return None, f"could not be tried: {error}"
    return passes, said


def _has_worked(document: Document, goal: Goal) -> bool:
    worked = goal.intent_plans.filter(state=PlanState.COMPLETE.value).order_by("-pk").first()
    if worked is None:
        return False
    return copies.steps_of(documents.read(bytes(worked.document))) == copies.steps_of(document)
