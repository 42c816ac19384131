"""Errors of the mind that callers act on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agents.bdi.plans.validation import Problem
from agents.bdi.recovery.failures import FailureClass


class AgentsError(Exception):
    """Something the person or the caller can mend; the message says how."""


class GoalRefused(AgentsError):
    """The goal cannot be taken as submitted; `field` names what to change."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class TooManyGoals(GoalRefused):
    """The person has submitted as many goals as one may for now; after `wait_s` seconds there is room for one more."""

    def __init__(self, most: int, wait_s: int) -> None:
        said = f"You may submit {most} goals a minute, and you have. Try again in {wait_s} s."
        super().__init__("text", said)
        self.wait_s = wait_s


class StepWaits(AgentsError):
    """A step has asked somebody and goes on when there is an answer; the message says for what it waits.

    `is_over`: whether there is one by now, looked up when everybody else can see that the step waits.
    """

    def __init__(self, why: str, is_over: Callable[[], bool]) -> None:
        super().__init__(why)
        self.is_over = is_over


class AskedInVain(AgentsError):
    """Somebody was asked for a step and has not done it; `failure_class` says of what kind that failure is."""

    def __init__(self, why: str, failure_class: FailureClass) -> None:
        super().__init__(why)
        self.failure_class = failure_class


class NoSuchAgent(GoalRefused):
    """No agent has the name that was said; `near` is the one that may be meant, or empty."""

    def __init__(self, name: str, near: str) -> None:
        said = f"Did you mean {near}?" if near else "“agent_list” lists them."
        super().__init__("agent", f"There is no agent “{name[:60]}”. {said}")
        self.name, self.near = name, near


class RequestRefused(GoalRefused):
    """A request of the bus cannot be taken as it was made; `field` names what to change."""


class WorkspaceRefused(AgentsError):
    """Files cannot be changed as asked; `field` names what to change, and nothing was changed."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class TuningRefused(AgentsError):
    """Values that cannot be saved; `errors` holds a sentence for each field at fault, "" for the whole."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(f"{name}: {message}" if name else message for name, message in errors.items()))
        self.errors = dict(errors)


class CommandRefused(AgentsError):
    """What was typed is no command that can be carried out here; nothing was stored."""


class NotYours(AgentsError):
    """The person lacks the right; the message says who has it."""


class StaleDigest(AgentsError):
    """The digest is not the one that awaits a decision: the plan changed, or somebody decided first."""


class NotPossibleNow(AgentsError):
    """The goal is not in a state that allows this."""


class PlanInvalid(AgentsError):
    """The plan has problems; each names its step and the way out."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = list(problems)
