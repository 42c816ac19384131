"""Waiting in the middle of a plan, until a sentence follows from what is believed then.

The jail is asked for nothing but a look at the folder: mindX itself looks whether it is so (agents.execution.waits),
and no worker is held meanwhile.
"""

from __future__ import annotations

from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import fields, line, number
from agents.toolkit.trial import Trial
from sandbox.contract import Request

NAME = "waiting"
UNTIL = "until"
# A day.
MAX_S = 86_400
_EXAMPLE = {"context": "there is a file named sales.csv", "at_most_s": 600}


def _nothing(params: Params) -> tuple[Request, ...]:
    """A step is always asked of its session; this looks at the folder and changes nothing."""
    return (Request("ls", {"path": "."}),)


TOOL = Tool(
    NAME,
    "Waiting",
    "Waits in the middle of a plan until something is so, for a limited time.",
    (
        Command(
            NAME,
            UNTIL,
            "Wait until a sentence follows from what is believed; NOT before it waits until it is known to be false."
            " Meanwhile no worker is held, and people may change the files. After the time the step fails.",
            fields(
                {
                    "context": line("What it waits for"),
                    "at_most_s": number("For how many seconds at most", 1, MAX_S),
                },
                "context",
                "at_most_s",
            ),
            ("wait until {context} for at most {at_most_s} seconds",),
            "idempotent",
            _nothing,
            # What is in the folder then.
            ("items",),
            (_EXAMPLE,),
            trials=(Trial(_EXAMPLE, changes=()),),
        ),
    ),
)
