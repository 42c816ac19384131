"""Fallback policies: who chooses an action when no rule applies. One protocol for models, learned policies and people.

A policy sees what the agent believes, never the state of the environment. What it says is one action; whether it may
act there at all is decided by the interpreter.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

from agents.environments.beliefs import PERCEPT, Held
from agents.toolkit.schemas import JsonError, loads_strict

LEARNED, LANGUAGE_MODEL, PERSON = "learned", "language_model", "person"
# A longer text is no action of an environment.
MOST_CHARACTERS = 200
# Of the beliefs and actions that a model is told; what is perceived comes first.
MOST_BELIEFS, MOST_ACTIONS = 200, 1_000
_FENCE = re.compile(r"\A\s*```(?:json)?\s*(.*?)\s*```\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Situation:
    """What a policy knows: the goal in words, the beliefs, the actions that the environment offers (none where it does
    not tell), and how often each was chosen by a policy already while just this was perceived.
    """

    goal: str
    beliefs: tuple[Held, ...]
    actions: tuple[str, ...] = ()
    tried: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Outcome:
    """The outcome of a choice until the policy was asked again, rules in between included: the score that was won, and
    the situation then; None: the run had ended.
    """

    before: Situation
    action: str
    reward: float
    after: Situation | None


class Policy(Protocol):
    """Chooses actions where no rule applies. `name` stands with each of them. A policy that `needs_simulation` may act
    only where nothing real can be harmed.
    """

    name: str
    needs_simulation: bool

    def choose(self, situation: Situation) -> str | None:
        """Return an action, or None to give up."""
        ...

    def learn(self, outcome: Outcome) -> None:
        """Take notice of the outcome of a choice; a policy that does not learn does nothing."""
        ...


class Person:
    """A person is asked, and waited for. Another thread shows `asked` and answers; both ends may give up."""

    name, needs_simulation = PERSON, False

    def __init__(self, patience_s: float) -> None:
        """`patience_s`: so long an answer is waited for, in seconds."""
        self._patience_s = patience_s
        self._changed = threading.Condition()
        self._answer: tuple[str | None] | None = None
        self.asked: Situation | None = None

    def choose(self, situation: Situation) -> str | None:
        """Ask, and wait for the answer; None when nobody answered in time, or somebody gave up."""
        with self._changed:
            self.asked, self._answer = situation, None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._answer is not None, self._patience_s)
            found, self.asked = self._answer, None
        return found[0] if found else None

    def wait_until_asked(self, timeout_s: float) -> Situation | None:
        """Wait for a question; None when there was none in time."""
        with self._changed:
            # One that is answered is no question any more, though the other thread has yet to take it.
            is_open = self._changed.wait_for(lambda: self.asked is not None and self._answer is None, timeout_s)
            return self.asked if is_open else None

    def answer(self, action: str | None) -> bool:
        """Answer the question that is open; None gives up. False: nothing is asked, or the action is none."""
        text = None if action is None else " ".join(action.split())
        if text is not None and not 0 < len(text) <= MOST_CHARACTERS:
            return False
        with self._changed:
            if self.asked is None or self._answer is not None:
                return False
            self._answer = (text,)
            self._changed.notify_all()
        return True

    def learn(self, outcome: Outcome) -> None:
        """People learn by themselves."""


class LanguageModel:
    """A language model is asked. `ask` sends the situation as data and returns the answer, or None when there is none;
    where it comes from, under which instructions and on whose budget, is its own affair.
    """

    name, needs_simulation = LANGUAGE_MODEL, False

    def __init__(self, ask: Callable[[str, Mapping[str, Any]], str | None], *, needs_simulation: bool = True) -> None:
        """`needs_simulation` False only where a person reviews each action before it is done."""
        self._ask, self.needs_simulation = ask, needs_simulation

    def choose(self, situation: Situation) -> str | None:
        """Return the action that the model names; None where its answer is not as asked."""
        answer = self._ask(as_data(situation), schema_of(situation))
        return None if answer is None else read(answer, situation)

    def learn(self, outcome: Outcome) -> None:
        """It is not trained here."""


def as_data(situation: Situation) -> str:
    """The situation as JSON, for a model: what it holds is data, not instructions."""
    seen = sorted(situation.beliefs, key=lambda held: held.source != PERCEPT)[:MOST_BELIEFS]
    told: dict[str, Any] = {
        "goal": situation.goal,
        "perceived": [held.sentence for held in seen if held.source == PERCEPT],
        "remembered": [held.sentence for held in seen if held.source != PERCEPT],
        "tried_here": dict(sorted(situation.tried.items())),
    }
    if situation.actions:
        told["actions"] = dict(enumerate(situation.actions[:MOST_ACTIONS], 1))
    return json.dumps(told, ensure_ascii=False)


def schema_of(situation: Situation) -> dict[str, Any]:
    """The form of an answer: the number of an offered action, or an action in words where none is offered."""
    last = min(len(situation.actions), MOST_ACTIONS)
    one = {"type": "integer", "minimum": 1, "maximum": last} if last else {"type": "string"}
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["action"],
        "properties": {"action": one},
    }


def read(answer: str, situation: Situation) -> str | None:
    """The action that an answer names; None for anything that is not as asked."""
    fenced = _FENCE.match(answer)
    try:
        said = loads_strict(fenced[1] if fenced else answer.strip())
    except JsonError:
        return None
    action = said.get("action") if isinstance(said, dict) and set(said) == {"action"} else None
    if situation.actions:
        offered = situation.actions[:MOST_ACTIONS]
        if isinstance(action, bool) or not isinstance(action, int):
            return None
        return offered[action - 1] if 1 <= action <= len(offered) else None
    text = " ".join(action.split()) if isinstance(action, str) else ""
    return text if 0 < len(text) <= MOST_CHARACTERS else None
