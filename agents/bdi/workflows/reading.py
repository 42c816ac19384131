"""A workflow's YAML as data, with every fault of its form: unknown keys, wrong types, a RETURN that is not last.

scenario_name: Greet
description: Writes a greeting and shows it.
params: {name: world}                  defaults; a parameter without one must be given
steps:
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.write
    input: {path: hello.txt, content: "Hello {{params.name}}"}
  - type: EXECUTE
    item_type: TOOL
    name: simple_coder.read
    input: {path: hello.txt}
    output_var: greeting
  - type: RETURN
    value: "{{greeting.content}}"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.bdi.plans.branches import LETTERS
from agents.bdi.plans.validation import unstorable
from agents.bdi.workflows import placeholders
from agents.bdi.workflows.faults import Fault, nearest
from agents.rules.naming import hidden_character
from agents.toolkit import strict_yaml
from agents.toolkit.strict_yaml import Loaded
from agents.toolkit.yaml_nodes import YamlFault

MAX_CHARS = strict_yaml.MAX_CHARS
MOST_STEPS = 100
NAME_CHARS = 120
_FENCE = re.compile(r"^```[A-Za-z]*[ \t]*$", re.MULTILINE)
_TOP = ("scenario_name", "domain", "description", "params", "steps")
TOOL, AGENT, WORKFLOW = "TOOL", "AGENT", "WORKFLOW"
_ITEMS = (TOOL, AGENT, WORKFLOW)
# The keys of each type of step, the required ones first.
_KEYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "DEFINE": (("item_type", "name"), ("description", "code_snippet", "from_existing_snippet")),
    "CREATE": (("item_type", "name"), ("config",)),
    "EXECUTE": (("item_type", "name"), ("input", "output_var", "condition", "retries")),
    "RETURN": (("value",), ()),
    "PARALLEL": (("branches",), ()),
}
MOST_BRANCHES = len(LETTERS)
_Path = tuple[str | int, ...]
_MAPPINGS = ("input", "config")
_MOST_RETRIES = 10


@dataclass(frozen=True)
class StepText:
    """One step as it is written. `keys`: everything but type, item_type and name; `lines`: where each part stands;
    `branches`: the steps of each branch of a PARALLEL.
    """

    kind: str
    number: int
    line: int
    item_type: str = ""
    name: str = ""
    keys: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[tuple[str, ...], int] = field(default_factory=dict, repr=False)
    branches: tuple[tuple[StepText, ...], ...] = ()

    def within(self) -> Iterator[StepText]:
        """This step and every step of its branches, in order."""
        yield self
        for branch in self.branches:
            for step in branch:
                yield from step.within()

    def line_of(self, *path: str) -> int:
        """The line of a key, or of the step where it is not written."""
        return self.lines.get(path, self.lines.get(path[:1], self.line))


@dataclass(frozen=True)
class Workflow:
    """`params`: defaults by name; None is no default, so the parameter must be given."""

    name: str
    domain: str
    description: str
    params: Mapping[str, Any]
    steps: tuple[StepText, ...]


@dataclass(frozen=True)
class Reading:
    """`workflow` is None when nothing can be made of the text."""

    workflow: Workflow | None
    faults: tuple[Fault, ...]


def read(text: str) -> Reading:
    """Read a workflow; every fault of its form is found, except that YAML which is none ends with its first."""
    text = _without_fences(text.replace("\r\n", "\n"))
    try:
        loaded = strict_yaml.load(text)
    except YamlFault as fault:
        return Reading(None, (Fault(fault.line, fault.message, _mend_of_yaml(fault, text)),))
    if not isinstance(loaded.data, dict):
        mend = "Begin with “scenario_name: …”, and put the steps under “steps:”"
        return Reading(None, (Fault(1, "a workflow is a mapping", mend),))
    reader = _Reader(loaded)
    workflow = reader.workflow(loaded.data)
    return Reading(workflow, tuple(sorted(set(reader.faults))))


def _without_fences(text: str) -> str:
    """Models wrap what they write in fences. The lines stay where they are, for the numbers of faults."""
    return _FENCE.sub("", text) if text.lstrip().startswith("```") else text


def _mend_of_yaml(fault: YamlFault, text: str) -> str:
    lines = text.splitlines()
    line = lines[fault.line - 1] if 0 < fault.line <= len(lines) else ""
    if "{{" in line and '"{{' not in line and "'{{" not in line:
        return 'Put placeholders in quotation marks: "{{name}}"'
    return ""


class _Reader:
    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded
        self.faults: list[Fault] = []
        self.counted = 0

    def fault(self, path: _Path, message: str, mend: str = "", *, is_warning: bool = False) -> None:
        self.faults.append(Fault(self.loaded.line_of(path), message, mend, is_warning))

    def workflow(self, data: Mapping[str, Any]) -> Workflow | None:
        self.check_storable((), data)
        for key in data:
            if key not in _TOP:
                self.fault((key,), f"“{key[:60]}” is no key of a workflow", nearest(key, _TOP))
        name = self.text(data, "scenario_name", most=NAME_CHARS, required=True)
        described = self.text(data, "description", most=2_000), self.text(data, "domain", most=64)
        declared = self.params(data.get("params"))
        steps = self.steps(data.get("steps"))
        every = [one for step in steps for one in step.within()]
        used = {each for step in every for key in step.keys.values() for each in placeholders.parameters_in(key)}
        params = {**declared, **dict.fromkeys(sorted(used - set(declared)))}
        for unused in sorted(set(declared) - used):
            self.fault(("params", unused), f"nothing uses the parameter “{unused[:60]}”", is_warning=True)
        if not steps:
            return None
        return Workflow(name, described[1] or "general", described[0], params, tuple(steps))

    def check_storable(self, path: _Path, value: Any) -> None:
        """Escapes can write what no table holds, and what is written here may be kept without being part of a step."""
        if isinstance(value, dict):
            for key, one in value.items():
                self.check_storable((*path, key), one)
        elif isinstance(value, list):
            for at, one in enumerate(value):
                self.check_storable((*path, at), one)
        elif lost := unstorable(value):
            self.fault(path, f"this holds {lost}, which cannot be stored", "Leave it out")
        if path and isinstance(path[-1], str) and (lost := unstorable(path[-1])):
            self.fault(path, f"this key holds {lost}, which cannot be stored", "Leave it out")

    def text(self, data: Mapping[str, Any], key: str, *, most: int, required: bool = False) -> str:
        value = data.get(key)
        if value is None and not required:
            return ""
        if not isinstance(value, str) or not value.strip():
            self.fault((key,), f"{key} is missing" if value is None else f"{key} is a text", f"Write “{key}: …”")
            return ""
        if len(value) > most:
            self.fault((key,), f"{key} has more than {most:,} characters")
        if hidden := hidden_character(value.replace("\n", " ").replace("\t", " ")):
            self.fault((key,), f"{key} contains the hidden character {hidden}", "Leave it out")
        return " ".join(value.split())[:most]

    def params(self, value: Any) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fault(("params",), "params is a mapping", "Write each as “name: default”, or “name:” for none")
            return {}
        for name, default in value.items():
            path = ("params", name)
            if not placeholders.NAME.match(name):
                self.fault(path, f"“{name[:60]}” is no name of a parameter", "Use letters, digits and _")
            if isinstance(default, str) and "{{" in default:
                self.fault(path, "a default is a value and holds no placeholder")
        return dict(value)

    def steps(self, value: Any) -> list[StepText]:
        if not isinstance(value, list) or not value:
            mend = "Write “steps:” and below it “- type: EXECUTE”"
            self.fault(("steps",), "steps is a list of at least one step", mend)
            return []
        steps = self.listed(("steps",), value)
        if self.counted > MOST_STEPS:
            self.fault(("steps",), f"there are more than {MOST_STEPS} steps", "Part them into workflows")
            return []
        for step in steps[:-1]:
            if step.kind == "RETURN":
                self.faults.append(Fault(step.line, "RETURN is not the last step", "Move it to the end; keep one"))
        return steps

    def listed(self, path: _Path, value: list[Any]) -> list[StepText]:
        """The steps of a list of the workflow, or of a branch."""
        found = []
        for at, one in enumerate(value):
            self.counted += 1
            if self.counted > MOST_STEPS:  # of those behind nothing is said but that they are too many
                break
            found.append(self.step((*path, at), at + 1, one))
        return [step for step in found if step is not None]

    def step(self, path: _Path, number: int, value: Any) -> StepText | None:
        if not isinstance(value, dict):
            self.fault(path, f"step {number} is a mapping", "Write “- type: EXECUTE” and its keys below it")
            return None
        kind = value.get("type")
        if not isinstance(kind, str) or kind not in _KEYS:
            known = ", ".join(_KEYS)
            said = "has no type" if kind is None else f"has the type “{str(kind)[:60]}”, which there is not"
            self.fault((*path, "type"), f"step {number} {said}", f"The types are {known}")
            return None
        if kind == "PARALLEL":
            return self.parallel(path, number, value)
        required, others = _KEYS[kind]
        allowed = ("type", *required, *others)
        for key in value:
            if key not in allowed:
                self.fault((*path, key), f"“{key[:60]}” is no key of {kind}", nearest(key, allowed))
        if not self.required(path, kind, value):
            return None
        keys = {key: value[key] for key in (*required, *others) if key in value and key not in ("item_type", "name")}
        self.types(path, kind, keys)
        lines, line = self.lines_below(path), self.loaded.line_of(path)
        item, name = str(value.get("item_type", "")), str(value.get("name", ""))
        return StepText(kind, number, line, item, name, keys, lines)

    def lines_below(self, path: _Path) -> dict[tuple[str, ...], int]:
        depth = len(path)
        return {
            tuple(map(str, at[depth:])): line
            for at, line in self.loaded.lines.items()
            if len(at) > depth and at[:depth] == path
        }

    def parallel(self, path: _Path, number: int, value: Mapping[str, Any]) -> StepText | None:
        """A PARALLEL: lists of steps, of which none reads what another one does."""
        for key in value:
            if key not in ("type", "branches"):
                mend = "Conditions stand with the steps of a branch" if key == "condition" else ""
                self.fault((*path, key), f"“{key[:60]}” is no key of PARALLEL", mend or nearest(key, ("branches",)))
        given = value.get("branches")
        if not isinstance(given, list) or len(given) < 2:
            mend = "Write “branches:” and below it a list of steps for each; one branch alone is only steps"
            self.fault((*path, "branches"), "branches is a list of at least two branches", mend)
            return None
        if len(given) > MOST_BRANCHES:
            self.fault((*path, "branches"), f"there are more than {MOST_BRANCHES} branches", "Join some of them")
            return None
        branches = tuple(self.branch((*path, "branches", at), letter, one)
                         for at, (letter, one) in enumerate(zip(LETTERS, given, strict=False)))  # fmt: skip
        line = self.loaded.line_of(path)
        return StepText("PARALLEL", number, line, lines=self.lines_below(path), branches=branches)

    def branch(self, path: _Path, letter: str, value: Any) -> tuple[StepText, ...]:
        if not isinstance(value, list) or not value:
            said = "has no steps" if value in ([], None) else "is a list of steps"
            self.fault(path, f"branch {letter} {said}", "Write its steps as “- - type: EXECUTE”, or leave it out")
            return ()
        steps = self.listed(path, value)
        for step in steps:
            if step.kind in ("RETURN", "DEFINE"):
                why = {"RETURN": "the workflow returns, not a branch", "DEFINE": "what is defined is there for all"}
                self.faults.append(
                    Fault(step.line, f"{step.kind} stands in a branch; {why[step.kind]}", "Move it out of PARALLEL")
                )
        return tuple(step for step in steps if step.kind not in ("RETURN", "DEFINE"))

    def required(self, path: _Path, kind: str, value: Mapping[str, Any]) -> bool:
        good = True
        for key in _KEYS[kind][0]:
            given = value.get(key)
            if kind == "RETURN" and isinstance(given, (int, float)):
                continue
            if not isinstance(given, str) or not given.strip():
                said = f"{kind} has no {key}" if given is None else f"{key} is a text"
                mend = "Nested values are not read; name one result" if kind == "RETURN" and given is not None else ""
                self.fault((*path, key), said, mend or f"Write “{key}: …”")
                good = False
        if good and kind != "RETURN" and value["item_type"] not in _ITEMS:
            self.fault((*path, "item_type"), f"item_type is one of {', '.join(_ITEMS)}")
            good = False
        return good

    def types(self, path: _Path, kind: str, keys: dict[str, Any]) -> None:
        for key, wrong in self.wrong_types(keys):
            self.fault((*path, key), *wrong)
            del keys[key]

    def wrong_types(self, keys: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
        for key, value in list(keys.items()):
            if key in _MAPPINGS:
                if value is not None and not isinstance(value, dict):
                    yield key, (f"{key} is a mapping", "Write each value as “name: value”")
            elif key == "retries":
                if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_RETRIES:
                    yield key, (f"retries is a number from 0 to {_MOST_RETRIES}", "")
            elif key == "output_var":
                if not isinstance(value, str) or not placeholders.NAME.match(value) or value in placeholders.RESERVED:
                    yield key, ("output_var is no name", "Use letters, digits and _, but neither params nor intents")
            elif key != "value" and not isinstance(value, str):
                yield key, (f"{key} is a text", "Put it in quotation marks")
