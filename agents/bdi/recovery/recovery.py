"""What to do after a failed step: which strategies the approval allows, and which one is used. Pure.

While there is little data, the default order is used: the class's primary, then its secondary, then giving up. What
would fail in the same way again is not retried; a person is asked before the step is given up. With more outcomes the
choice follows what helped: a chance is drawn for each strategy (Thompson sampling), its cost is subtracted, and the
best one is used. Giving up costs nothing and gains nothing, so it is chosen when nothing else seems worth its cost.
Operators' pins and bans come before both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agents.bdi.recovery.delays import delay
from agents.bdi.recovery.failures import Failure as Failure
from agents.bdi.recovery.failures import FailureClass as FailureClass
from agents.bdi.recovery.failures import classify as classify
from agents.bdi.recovery.recovery_learning import Cell
from agents.bdi.recovery.recovery_settings import USUAL, RecoverySettings
from agents.bdi.recovery.strategies import (
    ABORT,
    AGINT,
    ALTERNATIVE,
    COOLED,
    DEFAULTS,
    MANUAL,
    REEXTRACTED,
    RETRY,
    SIMPLER,
    WAYS,
    Way,
    way_named,
)
from agents.bdi.recovery.strategies import Strategy as Strategy

# A step of class `once` may have taken effect; trying it again is never automatic.
REPEATABLE_EFFECTS = frozenset({"idempotent", "workspace", "keyed"})


@dataclass(frozen=True)
class Choice:
    """The way with its delay in seconds and a sentence that says why.

    `alternative` is the number of the declared one that is done next, 0 when none is; where it was not granted, people
    are asked first. `weighed` is what each way was worth when this one was taken. `tries_again`: AGInt has the step
    tried again as it is.
    """

    way: Way
    delay_s: float
    why: str
    alternative: int = 0
    is_granted: bool = True
    weighed: Mapping[str, Any] = field(default_factory=dict)
    tries_again: bool = False

    @property
    def strategy(self) -> Strategy:
        """Without its variant."""
        return self.way.strategy

    @property
    def goes_on(self) -> bool:
        """Whether the plan continues automatically, with this step or with a granted alternative."""
        onwards = (Strategy.RETRY_WITH_DELAY, Strategy.ALTERNATIVE_TOOL)
        return self.tries_again or (self.is_granted and self.strategy in onwards)


@dataclass(frozen=True)
class Envelope:
    """What was approved for one step: how often it may be tried, and which of its `declared` alternatives are granted.

    `after` is the number of the alternative that failed last, 0 for the step itself. Each alternative is tried once.
    """

    tries: int = 1
    declared: int = 0
    granted: frozenset[int] = frozenset()
    after: int = 0

    @property
    def next_alternative(self) -> tuple[int, bool]:
        """The declared one that comes next and whether it was granted; (0, False) when none is left.

        Those that were granted come first.
        """
        left = range(self.after + 1, self.declared + 1)
        granted = [number for number in left if number in self.granted]
        if granted:
            return granted[0], True
        return (left[0], False) if left else (0, False)


@dataclass(frozen=True)
class Situation:
    """A failed step as it stands. `tries` counts its failed tries, `chosen` what was done about it before, in order.

    `living` names the programs that were running beside it. `simpler` and `reextracted` say what is missing for these
    ways; "" when they are open. `escalated` is whether AGInt has done what it could.
    """

    effect: str = "workspace"
    tries: int = 1
    envelope: Envelope = field(default_factory=Envelope)
    living: Sequence[str] = ()
    is_over: bool = False
    chosen: Sequence[Way] = ()
    simpler: str = ""
    reextracted: str = "no other values were found"
    escalated: bool = False
    retry_after_s: float = 0.0
    # Ways that are closed for a reason of their own, which counts before the others.
    shut: Mapping[Way, str] = field(default_factory=dict)
    # Why another try would fail in the same way; "" where it may not.
    hopeless: str = ""
    # Whether a person is asked before such a plan is given up: what was approved for a failure needs nobody's word.
    asks_first: bool = False


@dataclass(frozen=True)
class Standing:
    """What of a situation the choice depends on, so that it can be made again later: it is kept with the failure.

    `shut` are the ways that are not open, policies aside; `asks`: people are asked about the next alternative.
    """

    shut: Mapping[Way, str]
    chosen: tuple[Way, ...] = ()
    asks: bool = True
    tries: int = 1
    retry_after_s: float = 0.0
    hopeless: str = ""
    asks_first: bool = False

    @classmethod
    def of(cls, now: Situation) -> Standing:
        """Of a step that has failed."""
        asks = not now.envelope.next_alternative[1]
        more = (now.tries, now.retry_after_s, now.hopeless, now.asks_first)
        return cls(closed(now), tuple(now.chosen), asks, *more)

    def to_json(self) -> dict[str, Any]:
        """As it is kept."""
        shut = {str(way): why for way, why in self.shut.items()}
        return {**vars(self), "shut": shut, "chosen": [str(way) for way in self.chosen]}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Standing:
        """What was kept; ways that are none any more are left out."""
        shut = {way: str(why) for name, why in raw["shut"].items() if (way := way_named(name)) is not None}
        chosen = tuple(way for name in raw["chosen"] if (way := way_named(name)) is not None)
        # Older rows have neither of the last two.
        more = (str(raw.get("hopeless", "")), bool(raw.get("asks_first")))
        return cls(shut, chosen, bool(raw["asks"]), int(raw["tries"]), float(raw["retry_after_s"]), *more)


@dataclass(frozen=True)
class Policy:
    """What operators set for the class and tool: one way that is taken whenever it is open, and ways that never are."""

    pinned: Way | None = None
    banned: frozenset[Way] = frozenset()


def _not_again(now: Situation) -> dict[Way, str]:
    """The ways that would run the step once more and must not, each with why not."""
    envelope, others = now.envelope, tuple[Way, ...]()
    if now.effect not in REPEATABLE_EFFECTS:
        again, others = (
            f"a step of class {now.effect} is never repeated automatically",
            (ALTERNATIVE, SIMPLER, REEXTRACTED, AGINT),
        )
    elif now.living:
        names = ", ".join(now.living)
        again = f"another try would run without the programs started before ({names}): they ended with this try"
        others = (ALTERNATIVE, AGINT, MANUAL)
    elif envelope.after:
        again = "an alternative is tried once"
    elif now.tries >= envelope.tries:
        again = f"all {envelope.tries} approved tries have failed"
    else:
        return {}
    return dict.fromkeys((*others, RETRY, COOLED), again)


def closed(situation: Situation) -> dict[Way, str]:
    """The ways that are not open, each with why not. Giving up always is open; a person nearly always."""
    now, envelope = situation, situation.envelope
    if now.is_over:
        return dict.fromkeys(set(WAYS) - {ABORT}, "the plan has no time left for another try")
    shut = _not_again(now)
    if not envelope.next_alternative[0]:
        shut.setdefault(ALTERNATIVE, "no declared alternative is left" if envelope.declared else "none is declared")
    for way, why in ((SIMPLER, now.simpler), (REEXTRACTED, now.reextracted)):
        if why:
            shut.setdefault(way, why)
    if now.escalated:
        shut.setdefault(AGINT, "AGInt has already examined it")
    return {**shut, **now.shut}


def choose(
    failure: Failure,
    situation: Situation,
    *,
    settings: RecoverySettings = USUAL,
    policy: Policy | None = None,
    cell: Cell | None = None,
    known: int = 0,
    rng: Random | None = None,
) -> Choice:
    """The way that is taken after this failure. `cell` holds what was learned, from `known` outcomes."""
    rng = rng or Random(0)  # noqa: S311  # no secret: a decision that can be made again
    standing = Standing.of(situation)
    taken = take(failure.failure_class, standing, settings, policy or Policy(), cell, known, rng)
    drawn = taken.drawn
    weighed = {
        "open": {str(one): round(drawn[str(one)], 3) if str(one) in drawn else None for one in taken.open_ways},
        "closed": {str(one): reason for one, reason in taken.shut.items()},
        "known": known,
        "standing": standing.to_json(),
    }
    return _carried_out(taken.way, taken.why, situation, settings, rng, weighed)


@dataclass(frozen=True)
class Taken:
    """A way with its reason, the chance that was drawn for each where one was, and what was not open."""

    way: Way
    why: str
    drawn: Mapping[str, float]
    shut: Mapping[Way, str]

    @property
    def open_ways(self) -> list[Way]:
        """What could be taken."""
        return [way for way in WAYS if way not in self.shut]


def take(
    failure_class: FailureClass,
    standing: Standing,
    settings: RecoverySettings,
    policy: Policy,
    cell: Cell | None,
    known: int,
    rng: Random,
) -> Taken:
    """The choice itself: pins and bans first, then the usual order or what was learned."""
    shut = {**standing.shut, **dict.fromkeys(policy.banned - {ABORT}, "an operator banned it for this class")}
    if standing.hopeless:
        # Who pinned one of them knows something that cannot be seen from here.
        shut = {**dict.fromkeys({RETRY, COOLED} - {policy.pinned}, standing.hopeless), **shut}
    open_ways = [way for way in WAYS if way not in shut]
    drawn: Mapping[str, float] = {}
    if policy.pinned in open_ways and policy.pinned is not None:
        way, why = policy.pinned, "an operator pinned it for this class"
    elif cell is None or known < settings.usual_order_up_to:
        way, why = _usual(failure_class, standing, shut)
    else:
        way, why, drawn = _learned(open_ways, standing, settings, cell, known, rng)
    if _asks_instead(way, failure_class, standing, policy, shut):
        way = MANUAL
    if policy.pinned in shut and policy.pinned is not None:
        why = f"{policy.pinned.words} is pinned and not open ({shut[policy.pinned]}); {why}"
    return Taken(way, why, drawn, shut)


def _asks_instead(
    way: Way, failure_class: FailureClass, standing: Standing, policy: Policy, shut: Mapping[Way, str]
) -> bool:
    """Whether a person is asked before the plan is given up: who reads why it fails can often mend it at once."""
    given_up = way is ABORT and policy.pinned is not ABORT and ABORT not in DEFAULTS[failure_class]
    return given_up and bool(standing.hopeless) and standing.asks_first and MANUAL not in shut


def _usual(failure_class: FailureClass, situation: Standing, shut: Mapping[Way, str]) -> tuple[Way, str]:
    """Primary, then secondary, then giving up.

    What was declared for this very step comes before anything that plans anew or hands it to somebody.
    """
    primary, secondary = DEFAULTS[failure_class]
    said = []
    if primary is not RETRY and ALTERNATIVE not in shut:
        return ALTERNATIVE, "it was declared for exactly this step"
    for name, way in (("primary", primary), ("secondary", secondary)):
        if way in shut:
            said.append(f"{way.words}: {shut[way]}")
        elif way is RETRY and secondary is COOLED and RETRY in situation.chosen and COOLED not in shut:
            said.append("retrying was tried")  # the secondary needs a try too, and has its turn
        # A person who was asked and had it tried again is asked again: giving up is theirs to say.
        elif way in (RETRY, COOLED, ALTERNATIVE, MANUAL) or way not in situation.chosen:
            return way, f"{name} strategy of {failure_class.value}"
        else:
            said.append(f"{way.words} was tried")
    if ALTERNATIVE not in shut:
        return ALTERNATIVE, "it was declared for exactly this step"
    return ABORT, "; ".join(dict.fromkeys(said))


def _learned(
    ways: Sequence[Way], situation: Standing, settings: RecoverySettings, cell: Cell, known: int, rng: Random
) -> tuple[Way, str, Mapping[str, float]]:
    # What changes the plan or asks somebody is done once for a step; what it came to is known.
    spent = {way for way in situation.chosen if way in (SIMPLER, REEXTRACTED, AGINT)}
    among = [way for way in ways if way is not ABORT and way not in spent]
    drawn = cell.sample([str(way) for way in among], rng)
    worth = {
        way: drawn[str(way)]
        - settings.cost_of(way, needs_review=way in (SIMPLER, REEXTRACTED) or (way is ALTERNATIVE and situation.asks))
        for way in among
    }
    best = max(worth, key=lambda way: worth[way], default=ABORT)
    if best is ABORT or worth[best] <= 0.0:
        return ABORT, f"after {known} outcomes no open strategy seems worth its cost", drawn
    return best, f"chosen by {known} outcomes: helps in about {cell.expected(str(best)):.0%}", drawn


def _carried_out(
    way: Way, why: str, situation: Situation, settings: RecoverySettings, rng: Random, weighed: Mapping[str, Any]
) -> Choice:
    envelope = situation.envelope
    if way in (RETRY, COOLED):
        wait = delay(situation.tries, settings, rng, situation.retry_after_s, cooling=way is COOLED)
        said = f"try {situation.tries + 1} of {envelope.tries} {wait.words}; {why}"
        return Choice(way, wait.seconds, said, weighed=weighed)
    if way is ALTERNATIVE:
        number, granted = envelope.next_alternative
        how = "which was granted with the approval" if granted else "was not granted, so a person is asked"
        said = f"declared alternative {number}{', ' if granted else ' '}{how}; {why}"
        return Choice(way, 0.0, said, number, is_granted=granted, weighed=weighed)
    return Choice(way, 0.0, why, weighed=weighed)


__all__ = [
    "AGINT",
    "MANUAL",
    "REPEATABLE_EFFECTS",
    "Choice",
    "Envelope",
    "Failure",
    "FailureClass",
    "Policy",
    "Situation",
    "Strategy",
    "choose",
    "classify",
    "closed",
]
