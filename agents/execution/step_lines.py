"""What the log says of a step: whose line it is, and that a try of it begins."""

from __future__ import annotations

from agents.bdi.plans.document import IntentSpec
from agents.record.logs import NewLine
from agents.toolkit.registry import UnknownTool, tools_in_use
from sandbox.contract import SessionState

SENTENCE_MAX = 300


def beginning_of(spec: IntentSpec, state: SessionState, number: int = 1, alternative: int = 0) -> NewLine:
    """The line of the log that says that a try of the step begins, as a terminal would show it."""
    again = f", try {number}" if number > 1 else ""
    again += f", alternative {alternative}" if alternative else ""
    where = f"({state.venv}) " if state.venv else ""
    text = f"{where}./{state.cwd} $ {_shortened(spec.sentence)}{again}"
    return NewLine(label(spec), "execute", text, data={"intent": spec.position, "attempt": number})


def label(spec: IntentSpec) -> str:
    """The tool as the log names it, also one that this worker does not know."""
    try:
        return f"tool.{tools_in_use().tool(spec.tool).label}"
    except UnknownTool:
        return f"tool.{spec.tool}"


def _shortened(sentence: str) -> str:
    """A step's sentence as one line of the log; the whole of it stands in the plan."""
    return sentence if len(sentence) <= SENTENCE_MAX else f"{sentence[:SENTENCE_MAX]} … (in full in the plan)"
