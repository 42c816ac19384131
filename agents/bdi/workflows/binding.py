"""From a workflow to the steps of an intent plan: every name looked up, every value filled in, sub-workflows in place.

The same walk checks a workflow while it is written, with its parameters still open, and binds it when it is processed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from agents.bdi.plans import parameters
from agents.bdi.plans.branches import LETTERS
from agents.bdi.plans.dependencies import link
from agents.bdi.plans.validation import PlanLimits, unstorable
from agents.bdi.workflows import branching, conditions, defining, placeholders, values
from agents.bdi.workflows.bound import Bound, BoundStep, Definition, Known, Returned
from agents.bdi.workflows.conditions import ConditionFault
from agents.bdi.workflows.faults import Fault, nearest
from agents.bdi.workflows.placeholders import Malformed
from agents.bdi.workflows.reading import AGENT, TOOL, WORKFLOW, Reading, StepText, Workflow, read
from agents.bdi.workflows.scope import Scope
from agents.bdi.workflows.values import Open, Result, ValueFault
from agents.toolkit.command import Command, Tool
from agents.toolkit.registry import Registry, UnknownTool
from agents.toolkit.schemas import SchemaFault, problems
from agents.toolkit.tools.agent_registry import CREATE, NAME
from agents.toolkit.types import Step

MOST_STEPS = PlanLimits().steps
# A workflow that calls others may call none that has no steps for ever.
MOST_CALLS = 100
# What a reviewer can grant beside the first try (`review/deciding/envelope.py`).
MOST_GRANTED = 4


def bind(
    workflow: Workflow,
    given: Mapping[str, Any] | None,
    registry: Registry,
    known: Mapping[str, Known],
    version: str = "",
) -> Bound:
    """Bind a workflow. `given`: values of its parameters; None checks it with those open that have no default."""
    binder = _Binder(registry, known)
    scope = Scope(workflow, version, binder.given(workflow, given), callers=(workflow.name,))
    binder.walk(scope)
    steps = link([one.step for one in binder.steps], binder.registry)
    binder.faults += branching.faults(binder.steps, binder.registry)
    returned = scope.returned
    return Bound(
        tuple(replace(one, step=step) for one, step in zip(binder.steps, steps, strict=True)),
        tuple(sorted(set(binder.faults))),
        binder.registry,
        tuple(binder.definitions),
        _shown(returned),
        tuple(binder.left_out),
        tuple(binder.called.values()),
    )


def _shown(returned: Any) -> Returned | None:
    if isinstance(returned, Result):
        return Returned(position=returned.position, key=returned.key)
    if returned is None:
        return None
    return Returned(text=returned.text if isinstance(returned, Open) else str(returned))


class _Binder:
    def __init__(self, registry: Registry, known: Mapping[str, Known]) -> None:
        self.registry, self.known = registry, known
        self.in_use = registry
        self.steps: list[BoundStep] = []
        self.faults: list[Fault] = []
        self.definitions: list[Definition] = []
        self.left_out: list[str] = []
        self.called: dict[str, Known] = {}
        self.calls = 0
        self.readings: dict[str, Reading] = {}

    def given(self, workflow: Workflow, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """The parameters as they are; what is wrong with those that were given is a fault of line 1."""
        params = {name: Open(f"{{{{params.{name}}}}}") if one is None else one for name, one in workflow.params.items()}
        if given is None:
            return params
        for name, value in given.items():
            if name not in workflow.params:
                self.faults.append(Fault(1, f"there is no parameter “{name[:60]}”", nearest(name, workflow.params)))
            elif lost := unstorable(value):
                message = f"the value of “{name}” holds {lost}, which cannot be stored"
                self.faults.append(Fault(1, message, "Leave it out"))
            elif placeholders.holds_braces(value):
                message = f"the value of “{name}” holds two braces, which would be read as a placeholder"
                self.faults.append(Fault(1, message, "Put such a text into a file of the workspace"))
            else:
                params[name] = value
        for name, one in params.items():
            if isinstance(one, Open) and name not in given:
                self.faults.append(Fault(1, f"the parameter “{name}” needs a value", "Give one"))
        return params

    def fault(self, scope: Scope, line: int, message: str, mend: str = "", *, is_warning: bool = False) -> None:
        if scope.line:
            message = f"in “{scope.workflow.name}”, line {line}: {message}"
        self.faults.append(Fault(scope.line or line, message, mend, is_warning))

    def walk(self, scope: Scope) -> None:
        for step in scope.workflow.steps:
            _BY_KIND[step.kind](self, step, scope)

    # DEFINE

    def define(self, step: StepText, scope: Scope) -> None:
        if step.item_type != TOOL:
            mend = "Make an agent with CREATE" if step.item_type == AGENT else "Save it in the library, and EXECUTE it"
            self.fault(scope, step.line, f"{step.item_type} cannot be defined here", mend)
            return
        if not (step.keys.get("code_snippet") or "").strip():
            self.defined_elsewhere(step, scope)
            return
        try:
            tool, text = defining.tool_of(step)
        except defining.DefinitionFault as fault:
            self.fault(scope, step.line_of("code_snippet"), str(fault))
            return
        self.take_definition(step, scope, tool, text)

    def take_definition(self, step: StepText, scope: Scope, tool: Tool, text: str) -> None:
        used = next((one for one in self.in_use.tools if one.name == tool.name), None)
        is_in_use = used is not None and defining.code_of(used) == defining.code_of(tool)
        self.definitions.append(Definition(scope.line or step.line, tool.name, text, is_in_use))
        if is_in_use:
            return
        said = "the tool “{}” is in use with other code" if used is not None else "the tool “{}” is not in use yet"
        mend = "Save it as a candidate, have its trials run, and activate it; processing waits for that"
        self.fault(scope, step.line, said.format(tool.name), mend, is_warning=True)
        try:
            others = (one for one in self.registry.tools if one.name != tool.name)
            self.registry = Registry((*others, tool))
        except SchemaFault as fault:
            self.fault(scope, step.line, f"“{tool.name}” does not fit beside the other tools: {fault}")

    def defined_elsewhere(self, step: StepText, scope: Scope) -> None:
        name = step.keys.get("from_existing_snippet") or step.name
        names = [tool.name for tool in self.registry.tools]
        if name not in names:
            mend = "Write its code under code_snippet. " + nearest(name, names)
            self.fault(scope, step.line, f"there is no tool “{name[:60]}” to define it from", mend)

    # CREATE

    def create(self, step: StepText, scope: Scope) -> None:
        config = step.keys.get("config") or {}
        if step.item_type == AGENT:
            listed = {key: ", ".join(map(str, one)) if isinstance(one, list) else one for key, one in config.items()}
            asked = {"name": step.name, **listed}
            self.bind_step(step, scope, self.registry.command(NAME, CREATE), asked, "config")
        elif step.item_type == TOOL:
            try:
                self.registry.tool(step.name.partition(".")[0])
            except UnknownTool as unknown:
                self.fault(scope, step.line_of("name"), str(unknown))
            scope.presets[step.name] = config
        else:
            self.fault(scope, step.line, "a workflow is not created", "EXECUTE it")

    # EXECUTE

    def execute(self, step: StepText, scope: Scope) -> None:
        if step.item_type == AGENT:
            self.fault(
                scope, step.line, "the work of an agent is a goal, which is planned and reviewed on its own",
                "Use a TOOL or a WORKFLOW here, or choose the agent when you process the workflow",
            )  # fmt: skip
        elif step.item_type == WORKFLOW:
            self.call(step, scope)
        elif (command := self.command(step, scope)) is not None:
            presets = {**scope.presets.get(command.tool, {}), **scope.presets.get(f"{command.tool}.{command.name}", {})}
            asked = {**presets, **(step.keys.get("input") or {})}
            self.bind_step(step, scope, command, asked, "input")

    def command(self, step: StepText, scope: Scope) -> Command | None:
        """The command that a step names: tool.command, or a tool that has only one."""
        tool, _, name = step.name.partition(".")
        try:
            if name:
                return self.registry.command(tool, name)
            commands = self.registry.tool(tool).commands
        except UnknownTool as unknown:
            self.fault(scope, step.line_of("name"), *_parted(str(unknown)))
            return None
        if len(commands) > 1:
            listed = ", ".join(f"{tool}.{one.name}" for one in commands)
            self.fault(scope, step.line_of("name"), f"{tool} has several commands", f"Write one of {listed}")
            return None
        return commands[0]

    def bind_step(self, step: StepText, scope: Scope, command: Command, asked: Mapping[str, Any], under: str) -> None:
        if len(self.steps) >= MOST_STEPS:
            if len(self.steps) == MOST_STEPS and not any("more than" in fault.message for fault in self.faults):
                message = f"with the workflows that it calls this has more than {MOST_STEPS} steps"
                self.faults.append(Fault(scope.line or step.line, message, "Part it into goals"))
            return
        condition, said, runs = self.condition(step, scope)
        way = f"{scope.way}{step.number}"
        if not runs:
            self.left_out.append(f"step {way}, {command.tool}.{command.name}: {said} does not hold")
            return
        before = len(self.faults)
        params = self.params(step, scope, command, asked, under)
        is_whole = len(self.faults) == before
        why = f"Step {way} of {scope.title}, line {step.line}."
        if (retries := step.keys.get("retries")) is not None and retries > MOST_GRANTED:
            message = f"no more than {MOST_GRANTED} retries can be granted with an approval"
            self.fault(scope, step.line_of("retries"), message, f"Write {MOST_GRANTED} or less", is_warning=True)
        made_of = parameters.with_defaults(command, params)
        output = str(step.keys.get("output_var") or "")
        self.warn_of_skipped(step, scope, said)
        self.steps.append(
            BoundStep(
                Step(
                    command.tool, command.name, made_of, why, condition=condition, branch=scope.branch, retries=retries
                ),
                scope.line or step.line, way, output, scope.workflow.name if scope.line else "", said, is_whole,
            )
        )  # fmt: skip
        self.output(step, scope, Result(len(self.steps), command.result_keys, condition=said))

    def params(
        self, step: StepText, scope: Scope, command: Command, asked: Mapping[str, Any], under: str
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        known: dict[str, Any] = {}
        for name, value in asked.items():
            line = step.line_of(under, name)
            if name not in command.properties:
                message = f"{command.tool}.{command.name} has no “{name[:60]}”"
                self.fault(scope, line, message, nearest(name, command.properties))
                continue
            try:
                param, is_open = values.bound(command, name, value, scope.names, f"written in {scope.title}")
            except ValueFault as fault:
                self.fault(scope, line, str(fault), fault.mend)
                continue
            found[name] = param
            if not is_open and param.origin != "reference":
                known[name] = param.value
        for name, message in problems(command.schema, known, partial=True):
            self.fault(scope, step.line_of(under, name), f"{name or command.name} {message}")
        is_misspelt = not set(asked) <= set(command.properties)
        for name in command.required:
            if name not in asked and not is_misspelt:
                self.fault(scope, step.line, f"{command.tool}.{command.name} needs “{name}”", f"Give it under {under}")
        return found

    def condition(self, step: StepText, scope: Scope) -> tuple[Mapping[str, Any] | None, str, bool]:
        """The condition of the plan's step, as it is written, and whether the step is in the plan at all."""
        text = step.keys.get("condition")
        if text is None:
            return scope.condition, scope.said, True
        line = step.line_of("condition")
        try:
            written = conditions.read(str(text))
            left = scope.names.value(written.left)
            right = written.right
            if isinstance(right, placeholders.Placeholder):
                right = scope.names.value(right)
                right = right.text if isinstance(right, Open) else right
            if isinstance(left, Open):
                return scope.condition, str(text), True
            if not isinstance(left, Result):
                return scope.condition, str(text), conditions.holds_now(left, written.operator, right)
            reference = left.reference("" if written.left.is_parameter else written.left.key, written.left)
        except ConditionFault as fault:
            self.fault(scope, line, str(fault), conditions.HOW)
            return scope.condition, "", True
        except ValueFault as fault:
            self.fault(scope, line, str(fault), fault.mend)
            return scope.condition, "", True
        if scope.condition is not None:
            message = "this step has a condition, and so has the call of its workflow; a step has one"
            self.fault(scope, line, message, "Drop one of them")
        return {"left": str(reference), "operator": written.operator, "value": right}, str(text), True

    def warn_of_skipped(self, step: StepText, scope: Scope, said: str) -> None:
        for name, result in scope.outputs.items():
            reads = any(name in placeholders.names_in(step.keys.get(key)) for key in ("input", "config"))
            if reads and isinstance(result, Result) and result.condition and result.condition != said:
                self.fault(
                    scope, step.line, f"it reads {{{{{name}}}}}, whose step is skipped unless {result.condition}; then "
                    "this step fails", "Give this step the same condition", is_warning=True,
                )  # fmt: skip

    def output(self, step: StepText, scope: Scope, result: Any) -> None:
        name = step.keys.get("output_var")
        if not name:
            return
        if name in scope.outputs:
            line = step.line_of("output_var")
            self.fault(scope, line, f"an earlier step has the output_var “{name}” already", "Choose another name")
        scope.outputs[name] = result

    # PARALLEL

    def parallel(self, step: StepText, scope: Scope) -> None:
        owners: dict[str, str] = {}
        for letter, branch in zip(LETTERS, step.branches, strict=False):
            for one in (one for each in branch for one in each.within() if one.keys.get("output_var")):
                name = str(one.keys["output_var"])
                if owners.setdefault(name, letter) != letter:
                    message = f"branch {owners[name]} has the output_var “{name}” already"
                    self.fault(scope, one.line_of("output_var"), message, "Choose another name")
        gained: dict[str, Any] = {}
        for letter, branch in zip(LETTERS, step.branches, strict=False):
            beside = {name: f"{step.number}{owner}" for name, owner in owners.items() if owner != letter}
            inner = scope.of_branch(step.number, letter, beside)
            for each in branch:
                _BY_KIND[each.kind](self, each, inner)
            gained |= {name: one for name, one in inner.outputs.items() if name not in scope.outputs}
        scope.outputs.update(gained)

    # Sub-workflows

    def call(self, step: StepText, scope: Scope) -> None:
        line = step.line_of("name")
        if step.name in scope.callers:
            way = " → ".join((*scope.callers[scope.callers.index(step.name) :], step.name))
            self.fault(scope, line, f"this calls itself without end: {way}", "Take the call out of one of them")
            return
        if (known := self.known.get(step.name)) is None:
            message = f"the library has no workflow “{step.name[:60]}”"
            self.fault(scope, line, message, nearest(step.name, self.known))
            return
        self.calls += 1
        if self.calls > MOST_CALLS:
            if self.calls == MOST_CALLS + 1:
                message = f"this calls more than {MOST_CALLS} workflows"
                self.faults.append(Fault(scope.line or step.line, message, "Part it into goals"))
            return
        # Called a hundred times, it is read once.
        if (reading := self.readings.get(known.name)) is None:
            reading = self.readings[known.name] = read(known.body)
        errors = [fault for fault in reading.faults if not fault.is_warning]
        if reading.workflow is None or errors:
            said = f": {errors[0]}" if errors else ""
            self.fault(scope, line, f"the workflow “{known.name}” {known.version} cannot be read{said}")
            return
        self.called[known.name] = known
        self.walk_called(step, scope, known, reading.workflow)

    def walk_called(self, step: StepText, scope: Scope, known: Known, called: Workflow) -> None:
        condition, said, runs = self.condition(step, scope)
        if not runs:
            self.left_out.append(f"step {scope.way}{step.number}, the workflow “{called.name}”: {said} does not hold")
            return
        inner = Scope(
            called,
            known.version,
            self.passed(step, scope, called),
            line=scope.line or step.line,
            way=f"{scope.way}{step.number}.",
            condition=condition,
            said=said,
            callers=(*scope.callers, known.name),
        )
        self.warn_of_skipped(step, scope, said)
        self.walk(inner)
        self.output(step, scope, inner.returned)

    def passed(self, step: StepText, scope: Scope, called: Workflow) -> dict[str, Any]:
        params = dict(called.params)
        for name, value in (step.keys.get("input") or {}).items():
            line = step.line_of("input", name)
            if name not in called.params:
                message = f"the workflow “{called.name}” has no parameter “{name[:60]}”"
                self.fault(scope, line, message, nearest(name, called.params))
                continue
            try:
                params[name] = values.plain(value, scope.names)
            except ValueFault as fault:
                self.fault(scope, line, str(fault), fault.mend)
                params[name] = Open(str(value))
        for name, one in params.items():
            if one is None:
                self.fault(scope, step.line, f"the workflow “{called.name}” needs “{name}”", "Give it under input")
                params[name] = Open(f"{{{{params.{name}}}}}")
        return params

    # RETURN

    def result(self, step: StepText, scope: Scope) -> None:
        written = step.keys["value"]
        try:
            only = placeholders.exact(written) if isinstance(written, str) else None
            if only is not None and not only.is_parameter and not only.key:
                scope.returned = scope.names.value(only)
            else:
                scope.returned = values.plain(written, scope.names)
        except Malformed as wrong:
            self.fault(scope, step.line_of("value"), str(wrong), placeholders.HOW)
        except ValueFault as fault:
            self.fault(scope, step.line_of("value"), str(fault), fault.mend)


_BY_KIND: Mapping[str, Callable[[_Binder, StepText, Scope], None]] = {
    "DEFINE": _Binder.define,
    "CREATE": _Binder.create,
    "EXECUTE": _Binder.execute,
    "RETURN": _Binder.result,
    "PARALLEL": _Binder.parallel,
}


def _parted(message: str) -> tuple[str, str]:
    """“there is no tool x; did you mean y?” as what is wrong and the mend."""
    said, _, mend = message.partition("; ")
    return said, f"{mend[:1].upper()}{mend[1:]}".rstrip("?.")
