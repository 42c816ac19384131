"""What a step of a modular agent wants of the world, answered: models asked, calls proposed, memory searched.

Each answer is a row as soon as it is there, so a step that is done again finds it. Models are asked outside of any
transaction.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import IntegrityError, close_old_connections, connection, transaction

from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.bdi.modular import acting, model_requests
from agents.bdi.modular.agent import CALL, MEMORY, MODEL, ToolSpec, Want
from agents.components import made_tools
from agents.goals import tool_calls
from agents.goals.component_goals import Terms
from agents.goals.tool_calls import ToolCall
from agents.models import Goal, ModularAnswer, ModularCall, ModularRun
from agents.plans.tool_call_plans import Caller
from agents.record.errors import GoalRefused, PlanInvalid
from agents.record.logs import storable
from agents.toolkit.registry import tools_in_use
from library.errors import LibraryError
from library.language import generation
from library.language.asking import Message, ModelError
from library.memory import context
from library.models import ModelCall
from library.prompts import in_use

_AT_ONCE = 4
CALLER = "modular"
PURPOSE = "modular"


def catalogue() -> dict[str, ToolSpec]:
    """All tools in use, and what the agent does by itself, as models are told of them."""
    made_tools.refresh()
    found = {
        f"{one.tool}.{one.name}": ToolSpec(f"{one.tool}.{one.name}", one.summary, one.schema)
        for one in tools_in_use().commands
    }
    return {**found, **acting.OWN}


def of_step(run: ModularRun, number: int) -> dict[str, Mapping[str, Any]]:
    """The answers that this step has so far."""
    rows = ModularAnswer.objects.filter(run=run, number=number)
    return dict(rows.values_list("key", "answer"))


def keep(run: ModularRun, number: int, want: Want, answer: Mapping[str, Any]) -> None:
    """Keep an answer; the first one counts, where two workers had the step at once."""
    try:
        with transaction.atomic():
            ModularAnswer.objects.create(run=run, number=number, key=want.key, kind=want.kind, answer=_clean(answer))
    except IntegrityError:
        return


def _clean(value: Any) -> Any:
    """A value as Postgres can hold it."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable(str(name)): _clean(one) for name, one in value.items()}
    return [_clean(one) for one in value] if isinstance(value, (list, tuple)) else value


def ask(run: ModularRun, number: int, wants: Sequence[Want]) -> bool:
    """Answer what can be answered now; whether all of it was. Models are asked beside each other."""
    models = [want for want in wants if want.kind == MODEL]
    if len(models) == 1:
        keep(run, number, models[0], _model(run, models[0]))
    elif models:
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for want, answer in zip(models, threads.map(lambda one: _in_thread(run, one), models), strict=True):
                keep(run, number, want, answer)
    for want in wants:
        if want.kind == MEMORY:
            keep(run, number, want, _memory(run, want))
    waiting = [want for want in wants if want.kind not in (MODEL, MEMORY)]
    calls = [want for want in waiting if want.kind == CALL]
    return _called(run, number, calls) and len(calls) == len(waiting)


def _called(run: ModularRun, number: int, calls: Sequence[Want]) -> bool:
    # All are proposed, so that people can review them side by side.
    ended = [_call(run, number, want) for want in calls]
    return all(ended)


def _in_thread(run: ModularRun, want: Want) -> Mapping[str, Any]:
    close_old_connections()
    try:
        return _model(run, want)
    finally:
        connection.close()


def _models(run: ModularRun, name: str) -> tuple[str, ...]:
    known = models_of(run.agent)
    if name == "fallback":
        return known[1:] or known
    return (name,) if name else known


def _model(run: ModularRun, want: Want) -> Mapping[str, Any]:
    args = want.args
    prompt = in_use.filled(args["prompt"])
    prompts = [prompt]
    messages = [Message("system", prompt.text), *(Message(one["role"], one["content"]) for one in args["messages"])]
    if "problem" in args:
        repair = in_use.filled("modular-repair", problems=args["problem"])
        prompts.append(repair)
        messages += [Message("assistant", args["before"]), Message("user", repair.text)]
    begun = time.monotonic()
    try:
        request = request_for(
            run.agent,
            PURPOSE,
            messages,
            _models(run, args["model"]),
            prompts=prompts,
            max_tokens=min(args["max_tokens"], settings.MODEL_ANSWER_TOKENS),
            schema=model_requests.SCHEMAS[args["prompt"]],
        )
        answer = generation.ask(replace(request, temperature=args["temperature"]))
    except ModelError as error:
        return {"error": error.code, "message": str(error), "time_s": round(time.monotonic() - begun, 3)}
    row = ModelCall.objects.get(pk=answer.call)
    return {
        "text": str(answer.masked.restored(answer.text)),
        "model": answer.asked,
        "call": answer.call,
        "tokens": (row.tokens_in or 0) + (row.tokens_out or 0),
        "cost": str(row.cost or 0),
        "time_s": round(time.monotonic() - begun, 3),
    }


def _memory(run: ModularRun, want: Want) -> Mapping[str, Any]:
    try:
        found = context.build(want.args["query"], user=run.by, budget_tokens=want.args["budget_tokens"])
    except LibraryError as error:
        return {"items": [], "left_out": [{"why": str(error)}]}
    return {
        "items": [{"kind": one.kind, "id": one.id, "text": one.text, "why": one.why} for one in found.items],
        "left_out": [{"kind": one.kind, "id": one.id, "why": one.why} for one in found.left_out],
    }


def _call(run: ModularRun, number: int, want: Want) -> bool:
    """Propose the call once, and keep its answer when its goal has ended; whether it has."""
    made = ModularCall.objects.select_related("goal").filter(run=run, number=number, key=want.key).first()
    if made is None:
        tool, _, command = str(want.args["name"]).partition(".")
        call = ToolCall(tool, command, want.args["arguments"], want.args.get("why", ""))
        terms = Terms(run.by, run.workspace, run.agent, key=f"modular:{run.pk}:{number}:{want.key}")
        try:
            with transaction.atomic():
                plan = tool_calls.propose(call, terms, Caller(CALLER, f"Modular run {run.pk}", str(run.pk)))
                # A second worker with the same step proposes the same goal, by its key.
                made, _ = ModularCall.objects.get_or_create(run=run, number=number, key=want.key, goal=plan.goal)
        except (PlanInvalid, GoalRefused) as refused:
            keep(run, number, want, {"state": "refused", "reason": str(refused)})
            return True
    goal = Goal.objects.select_related("workspace").get(pk=made.goal_id)
    if (answer := tool_calls.answer_of(goal)) is None:
        return False
    said = {"state": answer.state, "result": answer.result, "reason": answer.reason, "goal": goal.pk}
    keep(run, number, want, {**said, "snapshot": goal.workspace.head})
    return True
