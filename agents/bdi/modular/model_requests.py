"""What is asked of a language model, and how its answers are read. An answer that cannot be read is no exception."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from agents.bdi.modular.agent import MODEL, Answer, ModularAgent, ToolSpec, Want, used_of
from agents.bdi.modular.state import FunctionCall, Message, Option
from agents.toolkit.schemas import JsonError, loads_strict

ACT, COMPARE, ASSESS = "modular", "modular-compare", "modular-assess"
_CALL = {
    "type": ["object", "null"],
    "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["name", "arguments"],
}
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    ACT: {
        "type": "object",
        "properties": {"content": {"type": "string"}, "function_call": _CALL},
        "required": ["content", "function_call"],
    },
    COMPARE: {
        "type": "object",
        "properties": {
            "scores": {"type": "array", "items": {"type": "number"}},
            "chosen": {"type": "integer"},
            "why": {"type": "string"},
        },
        "required": ["scores", "chosen", "why"],
    },
    ASSESS: {
        "type": "object",
        "properties": {"verdict": {"enum": ["APPROVE", "REJECT"]}, "why": {"type": "string"}},
        "required": ["verdict", "why"],
    },
}


class Unreadable(ValueError):
    """The answer is not of the form that was asked for; the message says why."""


def request(
    key: str,
    prompt: str,
    messages: Iterable[Mapping[str, str]],
    *,
    model: str = "",
    temperature: float = 0.0,
    max_tokens: int = 2_000,
    repair: tuple[str, str] | None = None,
) -> Want:
    """A request by one of the prompts above. `repair` is an answer that could not be read, and what was wrong with it.

    `model` is empty for the one that mindX uses.
    """
    args: dict[str, Any] = {
        "prompt": prompt,
        "messages": list(messages),
        "model": model,
        "temperature": temperature,
        "max_tokens": max_tokens,
    }
    if repair is not None:
        args |= {"before": repair[0], "problem": repair[1]}
    return Want(key, MODEL, args)


def told(message: Message) -> Mapping[str, str]:
    """A message as a model gets it: its own words as it has to write them, all else as material."""
    if message.role == "assistant":
        call = message.function_call
        said = {"content": message.content, "function_call": None if call is None else told_call(call)}
        return {"role": "assistant", "content": json.dumps(said, ensure_ascii=False)}
    if message.role == "function":
        answer = {"function": message.name, "answer": message.content}
        return {"role": "user", "content": json.dumps(answer, ensure_ascii=False)}
    return {"role": "user", "content": message.content}


def told_call(call: FunctionCall) -> Mapping[str, Any]:
    """A call as JSON."""
    return {"name": call.name, "arguments": dict(call.arguments)}


def told_tools(tools: Iterable[ToolSpec]) -> Mapping[str, str]:
    """The tools, as the first message behind the instructions."""
    listed = [{"name": one.name, "summary": one.summary, "parameters": one.schema} for one in tools]
    return {"role": "user", "content": json.dumps({"functions": listed}, ensure_ascii=False)}


def conversation(agent: ModularAgent) -> list[Mapping[str, str]]:
    """The tools and the prompter's messages."""
    tools = [agent.catalogue[name] for name in agent.state.tools if name in agent.catalogue]
    said = agent.state.messages(agent.state.next_step.args.get("messages", ()))
    return [told_tools(tools), *map(told, said)]


def option(answer: Answer) -> Option:
    """The option that a model wrote. Raises Unreadable."""
    said = _object(answer)
    content, call = said.get("content", ""), said.get("function_call")
    if not isinstance(content, str):
        raise Unreadable("“content” is a text.")
    return Option(Message("assistant", content, _call(call)).cut(), str(answer.get("model", "")), used=used_of(answer))


def raw_option(answer: Answer) -> Option:
    """What a model wrote although it cannot be read: kept, and calling nothing."""
    text = str(answer.get("text", ""))
    return Option(
        Message("assistant", text).cut(),
        str(answer.get("model", "")),
        why="not in the form asked for",
        used=used_of(answer),
    )


def _object(answer: Answer) -> Mapping[str, Any]:
    """The one JSON object of an answer, whatever prose or code fence is around it. Raises Unreadable."""
    text = str(answer.get("text", ""))
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise Unreadable("there is no JSON object")
    try:
        said = loads_strict(text[start : end + 1])
    except (JsonError, RecursionError) as error:
        raise Unreadable(str(error)) from error
    if not isinstance(said, Mapping):
        raise Unreadable("the answer is a JSON object")
    return said


def _call(said: Any) -> FunctionCall | None:
    if said is None:
        return None
    if not isinstance(said, Mapping) or not isinstance(said.get("name"), str):
        raise Unreadable("“function_call” is null, or has a “name” and “arguments”.")
    arguments = said.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise Unreadable("“arguments” is an object.")
    return FunctionCall(said["name"].strip()[:200], dict(arguments))


def comparison(answer: Answer, count: int) -> tuple[int, list[float | None], str]:
    """The best of `count` options from 0, a score from 0 to 1 for each, and why. Raises Unreadable."""
    said = _object(answer)
    chosen, scores = said.get("chosen"), said.get("scores")
    if isinstance(chosen, bool) or not isinstance(chosen, int) or not 1 <= chosen <= count:
        raise Unreadable(f"“chosen” is a whole number from 1 to {count}.")
    given = scores if isinstance(scores, list) and len(scores) == count else [None] * count
    return chosen - 1, [_score(one) for one in given], str(said.get("why", ""))[:2_000]


def _score(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return None
    return min(max(float(given), 0.0), 1.0)


def verdict(answer: Answer) -> tuple[bool, str]:
    """Whether a check approves, and why. Raises Unreadable."""
    said = _object(answer)
    word = said.get("verdict")
    if word not in ("APPROVE", "REJECT"):
        raise Unreadable("“verdict” is APPROVE or REJECT.")
    return word == "APPROVE", str(said.get("why", ""))[:2_000]
