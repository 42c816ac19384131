"""What actors share: finding the calls, doing those that concern the state alone, and wanting all others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from agents.bdi.modular.agent import CALL, Answer, ModularAgent, ToolSpec, Want
from agents.bdi.modular.state import PROMPTER, TOOLKIT, Chosen, FunctionCall, Message, Node

SUBMIT, NOTE, NOTES = "submit", "note", "notes"
_ANSWER = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
_TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_NOTHING: Mapping[str, Any] = {"type": "object", "properties": {}}
# They change the state of the agent and nothing else, so nobody reviews them.
OWN: Mapping[str, ToolSpec] = {
    SUBMIT: ToolSpec(SUBMIT, "Submit the answer to the task. The run ends with it.", _ANSWER, acts=False),
    NOTE: ToolSpec(NOTE, "Keep a note for later.", _TEXT, acts=False),
    NOTES: ToolSpec(NOTES, "Read all notes.", _NOTHING, acts=False),
}
_NO_CALL = "You called no function. Call one, or call submit with your answer."
_MOST_NOTES = 200
_NOTE_CHARS = 2_000

# What is made of the answer of a call before it becomes a node; None while something is wanted for it.
Finish = Callable[[ModularAgent, FunctionCall, Answer, str], str | None]


def act(agent: ModularAgent, finish: Finish) -> None:
    """Make each call of the nodes that the discriminator named, else of the present one, and put the answers below."""
    state = agent.state
    named = state.next_step.args.get("node_ids") or [state.at]
    nodes = [state.nodes[number] for number in named if number in state.nodes]
    calls = [(node, node.message.function_call) for node in nodes if node.message.function_call is not None]
    answers: list[tuple[FunctionCall, str, Mapping[str, Any]]] = []
    for place, (node, call) in enumerate(calls, start=1):
        answered = _answered(agent, node, call, place, finish)
        if answered is None:
            return
        answers.append((call, *answered))
        if state.outcome:
            break
    for call, content, metadata in answers:
        agent.add(Message("function", content, name=call.name), f"actor:{call.name}"[:200], metadata=metadata)
    if not answers:
        agent.add(Message("user", _NO_CALL), "actor")
    if not state.outcome:
        state.go_on(PROMPTER)


def _answered(
    agent: ModularAgent, node: Node, call: FunctionCall, place: int, finish: Finish
) -> tuple[str, Mapping[str, Any]] | None:
    """What the call answers, and what is kept beside it; None while it is under way."""
    if call.name in OWN and call.name in agent.state.tools:
        return _own(agent, call), {}
    if call.name not in agent.state.tools:
        there = ", ".join(agent.state.tools)
        return f"There is no function “{call.name[:80]}”. There are: {there}"[:2_000], {}
    key = f"call-{place}"
    want = Want(
        key,
        CALL,
        {"name": call.name, "arguments": dict(call.arguments), "why": _why(node.message.content), "node": node.id},
    )
    if (answer := agent.answer(want)) is None:
        return None
    said = finish(agent, call, answer, key)
    if said is None:
        return None
    kept = {name: answer[name] for name in ("goal", "state", "snapshot") if name in answer}
    return said, kept


def _why(content: str) -> str:
    return " ".join(content.split())[:300]


def told(answer: Answer) -> str:
    """The answer of a call as text: its result, or why there is none."""
    if answer.get("state") == "achieved":
        return json.dumps(answer.get("result", {}), ensure_ascii=False, default=str)
    return (
        f"The call did not succeed ({answer.get('state', 'failed')}): {answer.get('reason') or 'no reason was given'}"
    )


def _own(agent: ModularAgent, call: FunctionCall) -> str:
    state = agent.state
    if call.name == SUBMIT:
        answer = call.arguments.get("answer")
        if not isinstance(answer, str) or not answer.strip():
            return "submit takes “answer”, a text that is not empty."
        state.submissions.append(answer[:100_000])
        left = state.limits.submissions - len(state.submissions)
        if left <= 0:
            state.end("achieved", "An answer was submitted.")
            return "Submitted."
        return f"Submitted. You may submit {left} more."
    notes: list[str] = state.context.setdefault("notes", [])
    if call.name == NOTE:
        text = call.arguments.get("text")
        if not isinstance(text, str) or not text.strip():
            return "note takes “text”, a text that is not empty."
        if len(notes) >= _MOST_NOTES:
            return f"There are {_MOST_NOTES} notes, and no more are kept."
        notes.append(text[:_NOTE_CHARS])
        return f"Noted, as note {len(notes)}."
    return json.dumps({"notes": notes}, ensure_ascii=False)


def needs_files(settings: Mapping[str, Any], others: Mapping[str, Chosen]) -> Iterator[tuple[str, str]]:
    """Saving needs a toolkit that writes files."""
    if others[TOOLKIT].name == "notes":
        yield TOOLKIT, "output is saved to a file, and this toolkit writes none."
