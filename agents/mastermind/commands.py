"""The commands of mastermind: how each is written, what it does, by which other names it is known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """`form` is how it is typed; a word in <> must be there, one in [] may. `about`: whether a component is looked for
    in its text. `words`: what must follow, for an answer to a line that leaves it out.
    """

    name: str
    form: str
    summary: str
    example: str
    aliases: tuple[str, ...] = ()
    about: bool = False
    words: str = ""

    @property
    def needs_words(self) -> bool:
        """Whether the name alone is not a whole command."""
        return bool(self.words)


COMMANDS: tuple[Command, ...] = (
    Command(
        "evolve",
        "evolve <what> [wish]",
        "Have an agent improve something: a goal that is planned, reviewed and run.",
        "evolve the summarization tool",
        ("mastermind_evolve",),
        about=True,
        words="what should be improved",
    ),
    Command(
        "deploy",
        "deploy <text>",
        "Have an agent create and start something: a goal that is planned, reviewed and run.",
        "deploy an agent named scout",
        ("mastermind_deploy",),
        words="what should be created and started",
    ),
    Command(
        "introspect",
        "introspect [agent]",
        "Show what an agent believes, intends and can do.",
        "introspect",
        ("mastermind_introspect",),
    ),
    Command(
        "status",
        "status",
        "Show how many goals are in each state, what waits for people, and whether everything is stopped.",
        "status",
        ("mastermind_status",),
    ),
    Command(
        "agent_create",
        "agent_create <kind> <name> [config]",
        "Create an agent; its plan is reviewed. The config is JSON, or words: tools=git_tool,note_taking repairs=1.",
        "agent_create bdi_agent scout tools=git_tool,note_taking",
        ("create_agent",),
        words="the kind and the name, as in bdi_agent scout",
    ),
    Command("agent_list", "agent_list", "List the agents.", "agent_list", ("show_agent_registry", "list_agents")),
    Command(
        "agent_evolve",
        "agent_evolve <name> <config or wish>",
        "Change an agent, or go back (version=1.0.0); the plan is reviewed. A wish goes to the backlog.",
        "agent_evolve scout max_repair_attempts=1",
        ("evolve_agent",),
        words="the agent and what should change",
    ),
    Command(
        "agent_delete",
        "agent_delete <name> [reason]",
        "Retire an agent; the plan is reviewed. It takes no more goals, and its history stays.",
        "agent_delete scout its work is done",
        ("agent_retire", "delete_agent"),
        words="the name of the agent",
    ),
    Command(
        "coord_query",
        "coord_query <question>",
        "Show what is known about something: related components, experiences, rules and wishes.",
        "coord_query what failed with the summarization tool",
        words="the question",
    ),
    Command(
        "coord_analyze",
        "coord_analyze [what]",
        "Analyze the code of a component or a workspace: a goal whose findings go into the backlog.",
        "coord_analyze summarization_tool",
        ("coord_analyse", "analyze_codebase"),
        about=True,
    ),
    Command(
        "coord_improve",
        "coord_improve <component> <wish>",
        "Put a wish about a component into the backlog, where somebody approves or rejects it.",
        "coord_improve summarization_tool Add better error handling",
        about=True,
        words="the component and what should be improved",
    ),
    Command(
        "coord_backlog",
        "coord_backlog [state]",
        "Show the backlog, most urgent first, and why it is stopped if it is.",
        "coord_backlog approved",
    ),
    Command(
        "coord_process_backlog",
        "coord_process_backlog [number]",
        "Start approved items as goals, at most this many, unless a stop rule forbids it.",
        "coord_process_backlog 3",
        ("process_backlog",),
    ),
    Command(
        "coord_approve",
        "coord_approve <item> [reason]",
        "Approve a backlog item. A critical one needs a reviewer.",
        "coord_approve 12 worth it",
        words="the number of the item",
    ),
    Command(
        "coord_reject",
        "coord_reject <item> <reason>",
        "Reject a backlog item, with a reason.",
        "coord_reject 12 there is no such file",
        words="the number of the item and the reason",
    ),
    Command("help", "help [command]", "List the commands, or show how to write one.", "help evolve", ("?",)),
)
BY_NAME = {command.name: command for command in COMMANDS}
NAMES = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}

# Plain words that open a request without naming a command, and the command that they mean.
TRIGGERS = {
    **dict.fromkeys(("improve", "enhance", "optimize", "optimise", "upgrade", "refine", "polish"), "evolve"),
    **dict.fromkeys(
        ("analyze", "analyse", "review", "assess", "audit", "examine", "check", "evaluate", "inspect"), "coord_analyze"
    ),
    **dict.fromkeys(("create", "instantiate"), "deploy"),
}


def help_of(name: str) -> str:
    """What a command is for and how it is written."""
    command = BY_NAME[name]
    also = [alias for alias in command.aliases if alias != "?"]
    named = f"\nAlso known as: {', '.join(also)}" if also else ""
    return f"{command.form}\n  {command.summary}\n  For example: {command.example}{named}"


def overview() -> str:
    """All commands, a line each."""
    width = max(len(command.form) for command in COMMANDS)
    return "\n".join(f"{command.form.ljust(width)}  {command.summary}" for command in COMMANDS)
