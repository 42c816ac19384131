"""The two sides of a replay of a prompt or of firmware: a recorded request, sent again with a version of its text.

The answer is checked by code as its asker would check it, and the steps of a plan are run in a copy. Nothing acts on
it. What was answered since the replay was asked for is not paid for again.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import datetime
from threading import Event

from agents.actors import firmware
from agents.actors.firmware import Firmware
from agents.bdi import document as documents
from agents.bdi.document import Document
from agents.evolution import answer_checks, asking_again, copies
from agents.evolution.answer_checks import Asked
from agents.evolution.copies import GONE, SAID_MAX, Side
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
        call = ModelCall.objects.filter(pk=case.call).first()
        if call is None or (call.goal and case.goal is None):
            return Side(None, GONE)
        started = time.monotonic()
        try:
            answer = _answered(self._request(call), self.since, stop_work)
        except NotWanted as stopped:
            raise Stopped from stopped
        except BudgetSpent as spent:
            raise OutOfBudget(f"{spent} Replay it again when there is budget: what was answered stays.") from spent
        except (ModelError, NotPossibleNow) as error:
            return Side(None, logs.storable(f"no answer: {error}")[:SAID_MAX])
        asked = Asked(call, case.goal, case.base)
        return self._judged(asked, answer, name, stop_work, started)

    def _request(self, call: ModelCall) -> Ask:
        if self.version.component.kind == PROMPT:
            return asking_again.request_of(call, version=self.version.version)
        sent = str(call.asked_with["prompts"][0]["version"])
        return asking_again.request_of(call, version=sent, told=_told(call, self.version))

    def _judged(self, asked: Asked, answer: Answer, name: str, stop_work: Event, started: float) -> Side:
        held_to = _told(asked.call, self.candidate if self.candidate.component.kind != PROMPT else None)
        checked = answer_checks.check(asked, answer.text, held_to.checks)
        wrong, is_valid = checked.wrong, False
        if not wrong and checked.document is not None:
            wrong = "; ".join(one.says for one in firmware.problems_under(held_to, checked.document)[:2])
        passes: bool | None = not wrong
        said = wrong or "the answer is of use"
        if checked.document is not None and not wrong:
            passes, said = _run(checked.document, asked, name, stop_work)
            is_valid = passes is None
        return Side(
            passes,
            logs.storable(said)[:SAID_MAX],
            (checked.means,),
            time.monotonic() - started,
            is_void=bool(wrong),
            is_valid=is_valid,
            call=answer.call,
        )


def of(replay: Replay, version: ComponentVersion) -> AnswerSide:
    """The side that a version takes in a replay."""
    return AnswerSide(version, replay.version, _since(replay))


def _since(replay: Replay) -> datetime:
    """When it was asked for, or the one before it that came to no end."""
    since = replay.created_at
    before = Replay.objects.filter(version=replay.version_id, parent=replay.parent_id, pk__lt=replay.pk)
    for state, at in before.order_by("-pk").values_list("state", "created_at"):
        if state != ReplayState.IMPOSSIBLE:
            break
        since = at
    return since


def _answered(request: Ask, since: datetime, stop_work: Event) -> Answer:
    known = generation.answered_since(request, since, ())
    return known or generation.ask(request, is_wanted=lambda: not stop_work.is_set())


def _told(call: ModelCall, instead: ComponentVersion | None) -> Firmware:
    agent = asking_again.agent_of(call)
    return Firmware() if agent is None else firmware.of(agent, instead=instead)


def _run(document: Document, asked: Asked, name: str, stop_work: Event) -> tuple[bool | None, str]:
    """What a copy says of a plan; one that people approved and that worked needs none."""
    if asked.goal is not None and _has_worked(document, asked.goal):
        return True, "the plan that people approved and that worked"
    try:
        passes, said, _ = copies.run(document, asked.base, name, stop_work)
    except (SandboxError, UnknownLimit, ValueError, KeyError, OSError) as error:
        logger.warning("A plan could not be tried", extra={"model_call": asked.call.pk}, exc_info=True)
        return None, f"could not be tried: {error}"
    return passes, said


def _has_worked(document: Document, goal: Goal) -> bool:
    worked = goal.intent_plans.filter(state=PlanState.COMPLETE.value).order_by("-pk").first()
    if worked is None:
        return False
    return copies.steps_of(documents.read(bytes(worked.document))) == copies.steps_of(document)
