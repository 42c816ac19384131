"""What a line typed by hand means: a command with its arguments, its time and its hosts, or why it is not taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.actors import limits
from agents.bdi.plans.document import Document, IntentSpec
from agents.models import Goal, HandCommand
from agents.record import gate
from agents.record.errors import CommandRefused
from agents.toolkit.command import Command
from agents.toolkit.limits import Number, in_words, session_limits
from agents.toolkit.registry import tools_in_use
from agents.toolkit.schemas import PATH_KINDS
from people.models import User
from sandbox import commands
from sandbox.commands import Refusal
from sandbox.console import typed
from sandbox.contract import Request, SessionState
from sandbox.gate.hosts import HostRefused, canonical

TEXT_MAX = 8_000
# The tool whose commands these are and whose administrated ceilings hold for them: the session itself.
TOOL = "simple_coder"
# Words of the terminal that are none here, with the reason.
_ONE_JAIL = "each typed command runs in its own sandbox, which ends with it, so nothing can run in the background"
NOT_HERE: Mapping[str, str] = {
    "start": _ONE_JAIL,
    "process_log": _ONE_JAIL,
    "stop": _ONE_JAIL,
    "help": "the ? next to the prompt lists the commands",
    "env": "the page of the session lists its variables under Environment",
    "exit": "there is nothing to exit: the session continues with the next command",
    "quit": "there is nothing to exit: the session continues with the next command",
}


@dataclass(frozen=True)
class Reading:
    """A line in its one spelling, and what it means. `params` are those of a step, its hosts and its time included."""

    text: str
    command: str
    params: Mapping[str, Any]
    hosts: tuple[str, ...]
    limits: Mapping[str, Number]


def read(
    goal: Goal, by: User, text: str, state: SessionState, hosts: Sequence[str] = (), timeout_s: int | None = None
) -> Reading:
    """What this person's line means in this goal's session; `hosts` and `timeout_s` stand beside the line or in it.

    Raises CommandRefused, also for what policies keep from being done without a review.
    """
    line = _parsed(_with_options(_checked(text), hosts, timeout_s), state)
    params = {**line.request.params, **({"hosts": list(line.hosts)} if line.hosts else {})}
    ceilings = limits.for_tools(goal, [TOOL])[TOOL]
    _check_time(params.get("timeout_s"), ceilings)
    reading = Reading(line.text, line.request.command, params, line.hosts, ceilings)
    if reason := policed(goal, by, reading, state):
        raise CommandRefused(reason)
    return reading


def stored(row: HandCommand) -> Reading:
    """What a stored command means."""
    return Reading(row.text, row.command, row.params, _known(row.command).hosts(row.params), row.limits)


def request_of(reading: Reading) -> Request:
    """What the session is asked; the hosts are its jail's, so the session never sees them."""
    return _known(reading.command).requests(reading.params)[0]


def policed(goal: Goal, by: User, reading: Reading, state: SessionState) -> str:
    """Why policies do not let this person do it without a review; "" when they do."""
    known = _known(reading.command)
    step = IntentSpec(
        position=1,
        phase="main",
        tool=TOOL,
        command=reading.command,
        params={name: _from_the_root(known, name, value, state.cwd) for name, value in reading.params.items()},
        parameters=(),
        justification="",
        effect=known.effect,
        limits=reading.limits,
        depends_on=(),
        condition=None,
        hosts=reading.hosts,
        rule="",
        sentence=reading.text,
    )
    workspace = goal.workspace
    document = Document(str(goal.pk), goal.text, workspace.name, workspace.head, 0, "person", (step,), ())
    return gate.by_hand(goal, document, by)


def _known(name: str) -> Command:
    return tools_in_use().command(TOOL, name)


def _from_the_root(command: Command, name: str, value: Any, cwd: str) -> Any:
    """A path as policies know it: they look at a step as one that stands at the workspace's root."""
    if command.kind(name) not in PATH_KINDS or not isinstance(value, str):
        return value
    try:
        return commands.within(commands.place(cwd, value))
    except Refusal:
        return value  # it leads outside, which the session itself refuses


def _checked(text: str) -> str:
    line = text.strip()
    if not line:
        raise CommandRefused("Type a command, for example: ls")
    if len(line) > TEXT_MAX:
        raise CommandRefused(f"A command has at most {TEXT_MAX:,} characters; this one has {len(line):,}.")
    if "\x00" in line:
        raise CommandRefused("This holds the character U+0000. Remove it.")
    return line


def _with_options(line: str, hosts: Sequence[str], timeout_s: int | None) -> str:
    """The line with what stood beside it, so that the text that is kept and audited says all of it."""
    if not hosts and timeout_s is None:
        return line
    word, _, rest = line.partition(" ")
    if word != "run":
        raise CommandRefused("Hosts and a time limit apply only to the command run.")
    try:
        said = [f"hosts={','.join(canonical(hosts))}"] if hosts else []
    except HostRefused as refused:
        raise CommandRefused(_sentence(str(refused))) from refused
    said += [f"timeout_s={timeout_s}"] if timeout_s is not None else []
    return " ".join([word, *said, rest.strip()])


def _parsed(line: str, state: SessionState) -> typed.Line:
    """The line as `python -m sandbox` reads it, its parameters checked as the session will."""
    word = line.split(maxsplit=1)[0]
    if word in NOT_HERE:
        raise CommandRefused(f"{word} is not for this prompt: {NOT_HERE[word]}.")
    try:
        found = typed.read(line, state)
        commands.check(found.request.command, found.request.params)
    except Refusal as refusal:
        raise CommandRefused(
            _sentence(str(refusal).replace("type help for a list", "the ? beside the prompt lists them"))
        ) from refusal
    return found


def _check_time(wanted_s: Any, ceilings: Mapping[str, Number]) -> None:
    most_s = session_limits(ceilings).hard_s
    if wanted_s is not None and not (isinstance(wanted_s, int) and 1 <= wanted_s <= most_s):
        raise CommandRefused(
            f"A time limit is a whole number of seconds, from 1 to the {in_words('hard_s', most_s)} that a command may"
            " ask for here."
        )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
