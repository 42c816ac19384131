"""AGInt: examine the whole agent after a failure, revise its beliefs and choose what to do. Pure.

The reference's four decisions, each chosen for a reason that is said: cool down (what failed is under pressure), repair
oneself (what failed is mindX's own and can be mended), research (others' cases may tell another way), delegate again
(what failed may have been chance). When none of them fits AGInt says so, and the next strategy is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.program_errors import Cause
from agents.bdi.recovery.recovery_settings import RecoverySettings
from agents.bdi.recovery.shared_causes import SharedCause, stands_on, suspected


class Decision(StrEnum):
    """What AGInt has done."""

    COOL_DOWN = "cool_down"
    SELF_REPAIR = "self_repair"
    RESEARCH = "research"
    DELEGATE = "delegate"
    NOTHING = "nothing"


# Where the same step may come to another end by itself.
_MAY_PASS = frozenset(
    {
        FailureClass.TOOL_UNAVAILABLE,
        FailureClass.TOOL_EXECUTION_ERROR,
        FailureClass.RATE_LIMIT_ERROR,
        FailureClass.NETWORK_ERROR,
        FailureClass.UNKNOWN_ERROR,
    }
)
# What a machine that is short of something causes, by the cause of the failure. Nothing else is explained by load.
_CAUSED_BY_SHORTAGE: Mapping[Cause, frozenset[str]] = {
    Cause.TIME: frozenset({"processors", "memory"}),
    Cause.MEMORY: frozenset({"memory"}),
    Cause.PROCESSES: frozenset({"processors", "memory"}),
    Cause.DISK: frozenset({"disk"}),
}
# What each of its beliefs is about begins so.
ABOUT = "agint:"
_MACHINE = f"{ABOUT}machine:"
# From so many tries on a rate is worth a belief.
_ENOUGH = 4
_FAILING = 0.6
_MOST_COUNTED = 20


@dataclass(frozen=True)
class Health:
    """How often something was asked for lately, and how often it failed.

    `own_faults` counts other tries, which failed because of their own files or code and are no evidence against it.
    """

    tried: int = 0
    failed: int = 0
    own_faults: int = 0

    @property
    def is_failing(self) -> bool:
        """Whether it fails more often than not, and not by chance."""
        return self.tried >= _ENOUGH and self.failed / self.tried >= _FAILING

    def measured(self, what: str) -> str:
        """What was counted, as a clause."""
        aside = f", {self.own_faults} aside that failed by their own files or code" if self.own_faults else ""
        return f"{what} failed {self.failed} of its last {self.tried} tries{aside}"


@dataclass(frozen=True)
class Tried:
    """A try of a step that has ended: the class it failed in, if any, and whether by its own files or code."""

    step: IntentSpec
    workspace: int
    failure_class: FailureClass | None = None
    own_fault: bool = False


def counted(shared: SharedCause, tries: Iterable[Tried]) -> Health:
    """How the newest tries went that stand on it. A failure that is about something else says nothing of it; one that
    no wait can help is counted apart.
    """
    tried = failed = own_faults = 0
    for one in tries:
        if one.failure_class is None:
            tried += any(shared.meets(cause) for cause in stands_on(one.step, one.workspace))
        elif shared.meets(suspected(one.step, one.workspace, one.failure_class)):
            passes = one.failure_class in _MAY_PASS and not one.own_fault
            tried, failed, own_faults = tried + passes, failed + passes, own_faults + (not passes)
        if tried == _MOST_COUNTED:
            break
    return Health(tried, failed, own_faults)


@dataclass(frozen=True)
class Machine:
    """The worker's machine in percent: load of its processors, memory and disk in use. None: not known."""

    cpu: float | None = None
    memory: float | None = None
    disk: float | None = None


@dataclass(frozen=True)
class Whole:
    """Everything AGInt looks at. `same_failures` counts the agent's failures of this class with this tool lately.

    `elsewhere` says which strategy helped others against the same, with its cases; `mendable` what of mindX itself is
    not in order and can be mended, in words. `shared` is what this failure may share with others: the host, the program
    or the command, and `shared_health` how it went with that lately; None where nothing is shared.
    """

    failure_class: FailureClass
    tool: str
    cause: Cause = Cause.UNKNOWN
    asks_model: bool = False
    same_failures: int = 0
    shared: SharedCause | None = None
    shared_health: Health = Health()
    model_health: Health = Health()
    model: str = ""
    machine: Machine = Machine()
    mendable: tuple[str, ...] = ()
    elsewhere: Mapping[str, tuple[int, int]] | None = None
    earlier_runs: int = 0
    # What can be done about the plan now: another try of the step, planning the goal anew.
    may_try: bool = False
    may_replan: bool = False


@dataclass(frozen=True)
class Belief:
    """What AGInt holds true from now on, for so many seconds, in place of what it held about the same before."""

    sentence: str
    about: str
    confidence: float
    for_s: float


@dataclass(frozen=True)
class Assessment:
    """The decision, why, and the beliefs as they are revised. `in_order`: what was looked at and is well (`about`)."""

    decision: Decision
    why: str
    beliefs: tuple[Belief, ...]
    in_order: tuple[str, ...] = ()


def assess(whole: Whole, settings: RecoverySettings) -> Assessment:
    """Look at all of it and decide."""
    under_pressure = pressures(whole.machine, settings)
    beliefs = _beliefs(whole, under_pressure)
    decision, why = _decide(whole, under_pressure)
    short = {one.about for one in beliefs}
    measured = [f"{_MACHINE}{name}" for name, value, _ in _measured(whole.machine, settings) if value is not None]
    return Assessment(decision, why, tuple(beliefs), tuple(one for one in measured if one not in short))


def _beliefs(whole: Whole, under_pressure: tuple[str, ...]) -> list[Belief]:
    """What is found about the machine, the tool, the model and failures of this class."""
    beliefs = [
        Belief(f"The machine is short of {what}.", f"{_MACHINE}{what.split()[0]}", 0.9, 300.0)
        for what in under_pressure
    ]
    if whole.shared is not None and whole.shared_health.tried >= _ENOUGH:
        said = f"Lately {whole.shared_health.measured(whole.shared.words)}."
        beliefs.append(Belief(said, f"{ABOUT}{whole.shared.key}", 0.8, 900.0))
    if whole.model and whole.model_health.tried:
        answers = "does not answer" if whole.model_health.is_failing else "answers"
        beliefs.append(Belief(f"The language model {answers} at the moment.", f"{ABOUT}model", 0.8, 900.0))
    if whole.same_failures > 1:
        of_tool = f" of {whole.tool}" if whole.tool else ""  # planning has none
        said = f"{whole.failure_class.value}{of_tool} came {whole.same_failures} times lately."
        beliefs.append(Belief(said, f"{ABOUT}class:{whole.failure_class.value}:{whole.tool}", 0.9, 900.0))
    return beliefs


def _decide(whole: Whole, under_pressure: tuple[str, ...]) -> tuple[Decision, str]:
    if whole.mendable and (whole.may_try or whole.may_replan):
        return Decision.SELF_REPAIR, f"mindX itself has a problem: {'; '.join(whole.mendable)}"
    if whole.may_try and (trouble := _passing_trouble(whole, under_pressure)):
        return Decision.COOL_DOWN, trouble
    if whole.may_replan:
        known = f"{whole.earlier_runs} earlier runs are similar" if whole.earlier_runs else "the goal is examined again"
        return Decision.RESEARCH, f"the step as it is does not work; {known}"
    if whole.may_try and whole.failure_class in _MAY_PASS:
        return Decision.DELEGATE, "nothing rules out another try in a fresh session"
    return Decision.NOTHING, "another try would end the same way, and nothing else can plan it"


def _passing_trouble(whole: Whole, under_pressure: tuple[str, ...]) -> str:
    """Why another try would fail now and may not fail later; empty when nothing says so."""
    causes = _CAUSED_BY_SHORTAGE.get(whole.cause, frozenset())
    if short := [one for one in under_pressure if one.split()[0] in causes]:
        return f"the machine is short of {' and '.join(short)}"
    if whole.asks_model and whole.model_health.is_failing:
        return f"the language model failed {whole.model_health.failed} times lately"
    if whole.shared is not None and whole.shared_health.is_failing and whole.failure_class in _MAY_PASS:
        return whole.shared_health.measured(whole.shared.words)
    return ""


def pressures(machine: Machine, settings: RecoverySettings) -> tuple[str, ...]:
    """What the machine is short of, in words with its figures."""
    return tuple(
        f"{name} ({value:.0f} % in use)"
        for name, value, most in _measured(machine, settings)
        if value is not None and value > most
    )


def _measured(machine: Machine, settings: RecoverySettings) -> tuple[tuple[str, float | None, float], ...]:
    return (
        ("processors", machine.cpu, settings.pressure_cpu_percent),
        ("memory", machine.memory, settings.pressure_memory_percent),
        ("disk", machine.disk, settings.pressure_disk_percent),
    )
