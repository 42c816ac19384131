"""Breaking a goal into sub-goals, each a goal of its own with a plan and a review of its own.

A step only says what a sub-goal will be. When the plan has ended, mindX makes all at once (agents.goals.sub_goals),
and the goal waits for them. A dry run makes none.
"""

from __future__ import annotations

from agents.toolkit import finishing, parts
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import fields, line
from agents.toolkit.saying import Said, sense
from agents.toolkit.trial import Trial
from sandbox.contract import Request

NAME = "sub_goals"
ADD = "add"
_EXAMPLE = {"name": "report", "text": "Write a report about sales.csv", "after": "clean"}


def _nothing(params: Params) -> tuple[Request, ...]:
    """A step is always asked of its session; this looks at the folder and changes nothing."""
    return (Request("ls", {"path": "."}),)


TOOL = Tool(
    NAME,
    "Sub-goals",
    "Breaks a goal into sub-goals: goals of their own, planned and reviewed one by one.",
    (
        Command(
            NAME,
            ADD,
            "Add a sub-goal, which is made when this plan has ended, and planned and reviewed like any goal."
            " The goal is achieved when all of its sub-goals are.",
            fields(
                {
                    "name": line("Name among the sub-goals", 40, pattern="^[a-z][a-z0-9_-]*$"),
                    "text": line("What it should achieve", 4_000, **{"x-multiline": True}),
                    "after": {
                        "type": "string",
                        "title": "Waits for these sub-goals, with commas between them; empty: for none",
                        "maxLength": 800,
                        "default": "",
                    },
                    "workspace": {
                        "type": "string",
                        "title": "Workspace; empty: the one of this goal",
                        "maxLength": 80,
                        "pattern": "^([A-Za-z0-9][A-Za-z0-9_-]*)?$",
                        "default": "",
                    },
                },
                "name",
                "text",
            ),
            (
                "add the sub-goal {name} with the text {text} [after {after}] [in the workspace {workspace}]",
                "add a sub-goal [named] {name} with the text {text}",
            ),
            "keyed",
            _nothing,
            (),
            (_EXAMPLE,),
            # Outside of an approved plan nothing is done, so this is all that a trial can show.
            trials=(Trial(_EXAMPLE, error="PERMISSION_ERROR", changes=()),),
            faults=parts.name_fault,
            finish=finishing.SUB_GOAL,
        ),
    ),
    {
        ADD: Said(
            (
                sense(
                    "add, make, create",
                    "name~word > sub-goal named, subgoal named, sub-goal, subgoal, named",
                    "text~text > with the text, that say, saying, to achieve, :",
                    "after~text > after, behind, once done",
                    "workspace~word > in the workspace, in workspace",
                    about="goal part new",
                    key="sub-goal subgoal",
                ),
            ),
            it="sub-goal {name}",
        ),
    },
)
