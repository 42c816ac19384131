"""The OpenAI Agents SDK at work, in a process and an environment of its own, spoken to over JSON lines.

It is run as a file by that environment's Python, in isolated mode: the SDK's package is named `agents`, as ours is.
Nothing here acts. A tool needs approval, so the SDK ends its run with the call; when there is a result, the call is
approved and gives exactly that. What its model is asked goes over the same lines to mindX.

In: one brief, then a reply to each question. Out: questions, and last what came of the run.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

# Nothing else may write to where the lines go.
_LINES = sys.stdout
sys.stdout = sys.stderr


def _say(what: dict[str, Any]) -> None:
    _LINES.write(json.dumps(what) + "\n")
    _LINES.flush()


async def _heard() -> Any:
    line = await asyncio.to_thread(sys.stdin.readline)
    if not line:
        raise SystemExit("mindX has gone")
    return json.loads(line)


def _said(item: Any) -> dict[str, Any]:
    """One item of the SDK's conversation (the Responses protocol) in mindX' words."""
    kind = item.get("type", "message")
    if kind == "function_call":
        call = {"id": item["call_id"], "name": item["name"], "arguments": json.loads(item["arguments"] or "{}")}
        return {"role": "assistant", "text": "", "calls": [call]}
    if kind == "function_call_output":
        return {"role": "tool", "text": _text(item["output"]), "call_id": item["call_id"]}
    if kind == "message":
        role = {"developer": "system"}.get(item["role"], item["role"])
        return {"role": role, "text": _text(item["content"])}
    raise ValueError(f"the SDK says something of an unknown kind: {kind}")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content)


def _model() -> Any:
    """A model of the SDK that asks mindX. Made here, for its class is the SDK's."""
    interface = import_module("agents.models.interface")
    items = import_module("agents.items")
    usage = import_module("agents.usage")
    responses = import_module("openai.types.responses")

    class Model(interface.Model):  # type: ignore[name-defined]
        async def get_response(self, *_: Any, system_instructions: Any, input: Any, tools: Any, **__: Any) -> Any:
            items_said = [{"role": "user", "content": input}] if isinstance(input, str) else input
            said = [_said(item) for item in items_said]
            if system_instructions:
                said.insert(0, {"role": "system", "text": system_instructions})
            told = [
                {"name": one.name, "description": one.description, "schema": one.params_json_schema} for one in tools
            ]
            _say({"ask": {"messages": said, "tools": told}})
            reply = (await _heard())["reply"]
            used = usage.Usage(requests=1)
            return items.ModelResponse(output=_output(reply, responses), usage=used, response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError("mindX asks for whole answers")

    return Model()


def _output(reply: dict[str, Any], responses: Any) -> list[Any]:
    call = reply["call"]
    if call is not None:
        arguments = json.dumps(call["arguments"])
        return [
            responses.ResponseFunctionToolCall(
                type="function_call", call_id=call["id"], name=call["name"], arguments=arguments
            )
        ]
    text = responses.ResponseOutputText(type="output_text", text=reply["text"], annotations=[])
    message = responses.ResponseOutputMessage
    return [message(id="answer", type="message", role="assistant", status="completed", content=[text])]


async def _work(asked: dict[str, Any]) -> None:
    sdk = import_module("agents")
    results = {one["id"]: one["text"] for one in asked["answered"]}

    def tool(one: dict[str, Any]) -> Any:
        async def invoked(context: Any, arguments: str) -> str:
            return str(results[context.tool_call_id])

        return sdk.FunctionTool(
            name=one["name"],
            description=one["description"],
            params_json_schema=one["schema"],
            on_invoke_tool=invoked,
            strict_json_schema=False,
            needs_approval=True,
        )

    agent = sdk.Agent(name="mindX", tools=[tool(one) for one in asked["tools"]], model=_model())
    given: Any = asked["task"]
    if asked["checkpoint"] is not None:
        given = await sdk.RunState.from_json(agent, asked["checkpoint"])
        for one in given.get_interruptions():
            given.approve(one)
    config = sdk.RunConfig(tracing_disabled=True)
    ended = await sdk.Runner.run(agent, given, max_turns=asked["most_steps"], run_config=config)
    if not ended.interruptions:
        _say({"finished": str(ended.final_output)})
        return
    calls = [
        {"id": one.raw_item.call_id, "name": one.raw_item.name, "arguments": json.loads(one.raw_item.arguments or "{}")}
        for one in ended.interruptions
    ]
    _say({"waits": {"calls": calls, "checkpoint": ended.to_state().to_json()}})


def main() -> None:
    """Work for one brief."""
    asked = json.loads(sys.stdin.readline())
    try:
        asyncio.run(_work(asked))
    except Exception as error:  # whatever the SDK raises is told and ends the run
        _say({"failed": f"{type(error).__name__}: {error}"[:2_000]})


if __name__ == "__main__":
    main()
