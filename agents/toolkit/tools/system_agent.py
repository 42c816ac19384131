"""What SystemAgent does, as steps of a plan that people read before: search, create, evolve, ask others, remember.

Nothing of it is done in the jail; mindX does it by services (agents.system) with the rights of whoever submitted the
goal. None of these commands approves, rejects or activates anything: what it makes waits for people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agents.toolkit import finishing
from agents.toolkit.command import Command, Params, Tool
from agents.toolkit.describing import fields, line, number
from agents.toolkit.trial import Trial
from sandbox.contract import Request

NAME = "system_agent"
REQUEST_AGENT = "request_agent"
KINDS = ("rule", "tool", "workflow", "agent")
# Those that a library version can be written of here.
WRITTEN_KINDS = ("rule", "tool", "workflow")
OUTCOMES = ("success", "failure", "partial_success", "abandoned")
STRATEGIES = ("standard", "conservative", "aggressive", "domain_adaptation")
# Those of `agents.bdi.bus.routing`, which stands above.
BUS_STRATEGIES = ("confidence", "round_robin", "least_busy")


def _nothing(params: Params) -> tuple[Request, ...]:
    """A step is always asked of its session; this looks at the folder and changes nothing."""
    return (Request("ls", {"path": "."}),)


def _text(title: str, most: int = 4_000, **more: Any) -> dict[str, Any]:
    return line(title, most, **{"x-multiline": True, **more})


def _may_be_empty(title: str, most: int, **more: Any) -> dict[str, Any]:
    return {"type": "string", "title": title, "maxLength": most, "default": "", **more}


def _choice(title: str, values: tuple[str, ...], **more: Any) -> dict[str, Any]:
    return {"type": "string", "title": title, "enum": list(values), **more}


def _asks_for_nothing(params: Params) -> list[tuple[str, str]]:
    if params.get("capability") or params.get("task"):
        return []
    return [("task", "say a task in words, or name a capability")]


_TASK = _text("What is to be done")
_GOAL = number("Number of the goal", 1, 10**12)
_KIND = _choice("Kind of component", WRITTEN_KINDS)


def _command(
    name: str,
    summary: str,
    schema: Mapping[str, Any],
    phrases: tuple[str, ...],
    example: Params,
    *,
    gives: tuple[str, ...] = (),
    faults: Callable[[Params], Any] = lambda params: (),
) -> Command:
    service = finishing.SERVICES[f"system_{name}"]
    # Outside of a goal there is nobody with whose rights it could be done, so this is all that a trial can show.
    refused = Trial(example, error="PERMISSION_ERROR", changes=())
    return Command(
        NAME,
        name,
        f"{summary} {service.words}",
        dict(schema),
        phrases,
        "keyed" if service.acts or service.to_model else "idempotent",
        _nothing,
        gives,
        (example,),
        trials=(refused,),
        faults=faults,
        finish=f"system_{name}",
    )


TOOL = Tool(
    NAME,
    "SystemAgent",
    "Searches, makes and develops components, asks other agents, and remembers. It approves nothing.",
    (
        _command(
            "search_component",
            "Search the library for components that suit a task, with both scores of each.",
            fields({"task": _TASK, "kind": _choice("Kind", ("any", *KINDS), default="any")}, "task"),
            ("search the library for a component to {task} [of the kind {kind}]", "find a component to {task}"),
            {"task": "count the lines of a file"},
            gives=("message", "names"),
        ),
        _command(
            "task_context",
            "Say a task with all that is known of this goal, as the text by which components are searched.",
            fields({"task": _TASK}, "task"),
            ("say the context of the task {task}",),
            {"task": "count the lines of a file"},
            gives=("context",),
        ),
        _command(
            "build_context",
            "Gather what earlier goals taught and which components suit a task.",
            fields({"task": _TASK, "tokens": number("Length in tokens at most", 100, 8_000, default=2_000)}, "task"),
            ("build the context of the task {task} [within {tokens} tokens]",),
            {"task": "count the lines of a file"},
            gives=("context",),
        ),
        _command(
            "discover_agent",
            "Find who on the bus can do a task, with both scores of each.",
            fields({"task": _TASK}, "task"),
            ("find out which agent can {task}", "discover an agent that can {task}"),
            {"task": "count the lines of a file"},
            gives=("message", "names"),
        ),
        _command(
            "review_design",
            "Read the design of a goal and say what speaks against it. People decide on it.",
            fields({"goal": _GOAL}, "goal"),
            ("read the design of the goal {goal}",),
            {"goal": 1},
            gives=("message",),
        ),
        _command(
            "review_selection",
            "Read which rules were chosen for a goal and say what speaks against it. People decide on it.",
            fields({"goal": _GOAL}, "goal"),
            ("read the selection of the goal {goal}",),
            {"goal": 1},
            gives=("message",),
        ),
        _command(
            "ask_for_approval",
            "Ask people to decide on the plan of a goal. It decides nothing itself.",
            fields({"goal": _GOAL, "why": _text("Why it should be decided now", 1_000)}, "goal", "why"),
            ("ask for the approval of the goal {goal} because {why}",),
            {"goal": 1, "why": "its deadline is today"},
        ),
        _command(
            "design_solution",
            "Have ArchitectZero design a solution of several components. The design is a goal that people review.",
            fields(
                {
                    "requirements": _text("What the solution should do", 8_000),
                    "reuse_from": number("Percent of a score from which a component is reused", 0, 100, default=60),
                    "evolve_from": number("Percent of a score from which one is evolved", 0, 100, default=50),
                },
                "requirements",
            ),
            (
                "have a solution designed for {requirements} [with reuse from {reuse_from}] "
                "[with evolve from {evolve_from}]",
            ),
            {"requirements": "Fetch the prices. Then count them"},
        ),
        _command(
            "create_component",
            "Write a new component as a candidate, from its whole text or, by a language model, from a sentence.",
            fields(
                {
                    "kind": _KIND,
                    "wish": _text("What it should do", 2_000),
                    "body": _may_be_empty("Its whole text; empty: a model writes it", 60_000, **{"x-multiline": True}),
                },
                "kind",
                "wish",
            ),
            ("create a component of the kind {kind} that does {wish} [with the body {body}]",),
            {"kind": "workflow", "wish": "greet somebody"},
        ),
        _command(
            "evolve_component",
            "Start a candidate of a component that is in use; without a language model it becomes a wish for people.",
            fields(
                {
                    "kind": _choice("Kind of component", KINDS),
                    "name": line("Name of the component", 120),
                    "wish": _text("What should be better", 2_000),
                    "strategy": _choice("How far it may go", STRATEGIES, default="standard"),
                },
                "kind",
                "name",
                "wish",
            ),
            ("evolve the component {name} of the kind {kind} so that it does {wish} [by the strategy {strategy}]",),
            {"kind": "rule", "name": "write a note", "wish": "ask for a title"},
        ),
        _command(
            "generate_workflow",
            "Write a workflow as a candidate: by a language model, or from the plan of a goal that was achieved.",
            fields(
                {
                    "wish": _text("What it should do", 2_000),
                    "name": line("Name of the workflow", 100),
                    "goal": number("Goal whose plan it is made of; 0: the most like one", 0, 10**12, default=0),
                },
                "wish",
                "name",
            ),
            ("generate the workflow {name} that does {wish} [from the goal {goal}]",),
            {"wish": "greet somebody", "name": "Greet somebody"},
        ),
        _command(
            "process_workflow",
            "Process a workflow: a goal with its plan, which people review before anything of it runs.",
            fields(
                {
                    "name": line("Name of the workflow", 120),
                    "values": _may_be_empty("Its parameters as JSON; empty: as it says", 8_000),
                    "version": _may_be_empty("Version; empty: the one in use, else the newest", 32),
                },
                "name",
            ),
            ("process the workflow {name} [with the values {values}] [in the version {version}]",),
            {"name": "Greet somebody"},
        ),
        _command(
            "record_experience",
            "Record what was done and what came of it, for later goals.",
            fields(
                {
                    "task": _text("What was done", 2_000),
                    "outcome": _choice("What came of it", OUTCOMES),
                    "summary": _text("What was learned", 4_000),
                },
                "task",
                "outcome",
                "summary",
            ),
            ("record the experience of {task} with the outcome {outcome} and the summary {summary}",),
            {"task": "counted lines", "outcome": "success", "summary": "wc -l is enough"},
        ),
        _command(
            "register_agent",
            "Register an agent outside mindX on the bus, with one capability. It is asked once it is connected.",
            fields(
                {
                    "name": line("Name of the agent", 100, pattern="^[A-Za-z0-9][A-Za-z0-9_. -]*$"),
                    "description": _text("What it is for", 2_000),
                    "capability": line("Name of what it can do", 100, pattern="^[A-Za-z0-9][A-Za-z0-9_.-]*$"),
                },
                "name",
                "description",
                "capability",
            ),
            ("register the agent {name} for the capability {capability} with the description {description}",),
            {"name": "translator", "description": "Translates texts", "capability": "translate"},
        ),
        _command(
            REQUEST_AGENT,
            "Ask who on the bus can do it, and wait for the answer, which is the result. What an agent or a tool is"
            " asked for becomes a goal that people review.",
            fields(
                {
                    "capability": _may_be_empty("Capability; empty: whoever suits the task", 130),
                    "task": _may_be_empty("The task in words", 4_000),
                    "content": _may_be_empty("What goes along, as JSON", 20_000, **{"x-multiline": True}),
                    "why": _may_be_empty("Why it is asked", 300),
                    "workspace": _may_be_empty(
                        "Workspace that it is done in; empty: a new one", 80, pattern="^([A-Za-z0-9][A-Za-z0-9_-]*)?$"
                    ),
                    "strategy": _choice("Who is asked of several", BUS_STRATEGIES, default="confidence"),
                    "minutes": number("Minutes to the deadline", 1, 525_600, default=1_440),
                }
            ),
            (
                "ask on the bus [because of {why}] [for the capability {capability}] [for the task {task}] "
                "[with the content {content}] [in the workspace {workspace}] [by the strategy {strategy}] "
                "[within {minutes} minutes]",
                "ask an agent to {task} [within {minutes} minutes]",
                "ask for the capability {capability} [with the content {content}] [within {minutes} minutes]",
            ),
            {"capability": "answer_about_experience", "content": '{"question": "what failed?"}', "why": "to learn"},
            gives=("message", "text", "request", "goal"),
            faults=_asks_for_nothing,
        ),
    ),
)
