"""Making, changing and retiring agents of mindX, as steps of a plan that people read before.

Nothing of it is done in the jail: mindX does it itself, by services that act only on what stands in the approved plan
that runs, with the rights of whoever submitted its goal (agents.services.agent_steps). A shadow run tries none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.toolkit import finishing
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import fields, line, number, switch
from agents.toolkit.saying import Said, sense
from agents.toolkit.trial import Trial
from sandbox.contract import Request

NAME = "agent_registry"
CREATE, CHANGE, RETIRE = "create_agent", "change_agent", "retire_agent"
NONE = "none"
# Those of agents.bdi.commitment, which stands on the registry and cannot be asked here; a test compares them.
COMMITMENTS = ("blind", "single_minded", "open_minded")


def _text(title: str, most_chars: int) -> dict[str, Any]:
    """A text that may be empty, which then means what its title says."""
    return {"type": "string", "title": title, "maxLength": most_chars}


# What an agent is set to, by the names that `agent_create` takes, each with what a new one has.
SETTINGS: Mapping[str, tuple[dict[str, Any], Any]] = {
    "tools": (_text("Tools it may use, with commas between them; empty: every one", 2_000), ""),
    "model": (_text("Language model; empty: the one of this installation", 200), ""),
    "uses_model": (switch("A model plans where no rule does", default=True), True),
    "firmware_domain": (_text("Domain of its firmware; empty: the general one only", 40), ""),
    "max_repair_attempts": (number("How often a model's plan with problems goes back to it", 0, 10), 2),
    "tokens_per_day": (line("Tokens a day, or none for no limit", 10, pattern=rf"^({NONE}|[0-9]{{1,10}})$"), NONE),
    "cost_per_day": (
        line("US dollars a day, or none for no limit", 12, pattern=rf"^({NONE}|[0-9]{{1,6}}([.][0-9]{{1,4}})?)$"),
        NONE,
    ),
    "people_only": (switch("Its plans are decided by people only", default=False), False),
    "review_design": (switch("Designs are reviewed first", default=False), False),
    "review_selection": (switch("The choice of rules is reviewed first", default=False), False),
    "commitment": (
        {"type": "string", "title": "How firmly it holds on", "enum": list(COMMITMENTS)},
        "single_minded",
    ),
    "limits": (_text("Ceilings of its steps, such as git_tool.hard_s=30, with blanks between them", 4_000), ""),
}
_NAMED = line("Name of the agent", 64, pattern="^[A-Za-z][A-Za-z0-9_-]*$")
_NEW = fields({"name": _NAMED} | {key: {**how, "default": usual} for key, (how, usual) in SETTINGS.items()}, "name")
_CHANGED = fields(
    {
        "name": _NAMED,
        "version": line("Version of the library that it will be", 32, pattern=r"^[0-9]+(\.[0-9]+){2}$"),
        **{key: {name: one for name, one in how.items() if name != "default"} for key, (how, _) in SETTINGS.items()},
    },
    "name",
    "version",
)
_RETIRED = fields({"name": _NAMED, "reason": {**_text("Reason", 300), "default": ""}}, "name")


def _nothing(params: Params) -> tuple[Request, ...]:
    """A step is always asked of its session; this looks at the folder and changes nothing."""
    return (Request("ls", {"path": "."}),)


def _command(
    name: str, summary: str, schema: dict[str, Any], phrases: tuple[str, ...], finish: str, example: Params
) -> Command:
    # Outside of an approved plan nothing is done, so this is all that a trial can show.
    refused = Trial(example, error="PERMISSION_ERROR", changes=())
    words = f"{summary} {finishing.SERVICES[finish].words}"
    return Command(
        NAME, name, words, schema, phrases, "keyed", _nothing, (), (example,), trials=(refused,), finish=finish
    )


_VALUES = "".join(f" [with {key.replace('_', ' ')} {{{key}}}]" for key in SETTINGS)
_AGENT = "agent named, agent called, agent with the name, agent by the name of, agent"

TOOL = Tool(
    NAME,
    "Agents",
    "Makes, changes and retires agents of mindX, for operators. What an agent did is never deleted.",
    (
        _command(
            CREATE,
            "Make an agent.",
            _NEW,
            (
                f"create the agent {{name}}{_VALUES}",
                "(create|make|deploy|instantiate|set up) (a|an) [new] agent [named] {name}",
            ),
            finishing.MAKE_AGENT,
            {"name": "scout", "tools": "git_tool"},
        ),
        _command(
            CHANGE,
            "Change what an agent is set to; what is not named stays.",
            _CHANGED,
            (f"change the agent {{name}} to its version {{version}}{_VALUES}",),
            finishing.CHANGE_AGENT,
            {"name": "scout", "version": "1.1.0", "max_repair_attempts": 1},
        ),
        _command(
            RETIRE,
            "Retire an agent: it takes no more goals.",
            _RETIRED,
            ("retire the agent {name} [with the reason {reason}]",),
            finishing.RETIRE_AGENT,
            {"name": "scout", "reason": "its work is done"},
        ),
    ),
    {
        CREATE: Said(
            (
                sense(
                    "create, make, deploy, instantiate, set up",
                    f"name~word > {_AGENT}",
                    "tools~text > with the tools, with the tool, that may use, using the tools, using the tool",
                    "model~word > with the model, using the model, on the model, by the model, model",
                    about="agent new",
                    key="agent",
                ),
            ),
        ),
        RETIRE: Said(
            (sense("retire, dismiss", f"name~word > {_AGENT}", "reason~text > because", about="agent", key="agent"),),
        ),
    },
)
