"""Why a step or a plan failed: its class and cause, by typed facts first, then exit facts, then text. Pure.

Operators' rules come before all of it: they are patterns over the same facts, and whoever wrote one has seen a case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from enum import StrEnum
from typing import Any

from agents.bdi.outcome.network import network_of, refusal_words
from agents.bdi.recovery import program_errors
from agents.bdi.recovery.program_errors import Cause
from agents.bdi.recovery.reason_line import reason_line
from agents.toolkit.limits import reached

# Of what a step wrote to each of its streams, the end is kept with the failure: that is where programs say why.
TEXT_KEPT = 4_000
_LINE_KEPT = 200
EXECUTION, PLANNING = "execution", "planning"


class FailureClass(StrEnum):
    """Why a step failed, in the classes of the reference."""

    TOOL_UNAVAILABLE = "TOOL_UNAVAILABLE"
    TOOL_EXECUTION_ERROR = "TOOL_EXECUTION_ERROR"
    INVALID_PARAMETERS = "INVALID_PARAMETERS"
    RATE_LIMIT_ERROR = "RATE_LIMIT_ERROR"
    PERMISSION_ERROR = "PERMISSION_ERROR"
    NETWORK_ERROR = "NETWORK_ERROR"
    PLANNING_ERROR = "PLANNING_ERROR"
    GOAL_PARSE_ERROR = "GOAL_PARSE_ERROR"
    UNKNOWN_ERROR = "UNKNOWN_ERROR"


_KNOWN = set(FailureClass)
# What another machine decides: it may do otherwise next time, though it said the same twice.
OF_OTHERS = frozenset({FailureClass.RATE_LIMIT_ERROR, FailureClass.NETWORK_ERROR})
# What a tool itself says of its parameters, or of what it may do, it says again of the same ones.
_OF_INPUT = frozenset({FailureClass.INVALID_PARAMETERS, FailureClass.PERMISSION_ERROR})


@dataclass(frozen=True)
class Failure:
    """A classified failure and the fact that decided. `rule` is the row of the operator's rule that did, 0: none."""

    failure_class: FailureClass
    reason: str
    rule: int = 0
    cause: Cause = Cause.UNKNOWN


@dataclass(frozen=True)
class Facts:
    """What is known of a failure, as it is kept and as rules see it.

    `error_class` is the tool's own word, `said` its own sentence, `text` the end of what a program wrote to stderr and
    `printed` that of stdout. `refused` are hosts that nobody approved, `closed` approved ones that could not be let in.
    """

    stage: str = EXECUTION
    tool: str = ""
    command: str = ""
    error_class: str = ""
    exit_code: int | None = None
    limit: str = ""
    status_code: int | None = None
    refused: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    # The two of them as a clause.
    refusal: str = ""
    # The hosts that the step was approved to reach.
    approved: tuple[str, ...] = ()
    # Those that it really talked to.
    reached: tuple[str, ...] = ()
    said: str = ""
    text: str = ""
    printed: str = ""
    # Seconds that a server asked for patience; 0: it did not say.
    retry_after_s: float = 0.0
    # Why planning gave up, in one word.
    no_plan: str = ""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host it is about: those that were in the way, and those it may reach."""
        return tuple(dict.fromkeys(self.refused + self.closed + self.approved))

    @property
    def words(self) -> str:
        """The text that rules look through, in small letters."""
        return f"{self.said}\n{self.text}".lower()

    @property
    def asked(self) -> tuple[str, ...]:
        """The hosts that the failure is about: those it talked to, or where that is not known all that it may reach."""
        return self.reached or self.hosts

    def to_json(self) -> dict[str, Any]:
        """What is kept: only what is there."""
        found = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        usual = {one.name: one.default for one in fields(self)}
        return {name: value for name, value in found.items() if value != [] and value != usual[name]}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Facts:
        """The facts as they were kept; what an earlier or later version knew beside them is left out."""
        known = {one.name for one in fields(cls)}
        read: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in raw.items()}
        return cls(**{name: value for name, value in read.items() if name in known})


def facts_of(result: Mapping[str, Any], tool: str = "", command: str = "", approved: tuple[str, ...] = ()) -> Facts:
    """The facts in a failed step's result, the JSON that a command answers; `approved` are the hosts it may reach."""
    network = network_of(result)
    code, status = result.get("return_code"), result.get("status_code")
    headers = result.get("headers")
    asked = result.get("retry_after", headers.get("retry-after") if isinstance(headers, Mapping) else None)
    return Facts(
        tool=tool,
        command=command,
        error_class=str(result.get("error_class") or ""),
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        limit=str(result.get("limit") or ""),
        status_code=status if isinstance(status, int) and not isinstance(status, bool) else None,
        refused=network.refused_names,
        closed=tuple(one.name for one in network.not_let_in),
        refusal=refusal_words(network),
        approved=approved,
        reached=tuple(one.host for one in network.hosts),
        said=str(result.get("reason") or result.get("message") or "")[:TEXT_KEPT],
        text=_end(result.get("stderr")),
        printed=_end(result.get("stdout")),
        retry_after_s=patience_asked(asked, _end(result.get("stderr"))),
    )


def _end(written: object) -> str:
    """The last lines of what was written; half a line only where there is no whole one."""
    text = str(written or "")
    end = text[-TEXT_KEPT:]
    if len(text) == len(end) or text[-TEXT_KEPT - 1] == "\n":
        return end
    _, _, whole = end.partition("\n")
    return whole if whole.strip() else end


def patience_asked(value: Any, text: str = "") -> float:
    """Seconds of patience that were asked for: a number given as such, or after “retry-after” in what was written."""
    for word in (value, _after_mark(text)):
        try:
            seconds = float(str(word))
        except ValueError:
            continue
        if 0 < seconds < float("inf"):
            return seconds
    return 0.0


def _after_mark(text: str) -> str | None:
    _, found, rest = text.lower().rpartition("retry-after:")
    words = rest.split(maxsplit=1)
    return words[0].rstrip("s.,;") if found and words else None


@dataclass(frozen=True)
class Rule:
    """A pattern over facts and the class of what fits. Conditions that are not set (empty, None) hold of everything."""

    failure_class: FailureClass
    name: str = ""
    version: int = 0
    stage: str = ""
    tool: str = ""
    command: str = ""
    error_class: str = ""
    exit_code: int | None = None
    limit: str = ""
    host: str = ""
    text: str = ""

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that are set, in words."""
        said = [
            f"{name.replace('_', ' ')} is {getattr(self, name)}"
            for name in ("stage", "tool", "command", "error_class", "exit_code", "limit")
            if getattr(self, name) not in ("", None)
        ]
        said += [f"it is about the host {self.host}"] if self.host else []
        return (*said, *([f"it says “{self.text}”"] if self.text else []))

    def fits(self, facts: Facts) -> bool:
        """Whether all its conditions hold. One without conditions fits nothing: it would silence every other."""
        if not self.conditions:
            return False
        same = all(
            getattr(self, name) in ("", None) or getattr(self, name) == getattr(facts, name)
            for name in ("stage", "tool", "command", "error_class", "exit_code", "limit")
        )
        return same and (not self.host or self.host in facts.hosts) and self.text.lower() in facts.words


def classified(
    facts: Facts,
    rules: Iterable[Rule] = (),
    ceilings: Mapping[str, Any] | None = None,
    timeout_s: float | None = None,
) -> Failure:
    """The class of these facts: by the most specific rule that fits (the newest of several), else by built-in order.

    `ceilings` and `timeout_s` are what the step was approved with; a limit that was hit is said with its figure.
    """
    built_in = _of_planning(facts) if facts.stage == PLANNING else _by_type(facts, ceilings or {}, timeout_s)
    fitting = [rule for rule in rules if rule.fits(facts)]
    if not fitting:
        return built_in
    rule = max(fitting, key=lambda one: (len(one.conditions), one.version))
    said = f"{facts.said[:200]}: " if facts.said else ""
    reason = f"{said}rule “{rule.name}”: {', '.join(rule.conditions)}"
    cause = Cause.REMOTE if rule.failure_class in OF_OTHERS else built_in.cause
    return Failure(rule.failure_class, reason, rule.version, cause)


def classify(
    result: Mapping[str, Any], ceilings: Mapping[str, Any] | None = None, timeout_s: float | None = None
) -> Failure:
    """Classify a failed step's result without anybody's rules."""
    return classified(facts_of(result), (), ceilings, timeout_s)


def _by_type(facts: Facts, ceilings: Mapping[str, Any], timeout_s: float | None) -> Failure:
    if facts.limit:
        cause = Cause.UNKNOWN if facts.limit in _MAY_PASS_LIMITS else _LIMITS.get(facts.limit, Cause.INPUT)
        return Failure(FailureClass.TOOL_EXECUTION_ERROR, reached(facts.limit, ceilings, timeout_s), cause=cause)
    own = facts.error_class
    if own in _KNOWN and own != FailureClass.TOOL_EXECUTION_ERROR:
        cause = Cause.REMOTE if own in OF_OTHERS else Cause.INPUT if own in _OF_INPUT else Cause.UNKNOWN
        return Failure(FailureClass(own), facts.said or f"the tool reported {own}", cause=cause)
    failed = facts.exit_code not in (None, 0)
    if failed and facts.refusal:
        # Whatever the program made of it: the host stays closed until a plan with it is approved.
        said = f"exit code {facts.exit_code}: {facts.refusal}"
        return Failure(FailureClass.PERMISSION_ERROR, said, cause=Cause.INPUT)
    if failed:
        return _by_exit(facts)
    if own == FailureClass.TOOL_EXECUTION_ERROR:
        return Failure(FailureClass.TOOL_EXECUTION_ERROR, facts.said or "the tool reported an error")
    return Failure(FailureClass.UNKNOWN_ERROR, facts.said or "the step failed and did not say why")


_EXITS = {
    126: (FailureClass.PERMISSION_ERROR, "the program is not allowed to run"),
    127: (FailureClass.TOOL_UNAVAILABLE, "the program was not found"),
}
# How a shell reports that a signal ended the program. Other codes above 128 have meanings of their own: 129 is how git
# says that it was called wrongly.
_BY_SIGNAL = {128 + number: number for number in (4, 6, 7, 8, 9, 11, 15)}
_KILL = 9
# What a limit of the jail leads back to. The others come again with the same files.
_LIMITS = {"time": Cause.TIME, "memory": Cause.MEMORY, "processes": Cause.PROCESSES}
_MAY_PASS_LIMITS = frozenset({"plan_time", "restless", "cancel"})

# What colours a line at a terminal. A reason stands in sentences, where it would be a riddle; the facts keep it.
_COLOURS = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")


def _by_exit(facts: Facts) -> Failure:
    code = facts.exit_code or 0
    if code in _EXITS:
        found, what = _EXITS[code]
        return Failure(found, f"exit code {code}: {what}", cause=Cause.INPUT)
    text = _COLOURS.sub("", facts.text)
    read = program_errors.of_stderr(text)
    line = reason_line(text, _COLOURS.sub("", facts.printed))
    told = Failure(FailureClass.TOOL_EXECUTION_ERROR, f"exit code {code}" + (f": {line[:_LINE_KEPT]}" if line else ""))
    if signal := -code if code < 0 else _BY_SIGNAL.get(code, 0):
        # What it said before is not why it was ended.
        cause = Cause.MEMORY if signal == _KILL or read.cause is Cause.MEMORY else Cause.UNKNOWN
        unknown = Failure(FailureClass.UNKNOWN_ERROR, f"ended by signal {signal}, and it did not say why")
        return replace(told if text.strip() else unknown, cause=cause)
    if read.failure_class in ("", FailureClass.TOOL_EXECUTION_ERROR):
        cause = read.cause if read != program_errors.NOTHING else program_errors.of_stdout(facts.printed)
        return replace(told, cause=cause)
    said = f"exit code {code}, and stderr says “{program_errors.line_with(text, read.words)[:_LINE_KEPT]}”"
    return Failure(FailureClass(read.failure_class), said, cause=read.cause)


# Why no plan was found, where the goal itself was not understood; every other reason is one of planning.
NOT_UNDERSTOOD = frozenset({"no_relevant_rule", "unusable_value", "model_finds_no_plan", "unclear"})


def _of_planning(facts: Facts) -> Failure:
    found = FailureClass.GOAL_PARSE_ERROR if facts.no_plan in NOT_UNDERSTOOD else FailureClass.PLANNING_ERROR
    return Failure(found, facts.said or facts.no_plan.replace("_", " ") or "no plan was found")
