"""How failures are mended, as operators tune it: settings, pins and bans, rules that class failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi import recovery_settings
from agents.bdi.failures import EXECUTION, PLANNING, FailureClass, Rule
from agents.bdi.strategies import ABORT, WAYS
from agents.models import FailureRule, RecoveryPolicy, RecoverySetting
from agents.record.errors import TuningRefused
from agents.recovery import failure_log, recovery_learning
from agents.recovery.failure_log import RuleRefused
from agents.toolkit.registry import REGISTRY, UnknownTool
from agents.tuning.kinds import Checked, Field, Kind, Values, in_words, one_of
from people.models import User

_CLASSES = tuple((one.value, one.value) for one in FailureClass)
_TOOLS = one_of([tool.name for tool in REGISTRY.tools])
_WAYS = tuple((str(way), way.words) for way in WAYS)
# What is said beside settings whose effect no trial on kept failures can show.
UNTRIED = {
    "learning_rate": "It is of the average that is shown, and decides nothing.",
    "pressure_cpu_percent": "The machine's load then is not kept, so what AGInt decides cannot be tried.",
    "pressure_memory_percent": "The machine's memory then is not kept, so what AGInt decides cannot be tried.",
    "pressure_disk_percent": "The machine's disk then is not kept, so what AGInt decides cannot be tried.",
}


_MEANINGS = {
    "retry_delay_seconds": "How long is waited before the second try; doubled with each.",
    "longest_delay_seconds": "No delay of ours is longer; what a server asks for is waited for all the same.",
    "jitter": "By up to this share a delay is longer, so that what failed together does not come back together.",
    "cool_down_seconds": "How long a tool and its hosts cool down; every goal that waits for them waits with it.",
    "learning_rate": "How fast the average follows that is shown beside the counts.",
    "usual_order_up_to": "Up to so many outcomes of a class and tool the usual order holds; then what was learned.",
    "change_every_failures": "After about so many failures of a class and tool the world is expected to change.",
    "discount": "An outcome counts by this factor less with each failure since.",
    "sharpness": "Above 1 less is explored than what is known would allow.",
    "most_replans": "So often a goal is planned anew or simplified.",
    "most_escalations": "So often AGInt looks at a goal.",
    "pressure_cpu_percent": "From here on the machine counts as under pressure.",
    "pressure_memory_percent": "From here on the machine counts as under pressure.",
    "pressure_disk_percent": "From here on the machine counts as under pressure.",
    "cost_retry": "Taken off the chance of a retry. 1 is what a recovered step is worth.",
    "cost_cool_down": "Taken off the chance of a cool-down.",
    "cost_alternative": "Taken off the chance of an alternative tool.",
    "cost_review": "Taken off as well where people are asked first.",
    "cost_simplified": "Taken off the chance of a simplified approach.",
    "cost_agint": "Taken off the chance of escalating to AGInt.",
    "cost_manual": "Taken off the chance of asking for a person's hand.",
}


class Settings(Kind):
    """One number each, so that one is tuned, read and taken back without the others."""

    name, words = "recovery_setting", "Recovery settings"
    about = "How long is waited, what a way costs, and how fast it is learned."
    model = RecoverySetting
    key = ("name",)
    trial = "failures"
    fields = (
        Field("name", "Setting", "choice", choices=one_of(recovery_settings.NAMES)),
        Field("value", "Value", "number"),
    )

    def checked(self, values: Values) -> Checked:
        if problem := recovery_settings.problem_with(values["name"], values["value"]):
            raise TuningRefused({"value": f"{problem[:1].upper()}{problem[1:]}"})
        warnings = (UNTRIED[values["name"]],) if values["name"] in UNTRIED else ()
        return Checked({**values, "value": float(values["value"])}, warnings)

    def newest(self) -> list[Any]:
        """In the order in which the settings are named; a name that is none any more counts no longer."""
        found = {row.name: row for row in super().newest()}
        return [found[name] for name in recovery_settings.NAMES if name in found]

    def usual(self, key: Mapping[str, Any]) -> Values | None:
        name = key["name"]
        if name not in recovery_settings.NAMES:
            return None
        return {"name": name, "value": getattr(recovery_settings.USUAL, name)}

    def all_usual(self) -> list[Values]:
        return [{"name": name, "value": getattr(recovery_settings.USUAL, name)} for name in recovery_settings.NAMES]

    def ref_of(self, values: Mapping[str, Any], row: Any) -> str:
        return str(values["name"])

    def key_of(self, ref: str) -> Values | None:
        return {"name": ref} if ref in recovery_settings.NAMES else None

    def title(self, values: Mapping[str, Any]) -> str:
        return str(values["name"]).replace("_", " ")

    def summary(self, values: Mapping[str, Any]) -> str:
        least, most = recovery_settings.bounds_of(values["name"])
        bounds = f"{in_words(values['value'])}, from {in_words(least)} to {in_words(most)}"
        return f"{bounds}: {_MEANINGS[values['name']]}"

    def store(self, values: Values, *, before: Values | None, by: User, note: str) -> Any:
        return recovery_learning.save_setting(values["name"], values["value"], by=by, note=note)


class Policies(Kind):
    """What is pinned and banned for a class, for one tool or for all."""

    name, words = "recovery_policy", "Recovery policies"
    one = "recovery policy"
    about = "A way that is always taken against a class of failures, and ways that never are."
    model = RecoveryPolicy
    key = ("failure_class", "tool")
    trial = "failures"
    fields = (
        Field("failure_class", "Class", "choice", choices=_CLASSES),
        Field("tool", "Tool", "choice", "Empty: every tool.", choices=_TOOLS, blank=True),
        Field("pinned", "Pinned", "choice", "This way is taken whenever it can be.", choices=_WAYS, blank=True),
        Field(
            "banned",
            "Banned",
            "choices",
            "What is ticked is never taken.",
            choices=tuple(one for one in _WAYS if one[0] != str(ABORT)),
        ),
    )

    def checked(self, values: Values) -> Checked:
        values = {**values, "banned": sorted(set(values["banned"]))}
        if values["pinned"] and values["pinned"] in values["banned"]:
            raise TuningRefused({"pinned": "What is pinned cannot be banned as well."})
        return Checked(values)

    def title(self, values: Mapping[str, Any]) -> str:
        return f"{values['failure_class']}, {values['tool'] or 'every tool'}"

    def summary(self, values: Mapping[str, Any]) -> str:
        words = dict(_WAYS)
        pinned = f"pinned: {words.get(values['pinned'], values['pinned'])}" if values["pinned"] else ""
        banned = "banned: " + ", ".join(words.get(one, one) for one in values["banned"]) if values["banned"] else ""
        return "; ".join(part for part in (pinned, banned) if part) or "nothing is pinned or banned"

    def store(self, values: Values, *, before: Values | None, by: User, note: str) -> Any:
        return recovery_learning.save_policy(
            FailureClass(values["failure_class"]),
            values["tool"],
            pinned=values["pinned"],
            banned=values["banned"],
            by=by,
            note=note,
        )


class Rules(Kind):
    """A pattern over the facts of a failure. Its words are compared as words: nothing of it is a regular expression."""

    name, words = "failure_rule", "Rules for failures"
    one = "rule for failures"
    about = "Which class a failure has, before anything built in says so."
    model = FailureRule
    key = ("name",)
    trial = "failures"
    fields = (
        Field("name", "Name", "text", most=80),
        Field("failure_class", "Then its class is", "choice", choices=_CLASSES),
        Field("stage", "Stage", "choice", "Empty: any.", choices=one_of([EXECUTION, PLANNING]), blank=True),
        Field("tool", "Tool", "choice", "Empty: any.", choices=_TOOLS, blank=True),
        Field("command", "Command", "text", "Empty: any.", most=64, blank=True),
        Field("error_class", "Class the tool reported", "text", "Empty: any.", most=32, blank=True),
        Field("exit_code", "Exit code", "whole", "Empty: any.", -99_999, 99_999, blank=True),
        Field("limit", "Limit that was hit", "text", "Empty: any.", most=32, blank=True),
        Field("host", "Host", "text", "Empty: any.", most=260, blank=True),
        Field("text", "It says", "text", "These words, in any case of letters.", most=200, blank=True),
        Field("enabled", "In force", "switch"),
    )

    def checked(self, values: Values) -> Checked:
        if values["command"]:
            try:
                _check_command(values["tool"], values["command"])
            except UnknownTool as unknown:
                raise TuningRefused({"command": f"{str(unknown)[:1].upper()}{str(unknown)[1:]}."}) from unknown
        try:
            failure_log.check_rule(rule_of(values))
        except RuleRefused as refused:
            raise TuningRefused({refused.field: str(refused)}) from refused
        return Checked(values)

    def title(self, values: Mapping[str, Any]) -> str:
        return str(values["name"])

    def summary(self, values: Mapping[str, Any]) -> str:
        said = ", ".join(
            f"{one.label.lower()} {values[one.name]}"
            for one in self.fields
            if one.name not in ("name", "failure_class", "enabled") and values[one.name] not in ("", None)
        )
        return f"{said} → {values['failure_class']}{'' if values['enabled'] else '; not in force'}"

    def store(self, values: Values, *, before: Values | None, by: User, note: str) -> Any:
        return failure_log.save_rule(rule_of(values), by=by, note=note, enabled=values["enabled"])


def rule_of(values: Mapping[str, Any]) -> Rule:
    """The pure pattern that these values mean."""
    own = {name: value for name, value in values.items() if name not in ("failure_class", "enabled")}
    return Rule(FailureClass(values["failure_class"]), **own)


def _check_command(tool: str, command: str) -> None:
    """Raise UnknownTool when no such command is registered, of this tool or (empty) of any."""
    if tool:
        REGISTRY.command(tool, command)
    elif not any(one.name == command for one in REGISTRY.commands):
        raise UnknownTool(f"no tool has a command “{command[:60]}”")
