"""A framework's question as a prompt of ours, and a model's answer as what it calls or says. Pure.

The instructions and the tools stand in the first message. Everything else was written by somebody or something, and
goes along as JSON that the instructions call material. What a model answers is believed in nothing: it names a tool and
values, and what happens with those is decided by validation, policies and people.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.bdi.language_models.model_answer import object_in
from agents.frameworks.contract import Offered, Question, Said
from agents.rules.naming import hidden_character
from agents.toolkit.schemas import JsonError, loads_strict
from agents.toolkit.types import Restored, as_it_is

# Characters of a token, on the careful side; the figure that budgets are kept by.
_CHARS_PER_TOKEN = 3
# Of one message, at most. Files can be read in parts.
_TEXT_CHARS = 12_000
# The newest messages that go along whatever the room, each cut as far as needed.
_ALWAYS = 4
_WORDS_MAX = 20_000
_WHY_MAX = 2_000
_ANSWERS = frozenset({"call", "answer"})
_FIELDS = frozenset({"call", "answer", "why"})
_SHAPE = '{"call": {"tool": "…", "params": {…}}, "why": "…"} or {"answer": "…"}'
_MOST_NAMED = 60


@dataclass(frozen=True)
class Read:
    """What an answer holds: a call of a tool, or the last words; or problems, which say the way out."""

    tool: str = ""
    params: Mapping[str, Any] | None = None
    why: str = ""
    answer: str = ""
    problems: tuple[str, ...] = ()


def messages(instructions: str, question: Question, *, tokens: int) -> tuple[tuple[str, str], ...]:
    """The question as messages by role and text, of about `tokens` at most: of older ones only that they were."""
    system = f"{instructions}\n\n{_catalogue(question.tools)}"
    spoken = [one for one in question.messages if one.role != "system"]
    own = [one.text for one in question.messages if one.role == "system" and one.text.strip()]
    room = tokens * _CHARS_PER_TOKEN - len(system)
    told = [_told(one, _TEXT_CHARS) for one in spoken]
    if sum(map(len, told)) > room:
        told = _fitting(spoken, told, room)
    if own:
        told[:1] = [_json({"framework_says": "\n\n".join(own)[:_TEXT_CHARS], **json.loads(told[0])})] if told else []
    roles = ["assistant" if one.role == "assistant" else "user" for one in spoken]
    return (("system", system), *zip(roles, told, strict=True))


def _fitting(spoken: Sequence[Said], told: list[str], room: int) -> list[str]:
    """The first message is the task and stays; of the others the oldest give way until the rest fits."""
    kept = list(told)
    for at in range(1, max(1, len(kept) - _ALWAYS)):
        if sum(map(len, kept)) <= room:
            return kept
        if spoken[at].role == "tool":
            said = "an earlier result; read it again if needed"
            kept[at] = _json({"result_of": spoken[at].call_id, "left_out": said})
    if sum(map(len, kept)) <= room:
        return kept
    each = max(500, room // max(1, len(kept)) - 200)
    return [_told(one, each) if len(text) > each else text for one, text in zip(spoken, kept, strict=True)]


def _told(one: Said, most: int) -> str:
    """One message as it is sent. What the model said before stands as it answers."""
    text = one.text if len(one.text) <= most else f"{one.text[:most]} … {len(one.text) - most} more characters"
    if one.role == "tool":
        return _json({"result_of": one.call_id, "succeeded": not one.failed, "result": text})
    if one.role == "assistant":
        if not one.calls:
            return _json({"answer": text})
        call = one.calls[0]
        return _json({"call": {"tool": call.name, "params": dict(call.arguments)}, "why": text})
    return _json({"task": text})


def _catalogue(tools: Sequence[Offered]) -> str:
    lines = [f"- {one.name}({_parameters(one.schema)}): {one.description}" for one in tools]
    return "\n".join(["Tools:", *lines]) + "\n"


def _parameters(schema: Mapping[str, Any]) -> str:
    needed = schema.get("required", ())
    found = schema.get("properties", {})
    return ", ".join(_parameter(name, one, needed=name in needed) for name, one in found.items())


def _parameter(name: str, schema: Mapping[str, Any], *, needed: bool) -> str:
    words = [str(schema.get("type", "any value"))]
    if "enum" in schema:
        words.append("one of " + "|".join(map(str, schema["enum"])))
    if "default" in schema:
        words.append(f"default {_json(schema['default'])}")
    elif not needed:
        words.append("may be left out")
    return f"{name}: {', '.join(words)}"


def read(text: str, question: Question, *, restored: Restored = as_it_is) -> Read:
    """What a model answered, whatever prose or code fence is around it; one without braces is its last words."""
    if "{" not in text and text.strip():
        return _checked(Read(answer=text.strip()))
    try:
        found = loads_strict(object_in(text, _ANSWERS))
    except JsonError as error:
        return Read(problems=(f"The answer is no JSON object of the form {_SHAPE}: {error}.",))
    if unknown := sorted(set(found) - _FIELDS):
        return Read(problems=(f"The answer has the field “{unknown[0][:60]}”, and only this form: {_SHAPE}.",))
    if found.get("call") is not None and found.get("answer") is not None:
        return Read(problems=("Either call a tool or answer, not both.",))
    if found.get("call") is None:
        return _answer(found)
    return _call(found, question, restored)


def _answer(found: Mapping[str, Any]) -> Read:
    said = found.get("answer")
    if not isinstance(said, str) or not said.strip():
        return Read(problems=(f"“answer” is a text: {_SHAPE}.",))
    return _checked(Read(answer=said.strip()))


def _call(found: Mapping[str, Any], question: Question, restored: Restored) -> Read:
    call, why = found["call"], found.get("why", "")
    if not isinstance(call, dict) or not isinstance(call.get("tool"), str) or set(call) - {"tool", "params"}:
        return Read(problems=(f"“call” names a tool and its parameters: {_SHAPE}.",))
    params = call.get("params", {})
    if not isinstance(params, dict) or not isinstance(why, str):
        return Read(problems=("“params” is an object of the tool's parameters, and “why” is a sentence.",))
    if call["tool"] not in {one.name for one in question.tools}:
        known = ", ".join(one.name for one in question.tools[:_MOST_NAMED])
        return Read(problems=(f"There is no tool “{call['tool'][:_MOST_NAMED]}”; there are {known}.",))
    return _checked(Read(call["tool"], restored(params), " ".join(why.split())[:_WHY_MAX]))


def _checked(found: Read) -> Read:
    """Nothing that people read may be invisible or turn the reading direction."""
    for said in (found.why, found.answer):
        if hidden := hidden_character(said.replace("\n", " ").replace("\t", " ")):
            return Read(problems=(f"The answer holds the hidden character {hidden}. Leave it out.",))
    if len(found.answer) > _WORDS_MAX:
        return Read(problems=(f"The answer has more than {_WORDS_MAX:,} characters. Write it shorter.",))
    return found


def schema(question: Question) -> dict[str, Any]:
    """The answer's JSON Schema, for providers that hold a model to one."""
    call = {
        "type": "object",
        "properties": {
            "tool": {"type": "string", "enum": [one.name for one in question.tools]},
            "params": {"type": "object"},
        },
        "required": ["tool", "params"],
    }
    words = {"type": "string"}
    return {"type": "object", "properties": {"call": call, "why": words, "answer": words}}


def _json(value: Any) -> str:
    """JSON in plain ASCII: what hides in a text is spelt out, and no text can look like the end of the material."""
    return json.dumps(value, ensure_ascii=True)
