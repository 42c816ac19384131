"""Planning an earlier goal anew, with another version of one rule and all others as they are now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.bdi.planning import means_ends
from agents.bdi.plans.document import Document
from agents.beliefs import entailment_model
from agents.components import rules
from agents.models import Goal, Plan
from agents.plans import proposals
from agents.rules.grammar import RuleSyntaxError
from agents.rules.selection import KnownRule
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief, NoPlan, PlanDraft
from library.models import ComponentVersion


def rule_of(version: ComponentVersion) -> KnownRule:
    """The rule of a version, in use or not. RuleSyntaxError when it cannot be read."""
    return KnownRule(version.component.name, version.version, str(version.pk), rules.read_one(version.body))


def planned_by(rule: KnownRule, goal: Goal, plan: Plan, base: str) -> Document | str:
    """The document that the rules in use make of a goal with this rule in its version's place; or why there is none.

    The beliefs are those that `plan` was made from, the files those of the snapshot `base`.
    """
    found = drafted_by(rule, goal, plan)
    if isinstance(found, NoPlan):
        return f"no plan: {found.reason.replace('_', ' ')}"
    document, problems = proposals.document_on(goal, base, found)
    if document is None or problems:
        return f"its plan is not valid: {problems[0].message}"
    return document


def drafted_by(rule: KnownRule, goal: Goal, plan: Plan) -> PlanDraft | NoPlan:
    """What the rules make of it before it is bound to files and checked."""
    known = [*(one for one in rules.known_rules() if one.name != rule.name), rule]
    return means_ends.plan(goal.text, known, beliefs_of(plan), tools_in_use(), judge_by=entailment_model.in_use())


def would_plan(version: ComponentVersion, goal: Goal, plan: Plan) -> bool:
    """Whether a version of a rule would have planned what others planned, or nobody did; not where a person wrote."""
    if not plan.evidence.get("beliefs") or plan.source == Plan.Source.PERSON:
        return False
    try:
        rule = rule_of(version)
    except RuleSyntaxError:
        return False
    drafted = drafted_by(rule, goal, plan)
    return isinstance(drafted, PlanDraft) and rule.name in {name for name, _ in versions_in(drafted.evidence)}


def beliefs_of(plan: Plan) -> list[Belief]:
    """What was believed when a plan was made."""
    return [Belief(**one) for one in plan.evidence.get("beliefs") or []]


def versions_in(evidence: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Name and version of the rules that a plan was made by, those of its sub-goals too."""
    nodes = [evidence, *(evidence.get("subgoals") or ())]
    rules_there = [
        node["rule"] for node in nodes if isinstance(node, Mapping) and isinstance(node.get("rule"), Mapping)
    ]
    return {(str(rule.get("name")), str(rule.get("version"))) for rule in rules_there}
