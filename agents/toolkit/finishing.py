"""What mindX's own process may do with a tool's answer after the jail gave it, by name. Pure: it is done elsewhere.

The jail has no network of its own choice, no database and no model. Where a tool needs one of mindX's services, its
command names one of these; `agents.execution.tool_answers` does it, once for each answer that was a success.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Service:
    """`to_model`: what the jail answered is sent to the language model that is set up, and costs money. `needs_model`:
    a step that asks for it is not planned where no model is set up. `without_model`: whether a step with these values
    does its work without a model where none is set up. `acts`: it changes mindX itself. `for_good`: nothing undoes it.
    `hands_over`: what it leaves waits for people, so that the wish is not fulfilled by it.
    """

    words: str
    to_model: bool
    needs_model: bool = False
    without_model: Callable[[Mapping[str, Any]], bool] = lambda values: False
    acts: bool = False
    for_good: bool = False
    hands_over: bool = False


KEY_SENTENCES, MODEL_SUMMARY, MODEL_CHANGES = "key_sentences", "model_summary", "model_changes"
MAKE_AGENT, CHANGE_AGENT, RETIRE_AGENT = "make_agent", "change_agent", "retire_agent"
SUB_GOAL = "sub_goal"
_AS_SUBMITTER = "mindX does it with the rights of whoever submitted the goal, once, however often the step is tried."
SERVICES: Mapping[str, Service] = {
    KEY_SENTENCES: Service(
        "Chooses sentences on the worker; no model is asked and nothing leaves this machine.", False
    ),
    MODEL_SUMMARY: Service(
        "The text is sent to the agent's language model, and its cost counts against the agent's daily budget."
        " That provider sees the text.",
        True,
    ),
    MODEL_CHANGES: Service(
        "The file is sent to the agent's language model, and its cost counts against the agent's daily budget."
        " That provider sees the file. What the model proposes is a diff; no file is changed.",
        True,
        needs_model=True,
    ),
    SUB_GOAL: Service(
        f"{_AS_SUBMITTER} It is a goal of theirs, with a plan that people review before anything of it runs.",
        False,
        acts=True,
    ),
    MAKE_AGENT: Service(f"{_AS_SUBMITTER} It is undone by retiring the agent: it and its name stay.", False, acts=True),
    CHANGE_AGENT: Service(f"{_AS_SUBMITTER} It is undone by going back to the version before.", False, acts=True),
    RETIRE_AGENT: Service(f"{_AS_SUBMITTER} It cannot be undone.", False, acts=True, for_good=True),
}
_READS = "mindX reads it with the rights of whoever submitted the goal; nothing is changed."
# A new component is written by people, who give its whole text, or by a model.
_WITHOUT_MODEL: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "create_component": lambda values: bool(str(values.get("body", "")).strip()),
    **dict.fromkeys(("design_solution", "evolve_component", "generate_workflow"), lambda values: True),
}
_BY_MODEL = "Where a language model is set up, the wish is sent to it; its answer is a candidate that people decide on."
SERVICES = {
    **SERVICES,
    **{
        f"system_{name}": Service(_READS, to_model=False)
        for name in (
            *("search_component", "task_context", "build_context", "discover_agent"),
            *("review_design", "review_selection"),
        )
    },
    **{
        f"system_{name}": Service(_AS_SUBMITTER, to_model=False, acts=True)
        for name in ("record_experience", "register_agent", "request_agent")
    },
    **{
        f"system_{name}": Service(_AS_SUBMITTER, to_model=False, acts=True, hands_over=True)
        for name in ("ask_for_approval", "process_workflow")
    },
    **{
        f"system_{name}": Service(
            f"{_AS_SUBMITTER} {_BY_MODEL}", to_model=True, without_model=without, acts=True, hands_over=True
        )
        for name, without in _WITHOUT_MODEL.items()
    },
}
# What a dry run tries and a policy may approve stays inside; what goes to a model does not.
INSIDE = frozenset({"idempotent", "workspace"})


def fault(name: str, effect: str) -> str:
    """Why a command of this effect cannot have this service, as a clause; empty when it can."""
    if name and name not in SERVICES:
        return f"mindX has no service “{name}”; there are {', '.join(SERVICES)}"
    if name and SERVICES[name].to_model and effect in INSIDE:
        return f"its answer goes to a model, which the effect “{effect}” does not say; say “keyed”"
    if name and SERVICES[name].acts and effect != "keyed":
        return f"it changes mindX under a key, which the effect “{effect}” does not say; say “keyed”"
    return ""
