"""LangGraph: a graph of two nodes, of which the one that would call tools interrupts the run instead.

The state that the checkpointer kept is the checkpoint, as messages in JSON; a run goes on from it in a new graph with
`Command(resume=…)` (docs.langchain.com, interrupts). LangGraph's own checkpoints are pickles of classes by name, which
mindX does not keep.
"""

from __future__ import annotations

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
    Reply,
    Said,
    Waits,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
    from langgraph.graph.state import CompiledStateGraph

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
# A question to the model and the calls that follow are two steps of the graph.
_STEPS_EACH = 2


class LangGraph(InProcess):
    """An agent of LangGraph."""

    name: ClassVar[str] = "langgraph"
    title: ClassVar[str] = "LangGraph"
    package: ClassVar[str] = "langgraph.graph"

    def run(self) -> Outcome:
        """Begin with the task."""
        return self._beside.run(self._begin)

    def resume(self, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        """Go on from its messages."""
        return self._beside.run(lambda ask: self._resume(ask, checkpoint, answered))

    async def _begin(self, ask: AskLater) -> Outcome:
        from langchain_core.messages import HumanMessage

        return await self._until_it_waits(self._graph(ask), {"messages": [HumanMessage(self._brief.task)]})

    async def _resume(self, ask: AskLater, checkpoint: Json, answered: Sequence[Answered]) -> Outcome:
        from langchain_core.messages import messages_from_dict
        from langgraph.types import Command

        graph = self._graph(ask)
        # As the node that asks the model left it: the interrupted one is next.
        await graph.aupdate_state(self._config, {"messages": messages_from_dict(checkpoint)}, as_node="think")
        await graph.ainvoke(None, self._config)
        results = {one.call.id: {"text": one.text, "failed": one.failed} for one in answered}
        return await self._until_it_waits(graph, Command(resume=results))

    async def _until_it_waits(self, graph: CompiledStateGraph[Any], given: Any) -> Outcome:
        from langchain_core.messages import messages_to_dict

        ended = await graph.ainvoke(given, self._config)
        messages = (await graph.aget_state(self._config)).values["messages"]
        if "__interrupt__" in ended:
            return Waits(_calls(messages[-1]), messages_to_dict(messages))
        return Finished(messages[-1].text)

    @property
    def _config(self) -> Any:
        return {"configurable": {"thread_id": "run"}, "recursion_limit": _STEPS_EACH * self._brief.most_steps + 1}

    def _graph(self, ask: AskLater) -> CompiledStateGraph[Any]:
        from langchain_core.messages import ToolMessage
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.graph import END, START, MessagesState, StateGraph
        from langgraph.types import interrupt

        model = _model(ask).bind_tools([_function(one) for one in self._brief.tools])

        # LangGraph reads the annotations of nodes, and cannot read names that are imported here.
        async def think(state: Any) -> dict[str, Any]:
            return {"messages": [await model.ainvoke(state["messages"])]}

        async def call(state: Any) -> dict[str, Any]:
            calls = _calls(state["messages"][-1])
            found = interrupt([one.id for one in calls])
            return {
                "messages": [
                    ToolMessage(
                        found[one.id]["text"], tool_call_id=one.id, name=one.name,
                        status="error" if found[one.id]["failed"] else "success",
                    )
                    for one in calls
                ]
            }  # fmt: skip

        def after(state: Any) -> str:
            return "call" if _calls(state["messages"][-1]) else END

        graph = StateGraph(MessagesState)
        graph.add_node("think", think)
        graph.add_node("call", call)
        graph.add_edge(START, "think")
        graph.add_conditional_edges("think", after, ["call", END])
        graph.add_edge("call", "think")
        return graph.compile(checkpointer=InMemorySaver())


def _function(one: Offered) -> dict[str, Any]:
    function = {"name": one.name, "description": one.description, "parameters": dict(one.schema)}
    return {"type": "function", "function": function}


def _model(ask: AskLater) -> BaseChatModel:
    """A chat model of LangChain that asks as mindX does. Made here, for its class is LangChain's."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Model(BaseChatModel):
        @property
        def _llm_type(self) -> str:
            return "mindx"

        def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
            return self.bind(tools=list(tools))

        def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
            raise NotImplementedError("mindX runs the graph asynchronously")

        async def _agenerate(
            self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
        ) -> ChatResult:
            tools = tuple(
                Offered(one["function"]["name"], one["function"]["description"], one["function"]["parameters"])
                for one in kwargs.get("tools", ())
            )
            reply = await ask(Question(tuple(map(_said, messages)), tools))
            return ChatResult(generations=[ChatGeneration(message=_message(reply))])

    return Model()


def _message(reply: Reply) -> AIMessage:
    from langchain_core.messages import AIMessage

    if (call := reply.call) is None:
        return AIMessage(reply.text)
    return AIMessage(reply.text, tool_calls=[{"name": call.name, "args": dict(call.arguments), "id": call.id}])


def _said(message: AnyMessage | BaseMessage) -> Said:
    if message.type not in _ROLES:
        raise FrameworkFailed(f"LangGraph says something of an unknown kind: {message.type}")
    failed = getattr(message, "status", "") == "error"
    call_id = getattr(message, "tool_call_id", "")
    return Said(_ROLES[message.type], message.text, _calls(message), call_id, failed)


def _calls(message: AnyMessage | BaseMessage) -> tuple[Call, ...]:
    found = getattr(message, "tool_calls", None) or ()
    return tuple(Call(str(one["id"]), one["name"], one["args"]) for one in found)
