"""One step of the loop: the limits, then the module that the state names. Nothing else decides what comes next."""

from __future__ import annotations

import copy
from dataclasses import dataclass

from agents.bdi.modular import limits
from agents.bdi.modular.agent import ModularAgent, Want
from agents.bdi.modular.modules import UnknownModule, module
from agents.bdi.modular.state import STEP_TYPES, TOOLKIT, Message, State


class ModuleFailed(Exception):
    """A module raised, or left the state as it was; the message names it."""


@dataclass(frozen=True)
class Turn:
    """What a step came to: whether it is done, by which module, and else what it waits for."""

    module_type: str
    module: str
    wants: tuple[Want, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether the state has gone on."""
        return not self.wants


def begin(state: State, now: str) -> None:
    """Put the task into a state that has no node yet."""
    if not state.nodes:
        state.add(Message("user", state.task), source="task", at=now)


def trial(state: State) -> State:
    """A state to run a module on, so that one which must be run again has changed nothing.

    Nodes are never changed, so the copy shares them.
    """
    kept, state.nodes = state.nodes, {}
    try:
        again = copy.deepcopy(state)
    finally:
        state.nodes = kept
    again.nodes = dict(kept)
    return again


def step(agent: ModularAgent) -> Turn:
    """Run the next module on the agent's state. Raises ModuleFailed.

    Where the turn waits the state is half done: it is thrown away, and the step run again on the one before.
    """
    state = agent.state
    kind = state.next_step.module_type
    if not kind:
        raise ModuleFailed("The run has ended.")
    if reason := limits.reached(state):
        state.end("limit", reason)
        return Turn(kind, "limits")
    if reason := limits.near(state):
        return _submit_what_there_is(agent, kind, reason)
    if kind not in STEP_TYPES:
        raise ModuleFailed(f"next_step names “{kind[:60]}”, which is no module that runs.")
    _run(agent, TOOLKIT)
    before = state.next_step
    name = _run(agent, kind)
    if agent.wants:
        return Turn(kind, name, tuple(agent.wants))
    if state.next_step is before:
        raise ModuleFailed(f"The {kind} “{name}” did not say what comes next.")
    state.steps += 1
    return Turn(kind, name)


def _submit_what_there_is(agent: ModularAgent, kind: str, reason: str) -> Turn:
    state = agent.state
    if answer := limits.newest_answer(state):
        state.submissions.append(answer)
        agent.add(Message("user", f"{reason} What you said last was submitted."), "autosubmit")
    state.steps += 1
    state.end("limit", f"{reason} {'The newest answer was submitted.' if answer else 'There was nothing to submit.'}")
    return Turn(kind, "autosubmit")


def _run(agent: ModularAgent, kind: str) -> str:
    name = agent.state.settings[kind].name
    try:
        module(kind, name).run(agent)
    except UnknownModule as unknown:
        raise ModuleFailed(str(unknown)) from unknown
    except Exception as error:  # a module may be anybody's: whatever it raises stops the run, and loses nothing
        raise ModuleFailed(f"The {kind} “{name}” failed: {type(error).__name__}: {str(error)[:300]}") from error
    return name
