"""What a tool and a command are, and what must be true of one before it is registered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agents.toolkit import finishing
from agents.toolkit.effects import EFFECTS, slots_of
from agents.toolkit.hosts import hosts_asked_for
from agents.toolkit.leaving import Left
from agents.toolkit.saying import Said
from agents.toolkit.schemas import ADDRESS_KIND, HOSTS_KIND, PATH_KINDS, SchemaFault, check_schema, problems
from agents.toolkit.trial import Trial
from agents.toolkit.versions import version_of
from agents.toolkit.wording.slots import Template, TemplateError, compile_template
from sandbox.contract import Request

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Command:
    """One thing a tool can do.

    `phrases`: English patterns (see wording.slots) whose slots are parameters; the first one is how the command is
    said. `beliefs_added` and `beliefs_removed`: sentences about the current folder that are expected to hold, or to
    hold no longer, after success; one may end in "UNLESS sentence", read before the step. `requests`: what the sandbox
    is asked, in order; the first error ends the command, the last answer is its result, and `result_keys` are the keys
    of that answer which later steps may refer to. `needs_autonomous`: refused while autonomous mode is off;
    `autonomous_with`: the switch among its parameters that makes it so. `faults`: parameter and message for values that
    fit the schema and yet cannot be; not all parameters need to be there. `trials`: what `manage.py tool check` tries.
    `leaves`: what stands in the files when it has run. `answers`: it is there for what it answers, although its effect
    is another one. `tells_changes`: the key of its result that is empty where it changed no file. `tells_left`: the key
    that lists what it was to do and left as it was.
    `finish`: the service of mindX that makes the result out of the jail's last answer (agents.toolkit.finishing).
    `source`: its code, where a person made the tool while mindX ran (agents.toolkit.made); a part of its version.
    """

    tool: str
    name: str
    summary: str
    schema: Mapping[str, Any]
    phrases: tuple[str, ...]
    effect: str
    requests: Callable[[Params], tuple[Request, ...]]
    result_keys: tuple[str, ...]
    examples: tuple[Params, ...]
    beliefs_added: tuple[str, ...] = ()
    beliefs_removed: tuple[str, ...] = ()
    needs_autonomous: bool = False
    autonomous_with: str = ""
    changes_session: bool = False
    trials: tuple[Trial, ...] = ()
    faults: Callable[[Params], Iterable[tuple[str, str]]] = lambda params: ()
    leaves: Callable[[Params], Iterable[Left]] = lambda params: ()
    answers: bool = False
    tells_changes: str = ""
    tells_left: str = ""
    finish: str = ""
    source: str = field(default="", repr=False)

    @property
    def properties(self) -> Mapping[str, Mapping[str, Any]]:
        """The schema of each parameter by its name."""
        found: Mapping[str, Mapping[str, Any]] = self.schema.get("properties", {})
        return found

    @property
    def required(self) -> tuple[str, ...]:
        """Parameters that have no default and must be given."""
        return tuple(self.schema.get("required", ()))

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """The compiled phrases, in order."""
        return tuple(compile_template(phrase) for phrase in self.phrases)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of its own that a phrase has."""
        return frozenset(word for template in self.templates for word in template.literals)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The slot kind of each parameter."""
        return {name: self.kind(name) for name in self.properties}

    @property
    def asks_model(self) -> bool:
        """Whether what the jail answers is sent to a language model."""
        return bool(self.finish) and finishing.SERVICES[self.finish].to_model

    @property
    def needs_model(self) -> bool:
        """Whether a step of it is not planned where no language model is set up."""
        return bool(self.finish) and finishing.SERVICES[self.finish].needs_model

    @property
    def hands_over(self) -> bool:
        """Whether what a step of it leaves waits for people: it asked somebody, and did not do what was wished."""
        return bool(self.finish) and finishing.SERVICES[self.finish].hands_over

    @property
    def cannot_be_undone(self) -> bool:
        """Whether mindX changes itself by it in a way that nothing takes back."""
        return bool(self.finish) and finishing.SERVICES[self.finish].for_good

    @cached_property
    def version(self) -> str:
        """What it does, in one word that documents keep; worked out once, because it is asked at every claim."""
        return version_of(self)

    def kind(self, parameter: str) -> str:
        """Return the slot kind that a parameter's schema implies (see agents.toolkit.wording.kinds)."""
        described = self.properties[parameter]
        if described.get("x-kind") in (*PATH_KINDS, HOSTS_KIND, ADDRESS_KIND):
            return str(described["x-kind"])
        if "enum" in described:
            return "choice"
        return {"integer": "number", "boolean": "switch"}.get(str(described["type"]), "text")

    def does_without_model(self, values: Params) -> bool:
        """Whether a command that asks a language model does its work with these values where none is set up."""
        return bool(self.finish) and finishing.SERVICES[self.finish].without_model(values)

    def destroys(self, values: Params) -> bool:
        """Whether the command with these values is refused while autonomous mode is off."""
        return self.needs_autonomous or (bool(self.autonomous_with) and values.get(self.autonomous_with) is True)

    def hosts(self, params: Params) -> tuple[str, ...]:
        """Return the hosts that these parameters ask for, in their one spelling. Raises HostRefused."""
        return hosts_asked_for(self.schema, params)

    def defaults(self) -> dict[str, Any]:
        """Return the parameters that have a default, with it."""
        return {name: described["default"] for name, described in self.properties.items() if "default" in described}


@dataclass(frozen=True)
class Tool:
    """A named set of commands. `name` is used in plans, `label` on pages and in the log.

    `release`: the version in the library of a tool that a person made; empty for one that ships.
    """

    name: str
    label: str
    summary: str
    commands: tuple[Command, ...] = field(repr=False)
    # How people say each command in passing, by its name (see agents.toolkit.saying).
    said: Mapping[str, Said] = field(default_factory=dict, repr=False)
    release: str = ""


def check_said(command: Command, said: Said) -> None:
    """Raise SchemaFault unless everything that is said of a command is about its parameters."""
    named = {slot.parameter for one in said.senses for slot in one.slots} | set(said.places) | set(said.also.values())
    named |= {name for one in said.senses for name in (*one.fixed, *(name for name, _ in one.flags.values()))}
    named |= {name for one in said.senses for pair in one.same.items() for name in pair}
    if unknown := named - set(command.properties):
        raise SchemaFault(f"what is said of it names “{min(unknown)}”, which the schema does not have")
    for one in said.senses:
        # Many ways of saying a value are one value.
        values = {(name, repr(value)): value for name, value in (*one.flags.values(), *one.fixed.items())}
        for (name, _), value in values.items():
            if wrong := problems(command.schema, {name: value}, partial=True):
                raise SchemaFault(f"what a wording fixes does not fit: {wrong[0][0]} {wrong[0][1]}")
        if own := one.never & one.words:
            raise SchemaFault(f"a wording is never said with “{min(own)}”, which is one of its own words")


def check_command(command: Command) -> None:
    """Raise SchemaFault unless the command fits together: schema, phrases, effect, beliefs, examples."""
    check_schema(command.schema)
    if command.effect not in EFFECTS:
        raise SchemaFault(f"the effect “{command.effect}” is not one of {', '.join(EFFECTS)}")
    if wrong_service := finishing.fault(command.finish, command.effect):
        raise SchemaFault(wrong_service)
    if not command.phrases or not command.examples:
        raise SchemaFault("a command needs at least one phrase and one example")
    for key, of in ((command.tells_changes, "changes"), (command.tells_left, "what is left")):
        if key and key not in command.result_keys:
            raise SchemaFault(f"“{key}” is to tell of {of} and is no key of its result")
    if command.autonomous_with and command.properties.get(command.autonomous_with, {}).get("type") != "boolean":
        raise SchemaFault(f"“{command.autonomous_with}” is to need autonomous mode and is no switch of the schema")
    _check_phrases(command)
    if not slots_of((*command.beliefs_added, *command.beliefs_removed)) <= set(command.properties):
        raise SchemaFault("a predicted belief names a parameter that the schema does not have")
    cases = [("an example", example) for example in command.examples]
    cases += [("a trial", trial.params) for trial in command.trials]
    for what, params in cases:
        if wrong := problems(command.schema, params):
            raise SchemaFault(f"{what} does not fit: {wrong[0][0]} {wrong[0][1]}")


def _check_phrases(command: Command) -> None:
    try:
        templates = command.templates
    except TemplateError as error:
        raise SchemaFault(f"a phrase cannot be read: {error}") from error
    for template in templates:
        if not set(template.slots) <= set(command.properties):
            raise SchemaFault(f"the phrase “{template.source}” names a parameter that the schema does not have")
        if not set(command.required) <= template.required:
            raise SchemaFault(f"the phrase “{template.source}” leaves a required parameter open")
