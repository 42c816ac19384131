"""What the texts of a search are tried on, one class for each kind: earlier goals in copies, or recorded calls asked
again. Both know the probe half only, and of that what the asking person may see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Event
from typing import Any, Protocol

from agents.actors import prompt_versions
from agents.bdi.language_models.candidate_writing import Case
from agents.bdi.language_models.prompt_writing import Recorded
from agents.evolution import replaying
from agents.evolution.candidates import prompt_candidates, writing
from agents.evolution.replays import answer_cases, answer_checks, contenders
from agents.evolution.replays.answer_cases import FoundCall
from agents.evolution.replays.answer_sides import AnswerSide
from agents.evolution.replays.cases import Found
from agents.evolution.replays.contenders import Unusable
from agents.models import ReplayCase
from library.language.asking import guessed_tokens
from library.models import Component, ComponentVersion, ModelCall
from library.prompts import declared, in_use
from people.models import User


@dataclass(frozen=True)
class Tried:
    """How a text did on a case: whether that passes, and what the writer is told of it."""

    passes: bool
    case: Any


# Tries one case with a text, in a copy of this name. Raises Stopped, OutOfBudget.
Trier = Callable[[Any, str, Event], Tried]


class Ground(Protocol):
    """The cases of a search, and how a text is tried on one."""

    @property
    def cases(self) -> Sequence[Any]:
        """What `with_text` tries."""

    @property
    def case_type(self) -> type[Any]:
        """The dataclass by which a writer is told of a case."""

    @property
    def has_failed(self) -> bool:
        """Whether any case failed then, so that there is something to improve."""

    def with_text(self, text: str) -> Trier:
        """How a text does a case. Raises Unusable where it cannot be read."""

    def unusable(self, case: Any, why: str) -> Tried:
        """A case done with a text that cannot be read."""

    def cost(self, tried_on_all: int, tried_on_one: int) -> tuple[int, int, int]:
        """The most calls, their tokens, and runs in copies: so many texts on all cases, and so many single trials."""


def of(parent: ComponentVersion, by: User, since: datetime | None = None, until: datetime | None = None) -> Ground:
    """What the texts of a search by this person are tried on. `since`: from when on answers are not paid for again;
    `until`: recorded calls up to then, so that a worker that begins again has the same cases.
    """
    if parent.component.kind == in_use.KIND:
        return _Calls(parent, by, since, until)
    return _Goals(parent.component, by)


class _Goals:
    def __init__(self, component: Component, by: User) -> None:
        self._component = component
        self.case_type = Case
        self.cases: Sequence[Found] = writing.probe_half(component, by)

    @property
    def has_failed(self) -> bool:
        return not all(one.succeeded for one in self.cases)

    def with_text(self, text: str) -> Trier:
        side = contenders.of(ComponentVersion(pk=0, component=self._component, version="0.0.0", body=text))

        def tried(one: Found, name: str, stop_work: Event) -> Tried:
            case = ReplayCase(goal=one.goal, plan=one.plan, base=one.base)
            found = replaying.tried(case, side, name, stop_work)
            return Tried(bool(found.passes), Case(one.goal.text, "" if found.passes else found.said))

        return tried

    def unusable(self, case: Found, why: str) -> Tried:
        return Tried(False, Case(case.goal.text, why))

    def cost(self, tried_on_all: int, tried_on_one: int) -> tuple[int, int, int]:
        return 0, 0, tried_on_all * len(self.cases) + tried_on_one


class _Calls:
    """The model of each call is asked again; of a plan the steps also run in a copy. A plan that is valid and that no
    copy can prove counts as passed, for both texts alike: the replay decides.
    """

    def __init__(self, parent: ComponentVersion, by: User, since: datetime | None, until: datetime | None) -> None:
        self._component, self._since = parent.component, since
        self._probe = prompt_candidates.probe(parent, by, until)
        self.case_type = Recorded
        self.cases: Sequence[FoundCall] = self._probe.calls

    @property
    def has_failed(self) -> bool:
        return not all(one.succeeded for one in self.cases)

    def with_text(self, text: str) -> Trier:
        if wrong := prompt_versions.problems(self._component.name, text):
            raise Unusable(wrong[0])
        version = ComponentVersion(pk=0, component=self._component, version=in_use.UNSAVED, body=text)
        assert self._since is not None  # noqa: S101  # a search says when it began
        side = AnswerSide(version, version, self._since)

        def tried(one: FoundCall, name: str, stop_work: Event) -> Tried:
            case = ReplayCase(goal=one.asked.goal, call=one.asked.call.pk, base=one.asked.base)
            found = side.tried(case, name, stop_work)
            passes = bool(found.passes) or found.is_valid
            answer = ModelCall.objects.filter(pk=found.call or 0).values_list("answer", flat=True).first()
            return Tried(passes, self._probe.told(one, answer or "", "" if passes else found.said))

        return tried

    def unusable(self, case: FoundCall, why: str) -> Tried:
        return Tried(False, self._probe.told(case, "", why))

    def cost(self, tried_on_all: int, tried_on_one: int) -> tuple[int, int, int]:
        text = guessed_tokens("x" * declared.MOST_CHARS)
        tokens = [answer_cases.tokens_of(one.asked.call) + text for one in self.cases]
        calls = tried_on_all * len(tokens) + tried_on_one
        is_plan = self._component.name == answer_checks.PLAN
        return calls, tried_on_all * sum(tokens) + tried_on_one * max(tokens, default=0), calls if is_plan else 0
