"""Pydantic AI: our tools are an external toolset, whose calls end its run as deferred requests.

Its messages are the checkpoint; it goes on with them and the results (ai.pydantic.dev, deferred tools).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
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
    Said,
    Waits,
)

if TYPE_CHECKING:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models.function import AgentInfo


class PydanticAI(InProcess):
    """An agent of Pydantic AI."""

    name: ClassVar[str] = "pydantic_ai"
    title: ClassVar[str] = "Pydantic AI"
    package: ClassVar[str] = "pydantic_ai"

    def run(self) -> Outcome:
        """Begin with the task."""
        return self._beside.run(lambda ask: self._run(ask, self._brief.task, None, ()))

    def resume(self, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        """Go on from its messages."""
        return self._beside.run(lambda ask: self._run(ask, None, checkpoint, answered))

    async def _run(self, ask: AskLater, task: str | None, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        from pydantic_ai import DeferredToolRequests, DeferredToolResults
        from pydantic_ai.exceptions import ToolFailed
        from pydantic_ai.messages import ModelMessagesTypeAdapter
        from pydantic_ai.usage import UsageLimits

        before = ModelMessagesTypeAdapter.validate_python(checkpoint) if checkpoint is not None else None
        told = {one.call.id: ToolFailed(one.text) if one.failed else one.text for one in answered}
        results = DeferredToolResults(calls=told) if told else None
        ended = await self._agent(ask).run(
            task,
            message_history=before,
            deferred_tool_results=results,
            usage_limits=UsageLimits(request_limit=self._brief.most_steps),
        )
        if isinstance(ended.output, DeferredToolRequests):
            if ended.output.approvals:
                raise FrameworkFailed("Pydantic AI asks for an approval, which is not its to ask for")
            calls = tuple(Call(one.tool_call_id, one.tool_name, one.args_as_dict()) for one in ended.output.calls)
            return Waits(calls, json.loads(ended.all_messages_json()))
        return Finished(str(ended.output))

    def _agent(self, ask: AskLater) -> Agent[None, Any]:
        from pydantic_ai import Agent, DeferredToolRequests
        from pydantic_ai.models.function import FunctionModel
        from pydantic_ai.tools import ToolDefinition
        from pydantic_ai.toolsets import ExternalToolset

        async def think(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            return _as_response(await ask(Question(_said(messages), _offered(info))))

        tools = [
            ToolDefinition(name=one.name, description=one.description, parameters_json_schema=dict(one.schema))
            for one in self._brief.tools
        ]
        model = FunctionModel(think, model_name="mindx")
        return Agent(model, toolsets=[ExternalToolset(tools)], output_type=[str, DeferredToolRequests])


def _offered(info: AgentInfo) -> tuple[Offered, ...]:
    return tuple(
        Offered(one.name, one.description or "", one.parameters_json_schema)
        for one in (*info.function_tools, *info.output_tools)
    )


def _as_response(reply: Any) -> ModelResponse:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    parts: list[TextPart | ToolCallPart] = [TextPart(reply.text)] if reply.text or reply.call is None else []
    if reply.call is not None:
        parts.append(ToolCallPart(reply.call.name, dict(reply.call.arguments), reply.call.id))
    return ModelResponse(parts=parts)


def _said(messages: Sequence[ModelMessage]) -> tuple[Said, ...]:
    """Its messages in our words: each is a request of several parts, or a response."""
    found: list[Said] = []
    for message in messages:
        if message.kind == "response":
            texts = [part.content for part in message.parts if part.part_kind == "text"]
            calls = [
                Call(part.tool_call_id, part.tool_name, part.args_as_dict())
                for part in message.parts
                if part.part_kind == "tool-call"
            ]
            found.append(Said("assistant", "\n".join(texts), tuple(calls)))
            continue
        for part in message.parts:
            if part.part_kind == "tool-return":
                failed = part.outcome != "success"
                text = part.model_response_str(wrap_if_error=False)
                found.append(Said("tool", text, call_id=part.tool_call_id, failed=failed))
            elif part.part_kind == "retry-prompt":
                found.append(Said("tool", part.model_response(), call_id=part.tool_call_id, failed=True))
            elif part.part_kind in ("system-prompt", "user-prompt"):
                found.append(Said(part.part_kind.partition("-")[0], str(part.content)))
            else:
                raise FrameworkFailed(f"Pydantic AI says something of an unknown kind: {part.part_kind}")
        if message.instructions:
            found.append(Said("system", message.instructions))
    return tuple(found)
