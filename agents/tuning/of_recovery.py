"""How failures are mended, as operators tune it: settings, pins and bans, rules that class failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.recovery import recovery_settings
from agents.bdi.recovery.failures import EXECUTION, PLANNING, FailureClass, Rule
from agents.bdi.recovery.strategies import ABORT, WAYS
from agents.models import FailureRule, RecoveryPolicy, RecoverySetting
from agents.record.errors import TuningRefused
from agents.recovery import failure_log, recovery_learning
from agents.recovery.failure_log import RuleRefused
from agents.toolkit.registry import UnknownTool, tools_in_use
from agents.tuning.kinds import TOOLS, Checked, Field, Kind, Values, in_words, one_of
from people.models import User

_CLASSES = tuple((one.value, one.value) for one in FailureClass)
_WAYS = tuple((str(way), way.words) for way in WAYS)
# What is said beside settings whose effect no trial on kept failures can show.
UNTRIED = {
    "learning_rate": "It only changes the average that is shown, and decides nothing.",
    "pressure_cpu_percent": "The load at that time is not stored, so AGInt's decisions cannot be tried.",
    "pressure_memory_percent": "The memory at that time is not stored, so AGInt's decisions cannot be tried.",
    "pressure_disk_percent": "The disk at that time is not stored, so AGInt's decisions cannot be tried.",
}


_MEANINGS = {
    "retry_delay_seconds": "The wait before the second try; doubled with each further try.",
    "longest_delay_seconds": "The longest delay that mindX chooses. If a server asks for longer, mindX waits longer.",
    "jitter": "Delays grow at random by up to this share, so that what failed together is not retried together.",
    "cool_down_seconds": "How long a tool and its hosts cool down. Every goal that needs them waits.",
    "learning_rate": "How fast the average beside the counts follows new outcomes.",
    "usual_order_up_to": "With fewer outcomes of a class and tool, the default order applies.",
    "change_every_failures": "After about this many failures of a class and tool, conditions have probably changed.",
    "discount": "Each later failure multiplies the weight of an outcome by this factor.",
    "sharpness": "Above 1, mindX explores less than its data would allow.",
    "most_replans": "How often a goal may be planned again or simplified.",
    "most_escalations": "How often AGInt may examine a goal.",
    "pressure_cpu_percent": "From this value on, the machine counts as under pressure.",
    "pressure_memory_percent": "From this value on, the machine counts as under pressure.",
    "pressure_disk_percent": "From this value on, the machine counts as under pressure.",
    "cost_retry": "Subtracted from the chance of a retry. A recovered step is worth 1.",
    "cost_cool_down": "Subtracted from the chance of a cool-down.",
    "cost_alternative": "Subtracted from the chance of an alternative tool.",
    "cost_review": "Also subtracted if people are asked first.",
    "cost_simplified": "Subtracted from the chance of a simplified approach.",
    "cost_agint": "Subtracted from the chance of escalating to AGInt.",
    "cost_manual": "Subtracted from the chance of asking a person.",
}


class Settings(Kind):
    """One number each, so that one is tuned, read and taken back without the others."""

    name, words = "recovery_setting", "Recovery settings"
    about = "Waiting times, the cost of each strategy, and how fast mindX learns."
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
    about = "A strategy that is always used against a class of failures, and strategies that never are."
    model = RecoveryPolicy
    key = ("failure_class", "tool")
    trial = "failures"
    fields = (
        Field("failure_class", "Class", "choice", choices=_CLASSES),
        Field("tool", "Tool", "choice", "Empty: every tool.", choices=TOOLS, blank=True),
        Field("pinned", "Pinned", "choice", "This strategy is used whenever possible.", choices=_WAYS, blank=True),
        Field(
            "banned",
            "Banned",
            "choices",
            "Ticked strategies are never used.",
            choices=tuple(one for one in _WAYS if one[0] != str(ABORT)),
        ),
    )

    def checked(self, values: Values) -> Checked:
        values = {**values, "banned": sorted(set(values["banned"]))}
        if values["pinned"] and values["pinned"] in values["banned"]:
            raise TuningRefused({"pinned": "A pinned strategy cannot be banned, too."})
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
    about = "The class of a failure, before the built-in rules apply."
    model = FailureRule
    key = ("name",)
    trial = "failures"
    fields = (
        Field("name", "Name", "text", most=80),
        Field("failure_class", "Then its class is", "choice", choices=_CLASSES),
        Field("stage", "Stage", "choice", "Empty: any.", choices=one_of([EXECUTION, PLANNING]), blank=True),
        Field("tool", "Tool", "choice", "Empty: any.", choices=TOOLS, blank=True),
        Field("command", "Command", "text", "Empty: any.", most=64, blank=True),
        Field("error_class", "Class the tool reported", "text", "Empty: any.", most=32, blank=True),
        Field("exit_code", "Exit code", "whole", "Empty: any.", -99_999, 99_999, blank=True),
        Field("limit", "Limit that was hit", "text", "Empty: any.", most=32, blank=True),
        Field("host", "Host", "text", "Empty: any.", most=260, blank=True),
        Field("text", "It says", "text", "It contains this text; case does not matter.", most=200, blank=True),
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
        tools_in_use().command(tool, command)
    elif not any(one.name == command for one in tools_in_use().commands):
        raise UnknownTool(f"no tool has a command “{command[:60]}”")
