"""What steps may fail by together: a host they ask, a program they run, or the command itself. Pure.

That five programs failed under one tool says nothing of a sixth. Only what two steps have in common can fail both: a
host that both ask; a program of the machine; a script of the same workspace; the same command line; or, where a command
neither asks a host nor runs a program, that command.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.bdi.outcome.network import listed
from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.failures import OF_OTHERS, FailureClass
from agents.toolkit import hosts as host_words
from sandbox.command_line import split
from sandbox.commands import Refusal

# Programs that run another one, which a word of their line names.
_INTERPRETERS = ("python", "pypy", "sh", "bash", "dash", "zsh", "node", "perl", "ruby", "php", "lua", "Rscript")
_WORDS_KEPT = 80


class Kind(StrEnum):
    """What it is that several steps stand on."""

    HOST = "host"
    PROGRAM = "program"
    SCRIPT = "script"
    LINE = "line"
    COMMAND = "command"


@dataclass(frozen=True)
class SharedCause:
    """Something that several steps stand on. One name in common is enough: a step may ask several hosts.

    `tool` and `command` are what ran it, "" for hosts. `workspace` is the one that a script lies in, 0 for everything
    else: another workspace's main.py is another program.
    """

    kind: Kind
    names: tuple[str, ...]
    tool: str = ""
    command: str = ""
    workspace: int = 0

    def meets(self, other: SharedCause) -> bool:
        """Whether what fails the one can fail the other."""
        alike = replace(self, names=()) == replace(other, names=())
        return alike and not set(self.names).isdisjoint(other.names)

    @property
    def key(self) -> str:
        """The same as long as it is the same."""
        where = f" in workspace {self.workspace}" if self.workspace else ""
        return f"{self.kind}:{','.join(self.names)}{where}"

    @property
    def words(self) -> str:
        """Its name for people."""
        if self.kind is Kind.HOST:
            return listed([host_words.in_words([name]) for name in self.names])
        name = self.names[0]
        shown = name if len(name) <= _WORDS_KEPT else f"{name[:_WORDS_KEPT]} …"
        return f"“{shown}”" if self.kind is Kind.LINE else shown


def stands_on(step: IntentSpec, workspace: int) -> tuple[SharedCause, ...]:
    """All that the step stands on, hosts first."""
    line, of = step.params.get("command_line"), (step.tool, step.command)
    found = [SharedCause(Kind.HOST, tuple(sorted(step.hosts)))] if step.hosts else []
    if isinstance(line, str):
        kind, name = _program(line)
        found.append(SharedCause(kind, (name,), *of, workspace if kind is Kind.SCRIPT else 0))
    return tuple(found) or (SharedCause(Kind.COMMAND, (f"{step.tool}.{step.command}",), *of),)


def suspected(step: IntentSpec, workspace: int, failure_class: FailureClass) -> SharedCause:
    """Which of what it stands on the failure is about: of a program that asks hosts, the hosts where they decide."""
    found = stands_on(step, workspace)
    return found[0] if failure_class in OF_OTHERS else found[-1]


def _program(line: str) -> tuple[Kind, str]:
    """The program that a command line runs; the line itself where that is its program (`python -c …`)."""
    whole = Kind.LINE, line.strip()
    try:
        name, *rest = split(line)
    except Refusal:
        return whole
    if posixpath.basename(name).startswith(_INTERPRETERS):
        if len(rest) > 1 and rest[0] == "-m":
            return Kind.PROGRAM, rest[1]
        # An option may take the next word, or be the program.
        if not rest or rest[0].startswith("-"):
            return whole
        name = f"./{rest[0]}"
    return (Kind.SCRIPT, posixpath.normpath(name)) if "/" in name else (Kind.PROGRAM, name)
