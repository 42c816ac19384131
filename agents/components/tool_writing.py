"""Writing tools: a text is read, checked beside the tools in use, and kept as a candidate of the library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agents.actors import firmware
from agents.bdi.language_models.firmware_checks import Looked
from agents.components.made_tools import KIND, is_shipped, refresh
from agents.record.errors import AgentsError
from agents.rules.naming import hidden_character
from agents.toolkit import made, phrases
from agents.toolkit.command import Command, Tool
from agents.toolkit.made import Made, MadeToolFault
from agents.toolkit.registry import Registry, tools_in_use
from agents.toolkit.schemas import SchemaFault
from agents.toolkit.wording.slots import render
from library.components import services
from library.errors import LibraryRefused
from library.models import Component, ComponentVersion
from people.models import User

# Addresses beside those of the tools themselves.
_TAKEN = frozenset({"new", "check", "mcp"})


class ToolInvalid(AgentsError):
    """The text cannot become a tool; each problem is a sentence that names its line where it has one."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Checked:
    """A tool's text as it was read. `made` is None when it cannot be read."""

    made: Made | None
    problems: tuple[str, ...]


def check(text: str, *, instead_of: str = "", prefix: str = "") -> Checked:
    """Read a tool's text and check it among the tools in use, one of which it may replace. It is not run.

    `prefix`: the one of mindX's own with which the name may begin, for tools that mindX itself writes.
    """
    try:
        found = made.read(text)
    except MadeToolFault as fault:
        return Checked(None, (f"Line {fault.line}: {fault.message}.",))
    refresh()
    others = tuple(tool for tool in tools_in_use().tools if tool.name not in (instead_of, found.tool.name))
    named = () if found.tool.name == instead_of else _own_name(found.tool.name, prefix)
    return Checked(found, (*_hidden_characters(text), *named, *_beside(found.tool, others), *_against_firmware(found)))


def save(
    text: str,
    *,
    by: User,
    of: Component | None = None,
    changes: str = "",
    origin: str = services.PERSON,
    prefix: str = "",
) -> ComponentVersion:
    """Keep the text as a candidate; without `of` it is a new tool. Nothing uses it yet. `prefix`: as of `check`.

    Raises ToolInvalid with what is wrong, LibraryRefused for who may not write and for a name that is taken.
    """
    services.check_rights(by, activate=False)
    text = text.replace("\r\n", "\n").strip() + "\n"
    checked = check(text, instead_of=of.name if of else "", prefix=prefix)
    if checked.made is None or checked.problems:
        raise ToolInvalid(checked.problems)
    tool = checked.made.tool
    if of is None and Component.objects.filter(kind=KIND, name=tool.name).exists():
        raise LibraryRefused(f"There is a tool “{tool.name}” already. Edit that one, or choose another name.", "body")
    if of is not None and tool.name != of.name:
        raise LibraryRefused(f"This is a version of “{of.name}”. Keep the name, or save it as a new tool.", "body")
    saved = services.publish(
        KIND,
        tool.name,
        text,
        by=by,
        changes=changes.strip(),
        applicability_text=when_to_use(tool),
        origin=origin,
    )
    Component.objects.filter(pk=saved.component_id).update(description=tool.summary)
    return saved


def when_to_use(tool: Tool) -> str:
    """What the tool is for, in the words in which people ask for it, for the search by meaning."""
    said = [tool.summary]
    for command in tool.commands:
        said += [command.summary, phrases.say(command, {**command.defaults(), **command.examples[0]})]
    return "\n".join(dict.fromkeys(said))[: services.WHEN_MAX_CHARACTERS]


def rule_for(command: Command) -> str:
    """A plan rule that has a goal in the command's own words planned as this one step, for a person to finish."""
    triggers = "\nOR your task is to ".join(command.phrases)
    said = render(command.phrases[0], {name: f"{{{name}}}" for name in command.required})
    name = f"{command.tool} {command.name}".replace("_", " ")
    return f"RULE {name}\nIF your task is to {triggers}\nTHEN:\n  # {command.summary}\n  {said}\n"


def _own_name(name: str, prefix: str) -> Iterator[str]:
    """A person's tool must not look like the one that mindX wrote for a server or an agent."""
    for own in made.OWN_PREFIXES:
        if name.startswith(own) and own != prefix:
            yield f"Names that begin with “{own}” belong to tools that mindX writes itself. Choose another name."


def _beside(tool: Tool, others: tuple[Tool, ...]) -> Iterator[str]:
    """What keeps it from being used beside the others. Two tools that are said alike would surprise people."""
    if tool.name in _TAKEN:
        yield f"“{tool.name}” is an address of mindX. Choose another name."
        return
    if is_shipped(tool.name):
        yield f"mindX itself has a tool “{tool.name}”. Choose another name."
        return
    try:
        Registry((*others, tool))
    except SchemaFault as fault:
        yield f"It does not fit: {fault}."
        return
    known = Registry(others)
    for command in tool.commands:
        for example in command.examples:
            sentence = phrases.say(command, {**command.defaults(), **example})
            if (other := phrases.read_raw(sentence, known)) is not None:
                taken = f"{other.command.tool}.{other.command.name}"
                yield f"“{sentence}” means {taken} already. Choose other phrases."
                break
            reading = phrases.read_raw(sentence, Registry((tool,)))
            if reading is None or reading.command.name != command.name:
                yield f"“{sentence}” is not read back as {command.name}. Choose other phrases."
                break


def _against_firmware(found: Made) -> Iterator[str]:
    """What the general firmware forbids: the tool, a command, an effect, and words of its code."""
    looked = [Looked(0, found.tool.name, one.name, one.effect, (), {}) for one in found.tool.commands]
    for violation in [*firmware.problems_of_rule(looked), *firmware.problems_of_text(found.code)]:
        yield violation.says


def _hidden_characters(text: str) -> Iterator[str]:
    """People read a tool before it is used, so nothing in it may be invisible or turn the reading direction."""
    for number, line in enumerate(text.splitlines(), start=1):
        if character := hidden_character(line.replace("\t", " ")):
            yield f"Line {number}: this contains the hidden character {character}. Write it as an escape."
