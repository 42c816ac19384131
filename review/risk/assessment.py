"""How dangerous each step of a plan is, with reasons in words, and how often similar steps failed. Pure.

Two things are shown separately and never mixed into one number: what the step *could do* (its level, from facts), and
how often the same command *did fail* on the same program or kind of thing (a share of real cases). With fewer than ten
cases the risk is unknown, which is never shown as low. Steps that run only after a failure are judged by facts alone:
most of them never run, so they would stay unknown for ever. The dry run counts more than any history.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agents.bdi.forecast.touched_paths import Touched
from agents.bdi.plans.document import Document, IntentSpec
from agents.presentation.rates import KNOWN_FROM, Rate, rate
from review.risk.targets import in_words, is_program, target_of

MANY_PATHS = 50
OFTEN_PERCENT = 30


class Level(StrEnum):
    """The most dangerous first, in the order of the queue."""

    HIGH = "high"
    UNKNOWN = "unknown"
    MEDIUM = "medium"
    LOW = "low"

    @property
    def rank(self) -> int:
        """Its place in the order; 0 comes first."""
        return tuple(Level).index(self)

    def is_at_most(self, other: Level) -> bool:
        """True if this is not more dangerous than `other`."""
        return self.rank >= other.rank


@dataclass(frozen=True)
class Tried:
    """What a finished dry run proved: the result of each step by position, and which paths it deleted."""

    proofs: Mapping[int, str]
    deleted: Collection[str] = ()
    differing: int = 0


@dataclass(frozen=True)
class StepRisk:
    """The risk of one step. `failures` is how often similar steps failed: `worked` counts failures.

    Similar steps run the same `program`, or the same command with the same kind of thing (`about`, in words).
    `failed_in_copy`: it has just failed in the dry run, so its share of failures no longer matters.
    `lacks_cases`: it is unknown only because of too few cases, which is said once for the whole plan.
    """

    position: int
    level: Level
    reasons: tuple[str, ...]
    failures: Rate
    program: str = ""
    about: str = ""
    failed_in_copy: bool = False
    lacks_cases: bool = False


@dataclass(frozen=True)
class PlanRisk:
    """The risk of a plan: that of its worst step, and the share of failures of its rule, if a rule made it.

    `after_failure` is the level of steps that run only after a failure, None if there are none.
    """

    level: Level
    reasons: tuple[str, ...]
    steps: tuple[StepRisk, ...]
    rule: Rate | None = None
    after_failure: Level | None = None
    after_failure_reasons: tuple[str, ...] = ()
    # How many of the steps are main steps; the others are clean-up.
    main_steps: int = 0


# (failed, ended) of a tool, a command and what it acted on (`review.risk.targets`).
Counts = Mapping[tuple[str, str, str], tuple[int, int]]


def assess(
    document: Document,
    named: Mapping[int, Touched],
    counts: Counts,
    tried: Tried | None = None,
    rule: tuple[int, int] | None = None,
    there: Collection[str] | None = (),
    after_failure: Collection[int] = (),
) -> PlanRisk:
    """The risk of a plan. `rule` counts (failed, ended) plans of the rule that made it; None if no rule did.

    `there` are the paths that existed before it; None if unknown: then no folder counts as made by the plan.
    `after_failure` are main steps that run only after another one failed, as declared alternatives do.
    """
    own = frozenset() if there is None else _own_folders(named) - frozenset(there)
    tidy = _is_tidy(document, named, own)
    autonomous = False
    steps: list[StepRisk] = []
    for spec in document.all_intents:
        touch = named[spec.position]
        if spec.phase == "cleanup" and (not steps or spec.position == len(document.intents) + 1):
            autonomous = False  # clean-up has a session of its own
        told = list(_facts(spec, touch, own, autonomous=autonomous, tidy=tidy))
        told += _shown(spec, touch, tried, can_delete=autonomous)
        step = _step(spec, told, counts, needs_history=spec.phase != "cleanup" and spec.position not in after_failure)
        steps.append(replace(step, failed_in_copy=_failed_in_copy(spec, tried)))
        autonomous = autonomous or touch.makes_autonomous
    return _whole(steps, len(document.intents), rate(*rule) if rule is not None else None)


def widened(found: PlanRisk, others: Sequence[tuple[int, int, StepRisk]]) -> PlanRisk:
    """The risk with declared alternatives (position, number, its risk): a step is as dangerous as the worst of them."""
    steps = list(found.steps)
    for position, number, other in others:
        step = steps[position - 1]
        if other.level.rank < step.level.rank:
            reasons = (*(f"alternative {number}: {reason}" for reason in other.reasons), *step.reasons)
            steps[position - 1] = replace(step, level=other.level, reasons=reasons)
    return _whole(steps, found.main_steps, found.rule) if others else found


def _whole(steps: Sequence[StepRisk], main_steps: int, rule: Rate | None) -> PlanRisk:
    """The plan's risk. An approval covers the clean-up too, so what it could do counts."""
    cleanup = steps[main_steps:]
    worst = _worst(steps) or Level.UNKNOWN
    looked_at = [step for step in steps if step.level is worst]
    reasons = _reasons(looked_at)
    # Once for all of them, and last: ten equal lines would hide a different one.
    main = [step for step in steps[:main_steps] if step.lacks_cases or step.level is worst]
    if few := [step.position for step in main if step.failures.percent is None]:
        reasons.append(f"{_numbers(few)}: fewer than {KNOWN_FROM} cases so far, too few to know how often that fails")
    return PlanRisk(worst, tuple(reasons), tuple(steps), rule, _worst(cleanup), tuple(_reasons(cleanup)), main_steps)


def _numbers(positions: Sequence[int]) -> str:
    """`step 2`, `steps 1, 4`, and `steps 1 to 6` where they are in a row."""
    first, last = positions[0], positions[-1]
    if first == last:
        return f"step {first}"
    in_a_row = len(positions) > 2 and last - first + 1 == len(positions)
    return f"steps {first} to {last}" if in_a_row else f"steps {', '.join(map(str, positions))}"


def _worst(steps: Sequence[StepRisk]) -> Level | None:
    return min((step.level for step in steps), key=lambda level: level.rank, default=None)


def _reasons(steps: Sequence[StepRisk]) -> list[str]:
    return [f"step {step.position}: {reason}" for step in steps for reason in step.reasons]


def _step(spec: IntentSpec, told: list[tuple[Level, str]], counts: Counts, *, needs_history: bool) -> StepRisk:
    target = target_of(spec.tool, spec.command, spec.params)
    failures = rate(*counts.get((spec.tool, spec.command, target), (0, 0)))
    if failures.percent is not None and failures.percent >= OFTEN_PERCENT:
        told.append((Level.MEDIUM, f"fails often: {failures.percent} % of {failures.cases} cases"))
    level = min((each for each, _ in told), key=lambda each: each.rank, default=Level.LOW)
    lacks_cases = needs_history and failures.percent is None and level.rank > Level.UNKNOWN.rank
    if lacks_cases:
        level = Level.UNKNOWN
    reasons = tuple(reason for _, reason in sorted(told, key=lambda each: each[0].rank))
    if is_program(spec.params):
        return StepRisk(spec.position, level, reasons, failures, program=target, lacks_cases=lacks_cases)
    return StepRisk(spec.position, level, reasons, failures, about=in_words(target), lacks_cases=lacks_cases)


def _failed_in_copy(spec: IntentSpec, tried: Tried | None) -> bool:
    return tried is not None and tried.proofs.get(spec.position) == "failed"


def _own_folders(named: Mapping[int, Touched]) -> frozenset[str]:
    """The folders that the plan itself makes, in which it may do anything."""
    return frozenset(path for touch in named.values() for path in touch.makes if path)


def _inside(path: str, folders: Collection[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _is_tidy(document: Document, named: Mapping[int, Touched], own: Collection[str]) -> bool:
    """Whether clean-up can only remove what the plan makes: no program, no path that is known only later."""
    steps = [named[spec.position] for spec in document.cleanup]
    return all(
        not (touch.is_program or touch.is_unsure or touch.overwrites)
        and all(_inside(path, own) for path in touch.removes)
        for touch in steps
    )


def _facts(
    spec: IntentSpec, touch: Touched, own: Collection[str], *, autonomous: bool, tidy: bool
) -> Iterator[tuple[Level, str]]:
    """The facts in the document. A fact that makes a step ordinary is not mentioned."""
    yield from _of_effect(spec, touch)
    yield from _of_programs(spec, touch, autonomous=autonomous, tidy=tidy)
    yield from _of_losses(spec, touch, own)
    if spec.effect != "idempotent":
        yield from _of_paths(touch, own)


def _of_effect(spec: IntentSpec, touch: Touched) -> Iterator[tuple[Level, str]]:
    if spec.effect == "once":
        yield Level.HIGH, "it cannot be repeated or taken back"
    elif touch.cannot_be_undone:
        yield Level.HIGH, "it changes mindX itself, and nothing undoes that"
    elif touch.asks_model and not (spec.asks and spec.asks.models):
        yield Level.MEDIUM, "it cannot run: no language model was set up when it was planned, so none is asked"
    elif touch.asks_model:
        yield Level.HIGH, "it sends a text to a language model outside, which costs money"
    elif spec.effect == "keyed":
        yield Level.MEDIUM, "it changes something outside of the workspace"


def _of_programs(spec: IntentSpec, touch: Touched, *, autonomous: bool, tidy: bool) -> Iterator[tuple[Level, str]]:
    if touch.makes_autonomous and spec.phase == "cleanup" and tidy:
        yield Level.MEDIUM, "it switches autonomous mode on for clean-up, which removes only what the plan itself makes"
    elif touch.makes_autonomous:
        yield Level.HIGH, "it allows deleting from here on (autonomous mode)"
    elif touch.is_program and autonomous:
        yield Level.HIGH, "a program that runs in autonomous mode may remove anything in the workspace"
    elif touch.is_program:
        yield Level.MEDIUM, "a program may change any file of the workspace"


def _of_losses(spec: IntentSpec, touch: Touched, own: Collection[str]) -> Iterator[tuple[Level, str]]:
    for path in touch.removes:
        words = f"moves {path} away" if path in touch.moves else f"removes {path or 'the whole workspace'}"
        if spec.phase == "cleanup" and _inside(path, own):
            yield Level.MEDIUM, f"it {words}, which the plan itself makes"
        else:
            yield Level.HIGH, f"it {words}"
    if touch.overwrites:
        yield Level.HIGH, "it may put something over a file that is there"
    if others := [host for host in spec.hosts if host != "packages"]:
        yield Level.HIGH, f"it reaches {', '.join(others)}"
    elif spec.hosts:
        yield Level.MEDIUM, "it reaches the package index"


def _of_paths(touch: Touched, own: Collection[str]) -> Iterator[tuple[Level, str]]:
    if touch.is_unsure:
        yield Level.UNKNOWN, "a path is known only when it runs"
    for path in touch.paths:
        if any(part.startswith(".") for part in path.split("/")):
            yield Level.MEDIUM, f"it changes the hidden path {path}"
        elif own and not _inside(path, own):
            yield Level.MEDIUM, f"it changes {path or 'the root'}, outside of the folder that the plan makes"


def _shown(spec: IntentSpec, touch: Touched, tried: Tried | None, *, can_delete: bool) -> Iterator[tuple[Level, str]]:
    """What the dry run adds; nothing for clean-up, which is never tried."""
    if spec.phase == "cleanup":
        return
    if tried is None:
        if touch.is_program:
            yield Level.UNKNOWN, "it has had no dry run"
        return
    proof = tried.proofs.get(spec.position, "")
    if proof in ("unproven", "not_reached", ""):
        yield Level.UNKNOWN, "the dry run could not show what it does"
    elif proof == "failed":
        yield Level.HIGH, "it failed in the dry run"
    acts = spec.effect != "idempotent" or touch.is_program
    if acts and tried.deleted and (touch.removes or touch.overwrites or touch.is_program or can_delete):
        count = len(tried.deleted)
        yield Level.HIGH, f"the dry run deleted {count} path{'' if count == 1 else 's'}"
    if acts and touch.is_program and tried.differing > MANY_PATHS:
        yield Level.MEDIUM, f"the dry run changed {tried.differing} paths"
