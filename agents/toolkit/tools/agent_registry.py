"""Making, changing and retiring agents of mindX, as steps of a plan that people read before.

Nothing of it is done in the jail: mindX does it itself, by services that act only on what stands in the approved plan
that runs, with the rights of whoever submitted its goal (agents.components.agent_steps). A dry run tries none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.toolkit import finishing
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import fields, line, number, switch
from agents.toolkit.frameworks import FRAMEWORKS, OWN
from agents.toolkit.saying import Said, sense
from agents.toolkit.trial import Trial
from sandbox.contract import Request

NAME = "agent_registry"
CREATE, CHANGE, RETIRE = "create_agent", "change_agent", "retire_agent"
NONE = "none"
# Those of agents.bdi.intentions.commitment, which stands on the registry and cannot be asked here; a test compares
# them.
COMMITMENTS = ("blind", "single_minded", "open_minded")


def _text(title: str, most_chars: int) -> dict[str, Any]:
    """A text that may be empty, which then means what its title says."""
    return {"type": "string", "title": title, "maxLength": most_chars}


# What an agent is set to, by the names that `agent_create` takes, each with what a new one has.
SETTINGS: Mapping[str, tuple[dict[str, Any], Any]] = {
    "framework": ({"type": "string", "title": "Who works on its goals", "enum": list(FRAMEWORKS)}, OWN),
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
_AGENT = (
    "name~word > agent named, agent with the name, agent by the name of, agent, named, by the name of, name, name it, "
    "call it"
)


def _flags(name: str, value: Any, *phrases: str) -> dict[str, tuple[str, Any]]:
    return dict.fromkeys(phrases, (name, value))


# How what an agent is set to is said in passing.
_SET = (
    "tools~tools > with the tools, with the tool, with tools, with, that may use, that may only use, that may only, "
    "that can use, that can only use, that can only, which may use, which may only use, using the tools, using the "
    "tool, using, it may use, it may only use, it can use, may use, may only use, limited to the tools, limited to, "
    "restricted to the tools, restricted to, having, its tools be, tools, tool, to the tools, only, and give it, "
    "and only, and may use, whose tools be, allowed to use, to use only, to use, with access to, and",
    "model~word > with the model, with model, using the model, on the model, by the model, model, language model, "
    "running on, powered by, to the model, its model be, the model be, whose model be, based on the model, use the "
    "model, using model",
    "firmware_domain~word > firmware domain, with the firmware domain, firmware for, with the firmware of, with the "
    "firmware for, firmware of, firmware, domain, with the domain, for the domain, in the domain, to the domain",
    "max_repair_attempts > with max repair attempts, max repair attempts, max_repair_attempts, with repair attempts, "
    "repair attempts, repair attempts to, repairs, maximum repair attempts, number of repair attempts, attempts "
    "< repair attempts, repair attempt, repairs, attempts at repair, attempts to repair, tries at repair",
    "tokens_per_day~amount > tokens per day, tokens a day, daily tokens, token limit, token limit of, token budget, "
    "token budget of, daily token limit, daily token budget, tokens_per_day, daily token limit of, daily token "
    "budget of < tokens per day, tokens a day, tokens each day, tokens daily, tokens/day, tokens every day, token "
    "per day, tokens in a day, tokens",
    "cost_per_day~amount > cost per day, cost a day, daily cost, cost limit, cost limit of, cost_per_day, dollars a "
    "day, dollars per day, cost of, daily cost of, daily cost limit, daily cost limit of < dollars a day, dollars "
    "per day, dollars each day, dollars daily, dollar a day, dollar per day, us dollars a day, us dollars per day, "
    "usd a day, usd per day, usd daily, usd/day, $ a day, $ per day, $ daily, dollars, usd, $",
    "limits~ceilings > with the limits, with limits, with the limit, with limit, limits, limit, with the ceilings, "
    "ceilings, ceiling, with",
)
_SWITCHED = {
    **_flags(
        "uses_model",
        False,
        *("without a model", "without model", "without any model", "without a language model", "with no model"),
        *("without language model", "no model", "without using a model", "that uses no model", "which uses no model"),
    ),
    **_flags("uses_model", True, "that may use a model", "which may use a model", "with a language model"),
    **_flags(
        "people_only",
        True,
        *("whose plans are decided by people only", "decided by people only", "people only", "only people decide"),
        *("plans decided by people only", "only people approve its plans", "only people decide its plans"),
        *("whose plans only people decide", "its plans are decided by people only", "whose plans only people approve"),
        *("decided only by people", "whose plans are decided only by people", "only people may decide its plans"),
        *("only people may approve its plans", "with people only", "people-only"),
    ),
    **{
        phrase: ("framework", name)
        for name in FRAMEWORKS
        for said in ("framework", "with the framework", "of the framework", "built on")
        for phrase in (f"{said} {name}",)
    },
    **_flags(
        "review_design",
        True,
        *("whose designs are reviewed first", "designs reviewed first", "designs are reviewed first", "design review"),
        *("with design review", "review designs first", "its designs are reviewed first", "reviewed designs"),
    ),
    **_flags(
        "review_selection",
        True,
        *("whose choice of rules is reviewed first", "choice of rules reviewed first", "selection review"),
        *("with selection review", "review selection first", "its choice of rules is reviewed first"),
    ),
    **_flags(
        "tokens_per_day", NONE, "no token limit", "without a token limit", "without token limit", "unlimited tokens"
    ),
    **_flags("cost_per_day", NONE, "no cost limit", "without a cost limit", "without cost limit", "no spending limit"),
    **{
        phrase: ("commitment", f"{kind}_minded")
        for kind in ("open", "single")
        for word in (f"{kind}-minded", f"{kind} minded", f"{kind}_minded")
        for phrase in (
            *(word, f"with {word} commitment", f"{word} commitment", f"commitment {word}", f"that is {word}"),
            *(f"with the commitment {word}", f"with commitment {word}", f"commitment to {word}"),
        )
    },
    **_flags(
        "commitment",
        "blind",
        *("blindly committed", "with blind commitment", "blind commitment", "commitment blind", "commitment to blind"),
        *("with the commitment blind", "with commitment blind", "that is blindly committed"),
    ),
}
_ABOUT = "agent bdi plans commitment budget limit day cost costs spend spends"

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
                    _AGENT,
                    *_SET,
                    about=f"{_ABOUT} new",
                    key="agent",
                    flags=_SWITCHED,
                    never="version retire agents euros euro eur pounds francs yen",
                ),
            ),
            it="agent {name}",
        ),
        CHANGE: Said(
            (
                sense(
                    "change, set, update, modify, reconfigure, adjust, alter, raise, lower, reduce, increase, limit, "
                    "restrict, switch, bring, move, upgrade, let … use, let … have, allow",
                    _AGENT,
                    "version~version > to its version, to the version, to version, as its version, as version, as the "
                    "version, version, in version, becoming version, making it version, that be version, its version, "
                    "call that version, call it version, this become version, that become version, it become version, "
                    "the version be, which become version, this be version, make that version",
                    *_SET,
                    about=f"{_ABOUT} settings setting tools model",
                    key="agent",
                    flags=_SWITCHED,
                    never="new retire agents euros euro eur pounds francs yen",
                ),
                sense(
                    "give, get, have, use, take, need, put, make, run, be",
                    _AGENT,
                    "version~version > to its version, to the version, to version, as its version, as version, as the "
                    "version, version, in version, on version, becoming version",
                    *_SET,
                    about=f"{_ABOUT} settings setting tools model",
                    key="agent",
                    flags=_SWITCHED,
                    never="new retire agents euros euro eur pounds francs yen",
                    wants="version",
                ),
            ),
            it="agent {name}",
        ),
        RETIRE: Said(
            (
                sense(
                    "retire, dismiss",
                    _AGENT,
                    "reason~text > because, because of, reason, reason be, with the reason, for the reason that, for "
                    "the reason, the reason, the reason being, since, as, on the grounds that, given that",
                    about="agent now",
                    key="agent",
                ),
            ),
            it="agent {name}",
        ),
    },
)
