"""Finishes the answer of a tool in the worker, by the service that its command names (agents.toolkit.finishing).

It gets what the jail answered, and touches no file. Whatever goes wrong is the step's failure with a class of its own,
never the worker's; only a database that went away is told on, since nothing could be recorded either, and that a step
waits for somebody's answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.db import InterfaceError, OperationalError

from agents.actors.step_model_calls import Means
from agents.bdi.plans.approved_models import NotAsApproved
from agents.bdi.recovery.recovery import FailureClass
from agents.components import agent_steps
from agents.execution import model_changes, summaries
from agents.plans import sub_goals
from agents.record.errors import AskedInVain, GoalRefused, NotPossibleNow, NotYours, StepWaits, TooManyGoals
from agents.toolkit.command import Command, Params
from agents.toolkit.finishing import (
    CHANGE_AGENT,
    KEY_SENTENCES,
    MAKE_AGENT,
    MODEL_CHANGES,
    MODEL_SUMMARY,
    RETIRE_AGENT,
    SUB_GOAL,
)
from library.errors import EmbeddingUnavailable
from library.language.asking import BudgetSpent, CallFailed, NoModel, Stopped
from sandbox.contract import Result

logger = logging.getLogger(__name__)

Work = Callable[[Params, Mapping[str, Any], Means], Mapping[str, Any]]
_WORK: dict[str, Work] = {
    KEY_SENTENCES: summaries.by_sentences,
    MODEL_SUMMARY: summaries.by_model,
    MODEL_CHANGES: model_changes.by_model,
    SUB_GOAL: sub_goals.add,
    MAKE_AGENT: agent_steps.make,
    CHANGE_AGENT: agent_steps.change,
    RETIRE_AGENT: agent_steps.retire,
}
# What is refused in words, by its kind: the first that fits.
_REFUSALS: Mapping[type[Exception], FailureClass] = {
    NotYours: FailureClass.PERMISSION_ERROR,
    TooManyGoals: FailureClass.RATE_LIMIT_ERROR,
    GoalRefused: FailureClass.INVALID_PARAMETERS,
    NotPossibleNow: FailureClass.TOOL_EXECUTION_ERROR,
    NoModel: FailureClass.TOOL_UNAVAILABLE,
    NotAsApproved: FailureClass.TOOL_UNAVAILABLE,
    EmbeddingUnavailable: FailureClass.TOOL_UNAVAILABLE,
}
# What the jail measured and said beside its answer, which the result keeps.
_KEPT = ("peak_memory_bytes", "peak_processes", "stderr", "network")
_CLASSES = {
    "rate_limited": FailureClass.RATE_LIMIT_ERROR,
    "timed_out": FailureClass.NETWORK_ERROR,
    "unreachable": FailureClass.NETWORK_ERROR,
    "server_error": FailureClass.NETWORK_ERROR,
    "key_refused": FailureClass.TOOL_UNAVAILABLE,
    "no_such_model": FailureClass.TOOL_UNAVAILABLE,
    "refused_by_provider": FailureClass.PERMISSION_ERROR,
    "prompt_too_long": FailureClass.INVALID_PARAMETERS,
    "request_refused": FailureClass.INVALID_PARAMETERS,
}


def register(more: Mapping[str, Work]) -> None:
    """Have these services done, too: rooms above this one declare theirs where mindX is put together."""
    _WORK.update(more)


def finished(command: Command, params: Params, result: Result, means: Means) -> Result:
    """The result of a step, made of what the jail answered; an ERROR where that was impossible."""
    try:
        data = dict(_work_of(command)(params, result.data, means))
    except (OperationalError, InterfaceError, StepWaits):
        raise
    except AskedInVain as error:
        return _failed(result, error.failure_class, str(error))
    except tuple(_REFUSALS) as error:
        return _failed(result, next(found for kind, found in _REFUSALS.items() if isinstance(error, kind)), str(error))
    except BudgetSpent as error:
        # Another try today finds the same: the operator raises it, or tomorrow comes.
        return _failed(result, FailureClass.TOOL_UNAVAILABLE, f"the agent's daily budget does not allow it: {error}")
    except CallFailed as error:
        return _failed(result, _CLASSES.get(error.code, FailureClass.TOOL_EXECUTION_ERROR), str(error))
    except Stopped:
        return _failed(result, FailureClass.TOOL_EXECUTION_ERROR, "it was stopped, or took longer than a step may")
    except Exception as error:
        # The edge: foreign text went into it, and the worker must live on.
        logger.exception("Finishing %s.%s failed", command.tool, command.name)
        return _failed(result, FailureClass.TOOL_EXECUTION_ERROR, f"mindX failed to finish it: {type(error).__name__}")
    return replace(result, data=data | {name: result.data[name] for name in _KEPT if name in result.data})


def _work_of(command: Command) -> Work:
    """Raises NotPossibleNow for a service of a room that is not connected in this process."""
    if command.finish not in _WORK:
        raise NotPossibleNow("This part of mindX is not connected here.")
    return _WORK[command.finish]


def _failed(result: Result, failure_class: FailureClass, reason: str) -> Result:
    kept = {name: result.data[name] for name in _KEPT if name in result.data}
    return replace(result, status="ERROR", data=kept, error_class=failure_class.value, reason=reason)
