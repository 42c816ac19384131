"""From a plan that a person or a model wrote and that worked to a rule, tried on the goal it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.bdi.learning import generalise
from agents.bdi.learning.generalise import NotGeneralisable, Proposal
from agents.bdi.planning import means_ends
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document, IntentSpec
from agents.beliefs import entailment_model
from agents.components.rules import known_rules, read_one
from agents.models import Attempt, Goal, IntentPlan, Plan
from agents.plans import renewals
from agents.record import worked
from agents.record.selectors import current_plan
from agents.rules.grammar import RuleSyntaxError
from agents.rules.selection import KnownRule
from agents.states import PlanState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import Belief, Param, PlanDraft, Step


@dataclass(frozen=True)
class GoalTrial:
    """What a rule text would have made of a goal, with what was believed then.

    `understands`: its task is this goal and its conditions held. `same`: its steps are those that worked.
    """

    goal: Goal
    understands: bool
    same: bool
    slots: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]
    why_not: str = ""


def propose_from_goal(goal: Goal) -> Proposal:
    """Return a rule text made of the goal and its plan, with its slots. NotGeneralisable says why there is none."""
    return generalise.propose(goal.text, written(goal), tools_in_use(), believed(goal))


def try_on_goal(text: str, goal: Goal) -> GoalTrial:
    """Plan the goal with this rule before all others, over what was believed when it was planned."""
    try:
        rule = read_one(text)
    except RuleSyntaxError as error:
        return GoalTrial(goal, False, False, (), (), str(error))
    others = [known for known in known_rules() if known.name != rule.name]
    draft = KnownRule(rule.name, "draft", "", rule)
    held = believed(goal)
    with entailment_model.asked_about([belief.sentence for belief in held], keeps=False) as judges:
        found = means_ends.plan(goal.text, [draft, *others], held, tools_in_use(), judge_by=judges)
    if not isinstance(found, PlanDraft) or found.evidence["rule"]["name"] != rule.name:
        return GoalTrial(goal, False, False, (), (), _why_not(found.evidence, rule.name))
    slots = tuple((name, str(slot["value"])) for name, slot in found.evidence["slots"].items())
    same = _essence(found.steps) == _essence(written(goal).steps)
    return GoalTrial(goal, True, same, slots, found.steps)


def written(goal: Goal) -> PlanDraft:
    """The plan of the goal, from the bytes that ran. NotGeneralisable when a rule made it, or it failed."""
    plan = current_plan(goal)
    if plan is None or not worked.of_goal(goal) or plan.state != PlanState.COMPLETE:
        raise NotGeneralisable("only a goal that was achieved shows that its plan works")
    if plan.plan.source not in (Plan.Source.PERSON, Plan.Source.MODEL):
        raise NotGeneralisable("a rule planned this goal, so the rule already exists")
    if renewals.began_on_the_way(plan):
        raise NotGeneralisable("its plan stopped halfway and was reviewed again, so it has only the last part")
    document = documents.read(bytes(plan.document))
    steps = tuple(step_of(spec) for spec in _what_ran(plan, document))
    return PlanDraft(steps, tuple(step_of(spec) for spec in document.cleanup), document.source, {})


def _what_ran(plan: IntentPlan, document: Document) -> list[IntentSpec]:
    """The main steps as they succeeded: where an alternative did it, that one is the step that works."""
    rows = Attempt.objects.filter(intent__intent_plan=plan, outcome="succeeded")
    chosen = dict(rows.values_list("intent__position", "alternative"))
    return [spec.alternatives[at - 1] if (at := chosen.get(spec.position, 0)) else spec for spec in document.intents]


def step_of(spec: IntentSpec) -> Step:
    """A step of a document as planning has it."""
    params = {one.name: Param(one.value, one.origin, one.original, one.span, one.note) for one in spec.parameters}
    return Step(spec.tool, spec.command, params, spec.justification, spec.rule, spec.depends_on, spec.condition)


def believed(goal: Goal) -> list[Belief]:
    """What was held true for the goal at its end, and was not taken back."""
    held = goal.beliefs.filter(retracted_by="")
    return [Belief(one.sentence, one.source, one.confidence, one.at.isoformat()) for one in held]


def _why_not(evidence: Mapping[str, Any], name: str) -> str:
    rejected = {one["rule"]["name"]: one["why"] for one in evidence.get("rejected", ())}
    return str(rejected.get(name, "none of its wordings matches this goal"))


def _essence(steps: tuple[Step, ...]) -> list[tuple[str, str, dict[str, object]]]:
    return [(step.tool, step.command, step.values()) for step in steps]
