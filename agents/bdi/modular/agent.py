"""The agent as its modules meet it: the state, and what they want of the world, which is answered outside.

A module that wants something calls `agent.answer(want)`. While there is no answer it gets None and must return at once;
it is run again on the same state with the answer. So modules are pure, and a run can be repeated from its answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from agents.bdi.modular.state import Chosen, Message, Node, State, Used

Answer = Mapping[str, Any]

# What can be wanted: a model's answer, a call of a tool, a person's choice or words, and what the library remembers.
MODEL, CALL, PERSON, MEMORY = "model", "call", "person", "memory"


@dataclass(frozen=True)
class Want:
    """Something that is wanted of the world. `key` is its name within the step; each is answered once."""

    key: str
    kind: str
    args: Mapping[str, Any]


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a model is told of it. `acts`: calling it is an intent that is reviewed."""

    name: str
    summary: str
    schema: Mapping[str, Any]
    acts: bool = True


@dataclass
class ModularAgent:
    """A state, the moment, the tools there are, and the answers to what was wanted in this step so far."""

    state: State
    now: str
    catalogue: Mapping[str, ToolSpec] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    wants: list[Want] = field(default_factory=list)
    # What the answers of this step took, counted once each.
    counted: set[str] = field(default_factory=set)

    def answer(self, want: Want) -> Answer | None:
        """The answer; None while there is none yet, and then the module must return."""
        if (answer := self.answers.get(want.key)) is None:
            self.wants.append(want)
            return None
        if want.key not in self.counted:
            self.counted.add(want.key)
            self.state.usage += used_of(answer)
        return answer

    def setting(self, module_type: str, name: str) -> Any:
        """A setting of the module of this type that the run has chosen."""
        return self.state.settings[module_type].settings[name]

    def chosen(self, module_type: str) -> Chosen:
        """The module of this type."""
        return self.state.settings[module_type]

    def add(self, message: Message, source: str, **also: Any) -> Node:
        """Put a node under the present one and go there."""
        return self.state.add(message, source=source, at=self.now, **also)


def used_of(answer: Answer) -> Used:
    """What an answer took, as it says itself."""
    return Used(int(answer.get("tokens", 0)), Decimal(str(answer.get("cost", 0))), float(answer.get("time_s", 0.0)))
