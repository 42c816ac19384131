"""BeeAI: its requirement agent cannot be stored while it runs, so it is run again from its beginning instead.

Everything that reaches it from outside is kept: what its model replied, and what came of its calls. Run again with the
same of both it comes to the same place, without a question asked or a call made twice, and goes on from there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from agents.frameworks.beside import AskLater, InProcess
from agents.frameworks.contract import (
    Answered,
    Call,
    Finished,
    FrameworkFailed,
    Json,
    Offered,
    Outcome,
    Question,
    Reply,
    Said,
    Waits,
)

if TYPE_CHECKING:
    from beeai_framework.agents.requirement import RequirementAgent
    from beeai_framework.backend import ChatModel
    from beeai_framework.backend.message import AnyMessage, AssistantMessage
    from beeai_framework.tools import AnyTool

# The tool by which the agent gives its answer. It is BeeAI's own, and nobody offers it to a model.
_FINAL = "final_answer"
_ROLES = frozenset({"system", "user", "assistant", "tool"})
_INSTRUCTIONS = "Reach the task with the tools. When nothing is left to call, give the final answer."


class _Story:
    """What the agent was told so far, and what it waits for."""

    def __init__(self, task: str, ask: AskLater, checkpoint: Json, answered: Sequence[Answered]) -> None:
        told = checkpoint or {"task": task, "replies": [], "results": {}}
        # As it was when it began: another task would be another story.
        self.task: str = told["task"]
        self.replies: list[dict[str, Any]] = list(told["replies"])
        self.results: dict[str, dict[str, Any]] = dict(told["results"])
        self.results |= {one.call.id: {"text": one.text, "failed": one.failed} for one in answered}
        self._ask, self._at = ask, 0
        self.waits: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.calls: list[Call] = []

    async def reply(self, question: Question) -> Reply:
        """What the model said here before, or says now."""
        if self._at == len(self.replies):
            self.replies.append(_kept(await self._ask(question)))
        self._at += 1
        return _reply(self.replies[self._at - 1])

    async def result(self, call: Call) -> str:
        """What came of the call; where nothing did yet, the agent stands still."""
        found = self.results.get(call.id)
        if found is None:
            self.calls.append(call)
            if not self.waits.done():
                self.waits.set_result(None)
            await asyncio.Event().wait()
        assert found is not None  # noqa: S101  # an event that nobody sets
        return str(found["text"])

    def checkpoint(self) -> Json:
        """All that is needed to come here again."""
        return {"task": self.task, "replies": self.replies, "results": self.results}


class BeeAI(InProcess):
    """A requirement agent of BeeAI."""

    name: ClassVar[str] = "beeai"
    title: ClassVar[str] = "BeeAI"
    package: ClassVar[str] = "beeai_framework"

    def run(self) -> Outcome:
        """Begin with the task."""
        return self._beside.run(lambda ask: self._run(ask, None, ()))

    def resume(self, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        """Come again to where it stood, and go on."""
        return self._beside.run(lambda ask: self._run(ask, checkpoint, answered))

    async def _run(self, ask: AskLater, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        story = _Story(self._brief.task, ask, checkpoint, answered)
        most = self._brief.most_steps + len(story.replies)
        agent = self._agent(story)

        async def whole() -> str:
            ended = await agent.run(story.task, max_iterations=most, total_max_retries=most)
            return str(ended.last_message.text)

        running = asyncio.ensure_future(whole())
        try:
            either: tuple[asyncio.Future[Any], ...] = (running, story.waits)
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return Finished(running.result())
            # Calls that were made together are all there by the next turn of the loop.
            await asyncio.sleep(0)
            return Waits(tuple(story.calls), story.checkpoint())
        finally:
            running.cancel()
            await asyncio.wait({running})

    def _agent(self, story: _Story) -> RequirementAgent:
        from beeai_framework.agents.requirement import RequirementAgent
        from beeai_framework.agents.requirement.prompts import RequirementAgentSystemPromptInput
        from beeai_framework.template import PromptTemplate

        # Its own text repeats every tool, which our prompt tells already.
        short = PromptTemplate(schema=RequirementAgentSystemPromptInput, template=_INSTRUCTIONS)
        return RequirementAgent(
            llm=_model(story),
            tools=[_tool(one, story) for one in self._brief.tools],
            templates={"system": short},
        )


def _kept(reply: Reply) -> dict[str, Any]:
    call = reply.call
    said = {"id": call.id, "name": call.name, "arguments": dict(call.arguments)} if call is not None else None
    return {"text": reply.text, "call": said}


def _reply(kept: Mapping[str, Any]) -> Reply:
    call = kept["call"]
    return Reply(kept["text"], Call(call["id"], call["name"], call["arguments"]) if call else None)


def _model(story: _Story) -> ChatModel:
    """A chat model of BeeAI that asks as mindX does. Made here, for its class is BeeAI's."""
    from beeai_framework.backend import ChatModel
    from beeai_framework.backend.types import ChatModelOutput

    class Model(ChatModel):
        @property
        def model_id(self) -> str:
            return "mindx"

        @property
        def provider_id(self) -> Any:
            return "openai"

        async def _create(self, input: Any, run: Any) -> ChatModelOutput:
            tools = tuple(
                Offered(one.name, one.description, one.input_schema.model_json_schema())
                for one in input.tools or ()
                if one.name != _FINAL
            )
            said = [part for message in input.messages for part in _said(message, story.results)]
            reply = await story.reply(Question(tuple(said), tools))
            return ChatModelOutput(output=[_message(reply)], finish_reason="stop")

        async def _create_stream(self, input: Any, run: Any) -> Any:
            yield await self._create(input, run)

    return Model(tool_choice_support={"required", "single", "auto", "none"})


def _tool(offered: Offered, story: _Story) -> AnyTool:
    """A tool of BeeAI that does nothing but wait for what came of its call."""
    from beeai_framework.emitter import Emitter
    from beeai_framework.tools import StringToolOutput, Tool
    from beeai_framework.utils.models import JSONSchemaModel

    class OfMindX(Tool[Any, Any, StringToolOutput]):
        name = offered.name
        description = offered.description
        input_schema = JSONSchemaModel.create(offered.name, _without_patterns(offered.schema))

        def _create_emitter(self) -> Emitter:
            return Emitter.root().child(namespace=["tool", offered.name], creator=self)

        async def _run(self, input: Any, options: Any, context: Any) -> StringToolOutput:
            asked = context.context["tool_call_msg"]
            call = Call(asked.id, asked.tool_name, json.loads(asked.args))
            return StringToolOutput(await story.result(call))

    return OfMindX()


def _without_patterns(schema: Any) -> Any:
    """A schema for a reader whose regular expressions are of another kind; a plan of the call is checked by ours."""
    if isinstance(schema, Mapping):
        return {name: _without_patterns(one) for name, one in schema.items() if name != "pattern"}
    return schema


def _message(reply: Reply) -> AssistantMessage:
    from beeai_framework.backend.message import AssistantMessage, MessageTextContent, MessageToolCallContent

    content: list[Any] = [MessageTextContent(text=reply.text)] if reply.text else []
    if (call := reply.call) is not None:
        content.append(MessageToolCallContent(id=call.id, tool_name=call.name, args=json.dumps(dict(call.arguments))))
    else:
        # An answer is a call as well: the agent takes no other.
        args = json.dumps({"response": reply.text})
        content = [MessageToolCallContent(id="answer", tool_name=_FINAL, args=args)]
    return AssistantMessage(content)


def _said(message: AnyMessage, results: Mapping[str, Mapping[str, Any]]) -> list[Said]:
    role = str(getattr(message.role, "value", message.role))
    if role not in _ROLES:
        raise FrameworkFailed(f"BeeAI says something of an unknown kind: {role}")
    if role == "tool":
        return [
            Said("tool", str(one.result), call_id=one.tool_call_id, failed=_failed(one.tool_call_id, results))
            for one in message.get_tool_results()
        ]
    calls: tuple[Call, ...] = ()
    if role == "assistant":
        calls = tuple(Call(one.id, one.tool_name, json.loads(one.args)) for one in message.get_tool_calls())
    return [Said(role, message.text, calls)]


def _failed(call_id: str, results: Mapping[str, Mapping[str, Any]]) -> bool:
    found = results.get(call_id)
    return bool(found and found["failed"])
