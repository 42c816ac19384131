"""One try of one step: fill references, judge its condition, ask the session, classify what came back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.actors.step_model_calls import Means
from agents.bdi.outcome.network import bounded
from agents.bdi.plans.conditions import holds
from agents.bdi.plans.document import IntentSpec
from agents.bdi.plans.started_programs import START, STOP
from agents.bdi.plans.validation import validate_values
from agents.bdi.recovery import recovery
from agents.bdi.recovery.recovery import Failure, FailureClass
from agents.execution import tool_answers
from agents.models import IntentPlan
from agents.record import telemetry
from agents.toolkit.command import Command, Params
from agents.toolkit.limits import session_limits
from agents.toolkit.references import UnresolvedReference, resolve
from agents.toolkit.registry import UnknownTool, tools_in_use
from sandbox.contract import Result
from sandbox.sessions.listening import OnOutput
from sandbox.sessions.session import Session


@dataclass(frozen=True)
class StepOutcome:
    """What a try came to: a result, or why it was skipped; `failure` when it did not succeed."""

    result: Result | None = None
    failure: Failure | None = None
    skipped: str = ""
    answer: Mapping[str, Any] = field(default_factory=dict)


@telemetry.step
def run_step(
    spec: IntentSpec,
    session: Session,
    earlier: Mapping[int, Any],
    on_output: OnOutput | None = None,
    cancel: threading.Event | None = None,
    adjust: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda params: params,
    version: str = "",
) -> StepOutcome:
    """Run the step in the session; `earlier` holds the results of the steps before it, by position.

    A dry run narrows what the session is asked for by `adjust`. `version`: of the command, as the plan names it; no
    other one is run, even if it was put to use a moment ago. Raises SandboxError when the sandbox failed, which
    says nothing about the step, and StepWaits when it goes on with somebody's answer.
    """
    ready = _ready(spec, session.state.cwd, earlier, version)
    if isinstance(ready, StepOutcome):
        return ready
    command, params = ready
    result, timeout_s = None, None
    for request in command.requests(adjust(params)):
        result = session.execute(request, on_output=on_output, cancel=cancel)
        if not result.ok:
            timeout_s = request.params.get("timeout_s")
            if request.command in (START, STOP):
                timeout_s = spec.limits.get("hard_s")  # how long a program may live that nobody waits for
            break
    if result is None:
        return unfit(FailureClass.TOOL_UNAVAILABLE, f"{spec.tool}.{spec.command} asks the sandbox for nothing")
    if result.ok and command.finish:
        result = _finished(command, params, result, spec, cancel)
    answer = bounded(result.as_json())
    failure = None if result.ok else recovery.classify(answer, spec.limits, timeout_s)
    return StepOutcome(result, failure, answer=answer)


def _ready(
    spec: IntentSpec, cwd: str, earlier: Mapping[int, Any], version: str
) -> tuple[Command, dict[str, Any]] | StepOutcome:
    """The command and the values that it gets; or how the step ends without being asked of the sandbox."""
    try:
        if spec.condition is not None and not holds(spec.condition, earlier):
            return StepOutcome(skipped="its condition does not hold")
        params = resolve(spec.params, earlier)
        command = tools_in_use().command(spec.tool, spec.command)
    except UnresolvedReference as fault:
        return unfit(FailureClass.INVALID_PARAMETERS, str(fault))
    except UnknownTool as missing:
        return unfit(FailureClass.TOOL_UNAVAILABLE, str(missing))
    if version and command.source and command.version != version:
        return unfit(FailureClass.TOOL_UNAVAILABLE, f"{spec.tool} was changed after the plan was made")
    # Filled values are as untrusted as the output they came from, so everything is checked once more.
    if wrong := validate_values(command, params, cwd):
        return unfit(FailureClass.INVALID_PARAMETERS, wrong[0][1])
    return command, params


def _finished(
    command: Command, params: Params, result: Result, spec: IntentSpec, cancel: threading.Event | None
) -> Result:
    """What mindX makes of the jail's answer where the command names a service; it has a step's time for it."""
    goal = telemetry.ids().get("goal")
    means = Means(
        goal=goal if isinstance(goal, int) else None,
        asks=spec.asks,
        is_stopped=cancel.is_set if cancel is not None else lambda: False,
        until=time.monotonic() + session_limits(spec.limits).hard_s,
    )
    began = time.monotonic()
    done = tool_answers.finished(command, params, result, means)
    return replace(done, duration_s=result.duration_s + time.monotonic() - began)


def unfit(failure_class: FailureClass, reason: str) -> StepOutcome:
    """A step that was not asked of the sandbox at all."""
    answer = {"status": "ERROR", "error_class": failure_class.value, "reason": reason}
    return StepOutcome(failure=Failure(failure_class, reason), answer=answer)


def may_change_files(spec: IntentSpec) -> bool:
    """Whether files that differ after the step are kept. The code of a tool that a person made is not ours, so one that
    says that it changes nothing is held to it.
    """
    command = tools_in_use().command(spec.tool, spec.command)
    return not (command.source and command.effect == "idempotent")


def refers_back(spec: IntentSpec) -> bool:
    """Whether the step needs what earlier ones came to."""
    return spec.condition is not None or "{{" in str(spec.params)


def earlier_results(plan: IntentPlan, spec: IntentSpec) -> dict[int, Any]:
    """Results by position of the steps before one that refers to some."""
    return dict(plan.intents.filter(position__lt=spec.position).values_list("position", "result"))
