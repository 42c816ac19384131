"""What a step wants of the world, and how each is answered once: by a model, the library, a reviewed call, a person."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agents.actors.model_requests import request_for
from agents.actors.models_in_use import models_of
from agents.bdi.modular import model_requests
from agents.bdi.modular.acting import OWN
from agents.bdi.modular.agent import CALL, MEMORY, MODEL, PERSON, ToolSpec, Want
from agents.components import made_tools
from agents.goals import goals, tool_calls
from agents.goals.component_goals import Terms
from agents.goals.tool_calls import ToolCall
from agents.models import Goal, ModularRun, ModularStep, ModularWant
from agents.modular.rights import check_may_change
from agents.planning import known
from agents.plans.tool_call_plans import Caller
from agents.record import causes, leased, wake_ups
from agents.record.causes import Forged
from agents.record.errors import GoalRefused, NotPossibleNow, PlanInvalid, TooManyGoals
from agents.states import ModularRunState, MoveRefused
from agents.toolkit.registry import tools_in_use
from library.language import generation
from library.language.asking import Message, ModelError
from library.memory import context
from library.models import ModelCall
from library.prompts import in_use
from people import journal, sealing
from people.journal import Event
from people.models import User

PURPOSE = "modular"
KIND = "modular"
_MOST_CHARS = 60_000
# As many as a generator asks for samples of; providers refuse more at once.
_ASKED_AT_ONCE = 8


def catalogue() -> Mapping[str, ToolSpec]:
    """Every command in use and what concerns the agent alone, by name."""
    made_tools.refresh()
    found = {
        f"{tool.name}.{command.name}": ToolSpec(f"{tool.name}.{command.name}", command.summary, command.schema)
        for tool in tools_in_use().tools
        for command in tool.commands
    }
    return {**found, **OWN}


def wanted(run: ModularRun, step: int) -> dict[str, ModularWant]:
    """What the step has wanted so far, by key. Raises Forged."""
    rows = list(sealing.with_seals(ModularWant.objects.filter(run=run.pk, step=step)))
    causes.check(*(row for row in rows if not sealing.fits_as_read(row)))
    return {row.key: row for row in rows}


def settle(run: ModularRun, step: int, wants: Sequence[Want], rows: dict[str, ModularWant]) -> bool:
    """Have each want answered, or asked for. True when all that is left waits for a plan or a person.

    `rows` is what the step has wanted so far; what comes is put there. Asks models, all at the same time, so never
    inside a transaction. A worker that dies between an answer and its row asks again.
    """
    still = True
    for_models: list[ModularWant] = []
    for want in wants:
        row = rows[want.key] = rows.get(want.key) or _row(run, step, want)
        if row.answer is not None:
            still = False
        elif want.kind == MODEL:
            for_models.append(row)
            still = False
        elif want.kind == MEMORY:
            _answer(row, _remembered(run, want.args))
            still = False
        elif want.kind == CALL and row.goal_id is None:
            still = _call(run, row) and still
        elif want.kind == CALL:
            still = not _call_ended(row) and still
    _ask_models(run, for_models)
    return still


def _row(run: ModularRun, step: int, want: Want) -> ModularWant:
    """The row of a want. Raises Forged.

    The race: a worker that was given up wants the same; the constraint lets one through.
    """
    try:
        with transaction.atomic():
            made = ModularWant.objects.create(run=run, step=step, key=want.key, kind=want.kind, args=dict(want.args))
            sealing.seal_new(made)
            return made
    except IntegrityError:
        found = ModularWant.objects.get(run=run, step=step, key=want.key)
        causes.check(found)
        return found


def _ask_models(run: ModularRun, rows: Sequence[ModularWant]) -> None:
    """Have each answered. Each answer is kept as it comes, so whoever goes on after a worker that died asks less."""
    if len(rows) < 2:
        for row in rows:
            _answer(row, _asked(run, row.args))
        return

    def ask(row: ModularWant) -> None:
        try:
            _answer(row, _asked(run, row.args))
        finally:
            connection.close()  # each thread has one of its own

    with ThreadPoolExecutor(min(len(rows), _ASKED_AT_ONCE), thread_name_prefix="model") as pool:
        asked = [pool.submit(ask, row) for row in rows]
    for one in asked:
        one.result()


def _answer(row: ModularWant, answer: Mapping[str, Any], by: User | None = None) -> bool:
    """The race it closes: two answers to one want. The first one stays. Raises Forged."""
    with transaction.atomic():
        held = sealing.with_seals(ModularWant.objects.select_for_update(no_key=True)).get(pk=row.pk)
        if is_first := held.answer is None:
            causes.change(held, answer=_storable(answer), answered_at=timezone.now(), by=by)
        elif not sealing.is_genuine(held):
            held.answer = None  # it is looked at again when the next turn begins
    row.answer = held.answer
    return is_first


def _storable(answer: Mapping[str, Any]) -> Any:
    """Postgres holds no character zero in JSON."""
    return json.loads(json.dumps(dict(answer), ensure_ascii=True, default=str).replace("\\u0000", "\\u2400"))


def _asked(run: ModularRun, args: Mapping[str, Any]) -> Mapping[str, Any]:
    name = str(args["prompt"])
    prompts = [in_use.filled(name)]
    messages = [Message("system", prompts[0].text), *(Message(**one) for one in _fitting(args["messages"]))]
    if "before" in args:
        again = in_use.filled(f"{name}-repair", problem=str(args.get("problem", ""))[:500])
        messages += [Message("assistant", str(args["before"])), Message("user", again.text)]
        prompts.append(again)
    models = models_of(run.agent)
    if wanted := str(args.get("model", "")):
        models = models[1:] or models if wanted == "fallback" else tuple(one for one in models if one == wanted)
    began = time.monotonic()
    try:
        request = request_for(
            run.agent,
            PURPOSE,
            messages,
            models,
            prompts=prompts,
            max_tokens=min(int(args.get("max_tokens", 2_000)), settings.MODEL_ANSWER_TOKENS),
            schema=model_requests.SCHEMAS[name],
        )
        # Without it several samples would be the same answer several times.
        answer = generation.ask(replace(request, temperature=float(args.get("temperature", 0.0))))
    except ModelError as error:
        return {"error": error.code, "message": str(error)[:500], "time_s": round(time.monotonic() - began, 3)}
    # Not its messages: a prompt has tens of thousands of characters.
    took = ModelCall.objects.values_list("tokens_in", "tokens_out", "cost")
    tokens_in, tokens_out, cost = took.get(pk=answer.call)
    return {
        "text": str(answer.masked.restored(answer.text)),
        "model": answer.model,
        "call": answer.call,
        "tokens": (tokens_in or 0) + (tokens_out or 0),
        "cost": str(cost or 0),
        "time_s": round(time.monotonic() - began, 3),
    }


def _fitting(messages: Sequence[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """The first message and the newest that a model may be sent; a plain prompter sends all there is."""
    most = min(_MOST_CHARS, 3 * settings.MODEL_PROMPT_TOKENS)
    first, *others = messages
    left = most - len(first["content"])
    kept: list[Mapping[str, str]] = []
    for one in reversed(others):
        left -= len(one["content"])
        if left < 0 and kept:
            break
        kept.append({"role": one["role"], "content": one["content"][:most]})
    return [{"role": first["role"], "content": first["content"][:most]}, *reversed(kept)]


def _remembered(run: ModularRun, args: Mapping[str, Any]) -> Mapping[str, Any]:
    found = context.build(
        str(args["query"])[:2_000],
        user=run.by,
        budget_tokens=int(args["budget_tokens"]),
        near=lambda refs: known.in_workspace(run.workspace_id, refs),
    )
    return {
        "items": [{"kind": one.kind, "text": one.text} for one in found.items],
        "left_out": [{"kind": one.kind, "why": one.why} for one in found.left_out],
    }


def _call(run: ModularRun, row: ModularWant) -> bool:
    """Propose a call as a goal of one step. False where it is answered at once, because it cannot be made."""
    tool, _, command = str(row.args["name"]).partition(".")
    call = ToolCall(tool, command, row.args["arguments"], str(row.args.get("why", ""))[:300])
    terms = Terms(run.by, run.workspace, run.agent, key=f"modular-{run.pk}-{row.pk}")
    try:
        plan = tool_calls.propose(call, terms, Caller(KIND, "a modular agent", str(run.pk), authors_of(run)))
    except PlanInvalid as refused:
        said = "; ".join(one.message for one in refused.problems)
        return not _answer(row, {"state": "refused", "reason": said[:2_000]})
    except TooManyGoals:
        return True  # the sweep comes back to it
    except GoalRefused as refused:
        return not _answer(row, {"state": "refused", "reason": str(refused)[:2_000]})
    with transaction.atomic():
        held = sealing.with_seals(ModularWant.objects.select_for_update(no_key=True)).get(pk=row.pk)
        if held.goal_id is None:
            causes.change(held, goal=plan.goal)
    return True


def authors_of(run: ModularRun) -> tuple[int, ...]:
    """The ids of the people who wrote some of what the run does: they edited a state, or answered what it asked."""
    edits = ModularStep.objects.filter(run=run.pk, kind=ModularStep.Kind.EDIT).exclude(by=None)
    answers = ModularWant.objects.filter(run=run.pk).exclude(by=None)
    return tuple(sorted({*edits.values_list("by_id", flat=True), *answers.values_list("by_id", flat=True)}))


def _call_ended(row: ModularWant) -> bool:
    """Answer a call whose goal has ended; whether it has an answer."""
    if row.goal is None or (found := tool_calls.answer_of(row.goal)) is None:
        return False
    answer = {
        "state": found.state,
        "result": found.result,
        "reason": found.reason[:4_000],
        "goal": row.goal_id,
        "snapshot": row.goal.workspace.head,
    }
    _answer(row, answer)
    return True


def leave(run: ModularRun) -> None:
    """What the state that is left wanted is wanted no more."""
    left = ModularWant.objects.filter(run=run.pk, answer__isnull=True)
    sealing.end_all(ModularWant, list(left.values_list("pk", flat=True)))
    left.update(answer={"state": "dropped", "reason": "the run went on from another state"}, answered_at=timezone.now())


def open_calls(run: ModularRun) -> list[Goal]:
    """The goals of the calls that the run waits for."""
    rows = ModularWant.objects.filter(run=run.pk, answer__isnull=True, goal__isnull=False).select_related("goal")
    return [row.goal for row in rows if row.goal is not None and not row.goal.has_ended]


def cancel(calls: Sequence[Goal], *, by: User) -> None:
    """Nobody waits for these calls any more, so nobody shall review them. Never call this inside a transaction."""
    for goal in calls:
        try:
            goals.cancel(goal, by=by)
        except (NotPossibleNow, MoveRefused):
            continue  # it has ended by itself meanwhile


def goal_ended(goal_id: int, **_: object) -> None:
    """A hint: a goal has ended. If a run waits for it, it goes on."""
    for row in ModularWant.objects.filter(goal=goal_id, answer__isnull=True).select_related("run", "goal__workspace"):
        try:
            if _call_ended(row):
                ready(row.run)
        except Forged as forged:
            _distrust(row.run, str(forged))


def _distrust(run: ModularRun, why: str) -> None:
    try:
        with transaction.atomic():
            leased.to(run, ModularRunState.PAUSED, reason=why)
    except MoveRefused:
        return  # its worker finds out by itself


def ready(run: ModularRun) -> None:
    """Have a run that waited go on."""
    if run.state != ModularRunState.WAITING:
        return
    with transaction.atomic():
        try:
            leased.to(run, ModularRunState.READY)
        except MoveRefused:
            return  # somebody was quicker
        wake_ups.wake_background("modular", run.pk)


def asked_of_people(run: ModularRun) -> list[ModularWant]:
    """What the step under way wants of a person."""
    return list(run.wants.filter(step=run.at_step + 1, kind=PERSON, answer__isnull=True).order_by("pk"))


def answer_as_person(want: ModularWant, answer: Mapping[str, Any], *, by: User) -> None:
    """Keep what a person chose, rated or wrote, and go on.

    Raises NotYours, and NotPossibleNow where it is answered, or wants something else.
    """
    run = want.run
    check_may_change(by, run)
    if want.kind != PERSON:
        raise NotPossibleNow("The run waits for something else.")
    found = {**_checked(want, answer), "by": by.username}
    with transaction.atomic():
        if not _answer(want, found, by):
            raise NotPossibleNow("Somebody has answered this already.")
        told = {"what": "answered", "of": run.by.username, "asked": want.args["ask"], "answer": found}
        journal.record(Event.RUN, by=by, subject=f"run:{run.pk}", data=told)
    run.refresh_from_db()
    ready(run)


def _checked(want: ModularWant, answer: Mapping[str, Any]) -> dict[str, Any]:
    if want.args["ask"] == "write":
        return _written(answer)
    options = want.args["options"]
    scores = list(answer.get("scores") or [])[: len(options)]
    if any(one is not None and not (isinstance(one, (int, float)) and 0 <= one <= 1) for one in scores):
        raise NotPossibleNow("A rating is a number from 0 to 1.")
    if answer.get("written"):
        return {"scores": scores, "written": _written(answer["written"])}
    chosen = answer.get("chosen")
    if isinstance(chosen, bool) or not isinstance(chosen, int) or not 0 <= chosen < len(options):
        raise NotPossibleNow("Choose one of the options, or write another.")
    return {"scores": scores, "chosen": chosen}


def _written(answer: Mapping[str, Any]) -> dict[str, Any]:
    content, call = answer.get("content", ""), answer.get("function_call")
    if not isinstance(content, str) or len(content) > 100_000:
        raise NotPossibleNow("An answer is a text of at most 100,000 characters.")
    if call is None:
        if not content.strip():
            raise NotPossibleNow("Write something, or name a tool to call.")
        return {"content": content}
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        raise NotPossibleNow("A call has a name and arguments.")
    if not isinstance(call.get("arguments", {}), Mapping):
        raise NotPossibleNow("The arguments of a call are a JSON object.")
    return {"content": content, "function_call": {"name": call["name"], "arguments": dict(call.get("arguments", {}))}}
