"""One verdict from all policies: the strictest wins, whatever their order; an approval must cover every step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from review.policy.bodies import LookedAt, why_new
from review.policy.conditions import Conditions, PlanFacts, StepFacts, met, names_commands
from review.risk.assessment import Level

# The others reach beyond the workspace, or do something that cannot be done again.
APPROVED_EFFECTS = ("idempotent", "workspace")


class Action(StrEnum):
    """What a policy requires, the strictest first."""

    FORBID = "forbid"
    REQUIRE_TWO = "require_two"
    REQUIRE_REVIEW = "require_review"
    AUTO_APPROVE = "auto_approve"

    @property
    def strictness(self) -> int:
        """0 is the strictest."""
        return tuple(Action).index(self)


@dataclass(frozen=True)
class Rule:
    """An enabled policy, in one version. `looked_at`: the bodies of tools that it approves, if it approves."""

    policy_id: int
    # None: the row names a version that does not exist.
    version_id: int | None
    name: str
    number: int
    action: Action
    conditions: Conditions
    looked_at: LookedAt = field(default_factory=dict)


@dataclass(frozen=True)
class Fired:
    """A policy that applied: at which step (0: all), and which of its conditions was met."""

    rule: Rule
    position: int
    why: str

    @property
    def sentence(self) -> str:
        """For logs, pages and refusals: the policy, its version, and what met it."""
        at = f" at step {self.position}" if self.position else ""
        return f"policy “{self.rule.name}” (version {self.rule.number}){at}: {self.why}"


@dataclass(frozen=True)
class Outcome:
    """The verdict of all policies. `action` None: no policy applies, so a person decides.

    `fired` are all that applied, the strictest first; `declined` says why an approving one cannot be used here.
    """

    action: Action | None
    fired: tuple[Fired, ...] = ()
    declined: tuple[Fired, ...] = ()

    @property
    def by(self) -> Fired | None:
        """The one that decides."""
        return self.fired[0] if self.fired else None

    @property
    def forbids(self) -> bool:
        return self.action is Action.FORBID

    @property
    def approvals(self) -> int:
        """How many people must approve."""
        return 2 if self.action is Action.REQUIRE_TWO else 1


def decide(rules: Iterable[Rule], plan: PlanFacts) -> Outcome:
    """Ask every policy. The result does not depend on their order."""
    fired: list[Fired] = []
    declined: list[Fired] = []
    for rule in rules:
        if rule.action is Action.AUTO_APPROVE:
            spoke, allows = _approving(rule, plan)
            (fired if allows else declined).append(spoke)
        else:
            fired += _restricting(rule, plan)
    fired.sort(key=_order)
    declined.sort(key=_order)
    return Outcome(fired[0].rule.action if fired else None, tuple(fired), tuple(declined))


def _order(fired: Fired) -> tuple[int, int, int]:
    return fired.rule.action.strictness, fired.rule.policy_id, fired.position


def _restricting(rule: Rule, plan: PlanFacts) -> list[Fired]:
    """The first step that meets it; one is enough."""
    for step in plan.steps:
        holds, why = met(rule.conditions, step, plan, restricts=True)
        if holds:
            return [Fired(rule, step.position, why)]
    return []


def _approving(rule: Rule, plan: PlanFacts) -> tuple[Fired, bool]:
    """Whether it covers the whole plan, including clean-up, and nothing about the plan excludes it."""
    if never := barred(rule, plan):
        return Fired(rule, 0, never), False
    said = ""
    for step in plan.steps:
        holds, said = met(rule.conditions, step, plan, restricts=False)
        if not holds:
            return Fired(rule, step.position, f"it does not cover this step: {said}"), False
    for body in plan.bodies:
        if new := why_new(body, rule.looked_at):
            return Fired(rule, next((each.position for each in plan.steps if each.tool == body.tool), 0), new), False
    return Fired(rule, 0, f"it covers all {len(plan.steps)} steps"), True


def concerns(conditions: Conditions, tool: str, effects: Mapping[str, str]) -> bool:
    """Whether a policy that approves is about this tool, whose commands have these effects.

    It is if it names the tool or one of its commands. One that names neither is about every tool of which it could
    approve a step.
    """
    named = names_commands(conditions, tool, effects)
    names_any = bool(conditions.tools or conditions.commands)
    return bool(named) and (names_any or is_approvable(effects[one] for one in named))


def is_approvable(effects: Iterable[str]) -> bool:
    """Whether a policy could ever approve a step with one of these effects."""
    return any(effect in APPROVED_EFFECTS for effect in effects)


def barred(rule: Rule, plan: PlanFacts) -> str:
    """Why this plan is never approved without a person, whatever the policy says; "" if it may be."""
    hosts = _hosts(plan)
    for bad, words in (
        (not plan.steps, "a plan without steps"),
        (plan.holds_tool_output and not _is_reading_call(rule, plan), "what a tool wrote went into this plan"),
        (plan.is_asked_again, "it was approved before and stopped on its way"),
        (bool(plan.endangers), plan.endangers),
        (bool(plan.shadow_problem), plan.shadow_problem),
        (bool(hosts) and hosts != set(rule.conditions.hosts), "it reaches hosts that the policy does not name exactly"),
    ):
        if bad:
            return words
    for step in plan.steps:
        if step.effect not in APPROVED_EFFECTS:
            return f"step {step.position} has the effect {step.effect}"
        if step.touch.makes_autonomous:
            return f"step {step.position} switches autonomous mode on"
        if step.risk in (Level.HIGH, Level.UNKNOWN):
            return f"the risk of step {step.position} is {step.risk}"
    return ""


def _is_reading_call(rule: Rule, plan: PlanFacts) -> bool:
    """Whether this is an agent's call that can only read the workspace, whatever text made the agent call it."""
    return rule.conditions.reading_calls and plan.is_call and not plan.changes_files and all(map(_reads, plan.steps))


def _reads(step: StepFacts) -> bool:
    touch = step.touch
    does_more = touch.is_program or touch.removes or touch.makes or touch.overwrites or touch.asks_model
    return step.effect == "idempotent" and not step.hosts and not touch.is_unsure and not does_more


def _hosts(plan: PlanFacts) -> Collection[str]:
    return {host for step in plan.steps for host in step.hosts}


def refusal(outcome: Outcome) -> str:
    """The sentence with which a forbidden plan is refused; "" when it is not forbidden."""
    return f"Forbidden by {outcome.by.sentence}." if outcome.forbids and outcome.by else ""


def second_person(outcome: Outcome, approvers: Sequence[int]) -> str:
    """Why one approval is not enough; "" when it is, or when two different people have approved."""
    if outcome.approvals <= len(set(approvers)) or outcome.by is None:
        return ""
    return f"A second person must approve: {outcome.by.sentence}."
