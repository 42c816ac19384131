"""The tools there are: those that ship, and those that people made while mindX ran.

A tool that ships is one file in `agents/toolkit/tools/` with a constant TOOL; that is all it takes. A registry never
changes, so whatever is worked out of one may be kept by it; `tools_in_use` is the registry that holds at the moment.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from weakref import WeakValueDictionary

from agents.toolkit import tools as tool_files
from agents.toolkit.command import Command, Tool, check_command, check_said
from agents.toolkit.saying import Said
from agents.toolkit.schemas import SchemaFault

__all__ = ["REGISTRY", "Command", "Registry", "Tool", "UnknownCommand", "UnknownTool", "tools_in_use"]


class UnknownTool(KeyError):
    """No tool of this name is registered."""

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownCommand(UnknownTool):
    """The tool has no command of this name."""


# Tools never change, so each is checked once, by its object: all that ship would take a third of a second each time
# that one made by people is put beside them.
_fitting: WeakValueDictionary[int, Tool] = WeakValueDictionary()


class Registry:
    """Tools by name. Everything about a tool is checked when the registry is made, so nothing half-right is ever
    listed.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        """Register the tools. Raises SchemaFault for the first one that does not fit together."""
        self.tools: tuple[Tool, ...] = tuple(tools)
        self._tools: dict[str, Tool] = {}
        self._commands: dict[tuple[str, str], Command] = {}
        for tool in self.tools:
            self._register(tool)

    def _register(self, tool: Tool) -> None:
        if not tool.name.isidentifier() or not tool.commands:
            raise SchemaFault(f"the tool “{tool.name}” needs a name of letters, digits and _, and a command")
        if tool.name in self._tools:
            raise SchemaFault(f"two tools are named “{tool.name}”; rename one")
        self._tools[tool.name] = tool
        for command in tool.commands:
            where = f"{tool.name}.{command.name}"
            if command.tool != tool.name:
                raise SchemaFault(f"{where} says that it belongs to “{command.tool}”")
            if (tool.name, command.name) in self._commands:
                raise SchemaFault(f"{where} is there twice; one command has one schema")
            if _fitting.get(id(tool)) is not tool:
                _check(where, command, tool)
            self._commands[tool.name, command.name] = command
        _fitting[id(tool)] = tool

    @property
    def commands(self) -> Iterator[Command]:
        """All commands of all tools, in order."""
        return iter(self._commands.values())

    def said(self, command: Command) -> Said:
        """How people say a command in passing."""
        return self._tools[command.tool].said.get(command.name, _NOTHING_SAID)

    def tool(self, name: str) -> Tool:
        """Return a tool. Raises UnknownTool, whose message names the nearest one."""
        if name not in self._tools:
            raise UnknownTool(f"there is no tool “{name[:60]}”{_nearest(name, self._tools)}")
        return self._tools[name]

    def command(self, tool: str, name: str) -> Command:
        """Return a command. Raises UnknownTool or UnknownCommand, whose message names the nearest one."""
        if (found := self._commands.get((tool, name))) is not None:
            return found
        commands = [command.name for command in self.tool(tool).commands]
        raise UnknownCommand(f"{tool} has no command “{name[:60]}”{_nearest(name, commands)}")


def _check(where: str, command: Command, tool: Tool) -> None:
    try:
        check_command(command)
        check_said(command, tool.said.get(command.name, Said()))
    except SchemaFault as fault:
        raise SchemaFault(f"{where}: {fault}") from fault


# Of a command that nobody says in passing. Asked for many times while a text is read, so made once.
_NOTHING_SAID = Said()


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name[:60], names, n=1)
    return f"; did you mean “{near[0]}”?" if near else f"; there are {', '.join(names)}"


def discover() -> tuple[Tool, ...]:
    """Return the TOOL of every file in `agents/toolkit/tools/`, the session's own first, then by file name.

    The order decides what is offered first and what a line means that two commands could say alike.
    """
    found = (module.name for module in pkgutil.iter_modules(tool_files.__path__))
    names = sorted(found, key=lambda name: (name != "simple_coder", name))
    return tuple(importlib.import_module(f"{tool_files.__name__}.{name}").TOOL for name in names)


# What ships. The names of its tools are taken for good.
REGISTRY = Registry(discover())
_in_use = REGISTRY
_instead: ContextVar[Registry | None] = ContextVar("tools_instead", default=None)


def tools_in_use() -> Registry:
    """The tools that ship and those made by people that are active, as this process knows them."""
    return _instead.get() or _in_use


def put_to_use(made: Iterable[Tool]) -> None:
    """Have these tools in use beside those that ship. Raises SchemaFault when one does not fit, and changes nothing."""
    global _in_use
    made = tuple(made)
    _in_use = Registry((*REGISTRY.tools, *made)) if made else REGISTRY


@contextmanager
def with_tool(tool: Tool) -> Iterator[Registry]:
    """Have one tool in use in place of the one of its name, in this thread and for this block only.

    Raises SchemaFault when it does not fit.
    """
    registry = Registry((*(one for one in tools_in_use().tools if one.name != tool.name), tool))
    token = _instead.set(registry)
    try:
        yield registry
    finally:
        _instead.reset(token)
