"""A policy on history: what it would have decided on the last plans, and which policies history would suggest.

A replay asks the same pure function as a real plan. What was true then and is not kept (the workspace's head when the
dry run ended) is taken as favourable, and the page says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents.bdi.plans import document as documents
from agents.models import IntentPlan
from agents.plans import shadowing
from agents.presentation import outcome_words
from agents.record import worked
from review.entries import risks
from review.models import Decision, PolicyVersion, ReviewPolicy
from review.policies import evaluation, track_record
from review.policy import narrowing
from review.policy.conditions import Conditions, PlanFacts
from review.policy.verdict import Action, Rule, decide

PLANS = 200
LEAST_CASES = 10
MOST_PROPOSALS = 5
_DECIDED = (Decision.Verdict.APPROVE, Decision.Verdict.REJECT, Decision.Verdict.REQUEST_CHANGES)
_NO = {"reject": "rejected it", "request_changes": "sent it back"}


@dataclass(frozen=True)
class Past:
    """A plan of history: what a person decided, and whether it worked (`agents.bdi.outcome.worked`)."""

    plan: IntentPlan
    facts: PlanFacts
    verdict: str
    by: str
    worked: bool | None


@dataclass(frozen=True)
class Disagreement:
    """Where the policy would have decided differently from a person."""

    plan_id: int
    goal: str
    person: str
    policy: str


@dataclass(frozen=True)
class Replay:
    """The outcome of a replay over so many plans; `spoke` counts those to which the policy applies.

    `own`: of the plans that the policy itself approved before, how many there are, how many of them ended badly, and
    both for those that this version would approve again; empty where it approved none.
    """

    plans: int
    spoke: int
    agreed: int
    disagreements: tuple[Disagreement, ...]
    own: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "plans": self.plans,
            "spoke": self.spoke,
            "agreed": self.agreed,
            "disagreements": [vars(each) for each in self.disagreements],
            "own": dict(self.own),
        }


@dataclass(frozen=True)
class Proposal:
    """A policy that history suggests: people approved every one of `cases` plans of this shape, and all ended well."""

    conditions: Conditions
    cases: int
    example: int

    @property
    def query(self) -> str:
        """The plan it is taken from, for the address of the form."""
        return str(self.example)


def history() -> list[Past]:
    """The last plans that people decided, newest first; those whose bytes cannot be read are left out."""
    rows = (
        Decision.objects.filter(policy__isnull=True, verdict__in=_DECIDED)
        .select_related(
            "by",
            "intent_plan__goal__submitted_by",
            "intent_plan__goal__agent",
            "intent_plan__workspace",
            "intent_plan__plan",
        )
        .order_by("-pk")[:PLANS]
    )
    counts = risks.counts()
    found = []
    for row in rows:
        plan = row.intent_plan
        try:
            facts = evaluation.facts_of(plan, counts)
            document = documents.read(bytes(plan.document))
        except ValueError:
            continue
        run = shadowing.latest(plan)
        trouble = evaluation.shadow_problem(document, run, run.base if run else "")
        facts = replace(facts, shadow_problem=trouble)
        found.append(Past(plan, facts, row.verdict, row.by.display_name, worked.of_plan(plan)))
    return found


def replayed(version: PolicyVersion) -> Replay:
    """What this version alone would have decided on the last plans, compared with people's decisions."""
    rule = evaluation.rule_of(version)
    pasts = history()
    spoke, against = 0, []
    for past in pasts:
        outcome = decide([rule], past.facts)
        if outcome.by is None:
            continue
        spoke += 1
        if words := _against(rule, past):
            goal = past.plan.goal.text[:160]
            person = f"{past.by} {_NO.get(past.verdict, 'approved it')}"
            if past.worked is False:
                missed = outcome_words.STATES[past.plan.goal.outcome] if past.plan.has_missed else "failed"
                person += f", and it {missed}"
            against.append(Disagreement(past.plan.pk, goal, person, f"{words}: {outcome.by.why}"))
    return Replay(len(pasts), spoke, spoke - len(against), tuple(against), _own(version.policy, rule))


def _own(policy: ReviewPolicy, rule: Rule) -> dict[str, int]:
    cases = [one.case for one in track_record.of(policy)]
    if not cases:
        return {}
    again = [case for case in cases if narrowing.passes(rule, case.facts)]
    return {
        "plans": len(cases),
        "bad": sum(case.is_bad for case in cases),
        "again": len(again),
        "again_bad": sum(case.is_bad for case in again),
    }


def _against(rule: Rule, past: Past) -> str:
    """How the policy would have contradicted the person's decision, or the outcome; "" for agreement."""
    approved = past.verdict == Decision.Verdict.APPROVE
    if rule.action is Action.AUTO_APPROVE:
        return "" if approved and past.worked is not False else "approve"
    if rule.action is Action.FORBID:
        return "forbid" if approved else ""
    return ""


def proposals() -> list[Proposal]:
    """Shapes that people always approved and that always ended well, at least ten times, the most frequent first."""
    groups: dict[tuple[Any, ...], list[Past]] = defaultdict(list)
    for past in history():
        groups[_shape(past.facts)].append(past)
    found = [
        Proposal(_conditions(pasts[0].facts, pasts), len(pasts), pasts[0].plan.pk)
        for pasts in groups.values()
        if len(pasts) >= LEAST_CASES and all(_went_well(past) for past in pasts)
    ]
    return sorted(found, key=lambda each: (-each.cases, each.example))[:MOST_PROPOSALS]


def _shape(facts: PlanFacts) -> tuple[Any, ...]:
    """Plans are similar if the same agent proposes the same commands, in the same order, from the same source."""
    return facts.agent, facts.source, tuple((step.tool, step.command, step.is_cleanup) for step in facts.steps)


def _went_well(past: Past) -> bool:
    return past.verdict == Decision.Verdict.APPROVE and past.worked is True


def _conditions(facts: PlanFacts, pasts: list[Past]) -> Conditions:
    """The narrowest conditions that hold for all of them."""
    return Conditions(
        tools=tuple(sorted({step.tool for step in facts.steps})),
        commands=tuple(sorted({f"{step.tool}.{step.command}" for step in facts.steps})),
        agents=(facts.agent,),
        submitters=tuple(sorted({past.facts.submitter for past in pasts})),
        workspaces=tuple(sorted({past.facts.workspace for past in pasts}))[:32],
        sources=(facts.source,),
        risk_at_most="medium",
        shadow_clean=True,
    )
