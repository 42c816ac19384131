"""What was understood, as JSON in the evidence of a plan, and read back from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.understanding.understood import Choice, Meant, Question, Understood
from agents.toolkit.types import Param


def as_data(found: Understood) -> dict[str, Any]:
    """What was understood as JSON, for the evidence of a plan."""
    return {
        "steps": [_meant_data(one) for one in found.meant],
        "questions": [_question_data(one) for one in found.questions],
        "beliefs": list(found.beliefs),
        "notes": list(found.notes),
        "confidence": found.confidence,
    }


def _meant_data(one: Meant) -> dict[str, Any]:
    return {
        "tool": one.tool,
        "command": one.command,
        "text": one.text,
        "confidence": one.confidence,
        "superfluous": list(one.superfluous),
        "params": {
            name: {
                "value": param.value,
                "origin": param.origin,
                "original": param.original,
                "span": list(param.span) if param.span else None,
                "note": param.note,
                "confidence": param.confidence,
            }
            for name, param in one.params.items()
        },
    }


def _question_data(one: Question) -> dict[str, Any]:
    return {
        "step": one.step,
        "text": one.text,
        "why": one.why,
        "parameter": one.parameter,
        "choices": [
            {
                "label": choice.label,
                "why": choice.why,
                "value": choice.value,
                "meant": [_meant_data(each) for each in choice.meant],
            }
            for choice in one.choices
        ],
    }


def meant_of(raw: Mapping[str, Any]) -> Meant:
    """A command out of the evidence of a plan."""
    params = {
        name: Param(
            value=one["value"],
            origin=one["origin"],
            original=one["original"],
            span=tuple(one["span"]) if one["span"] else None,
            note=one["note"],
            confidence=one["confidence"],
        )
        for name, one in raw["params"].items()
    }
    return Meant(raw["tool"], raw["command"], params, raw["text"], raw["confidence"], tuple(raw["superfluous"]))


def question_of(raw: Mapping[str, Any]) -> Question:
    """A question out of the evidence of a plan."""
    choices = tuple(
        Choice(one["label"], one["why"], one["value"], tuple(meant_of(each) for each in one["meant"]))
        for one in raw["choices"]
    )
    return Question(raw["step"], raw["text"], raw["why"], raw["parameter"], choices)
