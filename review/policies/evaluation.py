"""The verdict of all enabled policies on a plan. One function for preview, approval, sweep and claim."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from agents.bdi.forecast.touched_paths import touched
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import Document
from agents.models import Goal, IntentPlan, ShadowRun
from agents.plans import footings, renewals, shadowing, tool_call_plans
from agents.record import prepared
from agents.record.gate import Forbidden
from agents.states import PlanState, ShadowState
from agents.toolkit.registry import tools_in_use
from agents.workspaces import environments
from people import sealing
from people.models import User
from review import rights
from review.audit import decision_chain
from review.entries import dangers, risks
from review.models import Approval, Decision, PolicyEvaluation, PolicyVersion, ReviewPolicy
from review.policies import tool_bodies
from review.policy import verdict
from review.policy.conditions import Conditions, ConditionsRefused, PlanFacts, StepFacts
from review.policy.states import PolicyState
from review.policy.verdict import Action, Fired, Outcome, Rule, decide
from review.risk.assessment import Counts

logger = logging.getLogger(__name__)

_SAYS_NOTHING = Outcome(None)
_OF_POLICY, _OF_VERSION = sealing.fields_of(ReviewPolicy), sealing.fields_of(PolicyVersion)
# Every plan asks for these several times, and most installations have only a few. Disabled ones are included, because
# the row that says so may have been forged.
_POLICIES = f"""
    SELECT policy.id, {", ".join(f"policy.{name}" for name in _OF_POLICY)},
        {sealing.newest_sql(ReviewPolicy, "policy.id")},
        version.id, {", ".join(f"version.{name}" for name in _OF_VERSION)},
        {sealing.newest_sql(PolicyVersion, "version.id")}
    FROM {ReviewPolicy._meta.db_table} AS policy
    LEFT JOIN {PolicyVersion._meta.db_table} AS version
        ON version.policy_id = policy.id AND version.number = policy.number
    ORDER BY version.number DESC, version.id
"""  # noqa: S608  # names of our own tables


def rules_in_force() -> list[Rule]:
    """Every enabled policy in its newest version; one that approves only until it expires.

    A row whose conditions cannot be read, or that mindX did not seal, requires a person for every plan: a broken row
    must not let anything pass. What it forbids stays forbidden.
    """
    return [rule for row in prepared.rows(_POLICIES, {}) for rule in _rules_of(row)]


def _rules_of(row: Sequence[Any]) -> list[Rule]:
    """One policy, from its row, its newest version and the seals of both."""
    split = len(_OF_POLICY) + 2
    (policy_id, *of_policy, seal_of_policy), (version_id, *of_version, seal_of_version) = row[:split], row[split:]
    policy, version = dict(zip(_OF_POLICY, of_policy, strict=True)), dict(zip(_OF_VERSION, of_version, strict=True))
    policy["looked_at"] = json.loads(policy["looked_at"])
    is_genuine = sealing.fits(ReviewPolicy, policy_id, policy, seal_of_policy)
    rules: list[Rule] = []
    if version_id is not None and policy["state"] == PolicyState.ENABLED.value:
        version["conditions"] = json.loads(version["conditions"])
        is_genuine = is_genuine and sealing.fits(PolicyVersion, version_id, version, seal_of_version)
        rule = _rule(policy_id, version_id, policy["name"], version["number"], version["action"], version["conditions"])
        approves = rule.action is Action.AUTO_APPROVE
        if approves and is_genuine:
            rule = replace(rule, looked_at=policy["looked_at"])
        is_over = version["expires_at"] is not None and version["expires_at"] <= timezone.now()
        rules = [rule] if (is_genuine and not (approves and is_over)) or (not is_genuine and not approves) else []
    return rules if is_genuine else [*rules, _forged(policy_id, version_id, policy)]


def _forged(policy_id: int, version_id: int | None, policy: Mapping[str, Any]) -> Rule:
    logger.error("A policy that mindX did not seal asks for a person at every plan", extra={"policy": policy_id})
    name = f"{policy['name']}, which mindX did not seal"
    return Rule(policy_id, version_id, name, policy["number"], Action.REQUIRE_REVIEW, Conditions())


def rule_of(version: PolicyVersion) -> Rule:
    """A version as the pure core takes it."""
    policy = version.policy
    return _rule(policy.pk, version.pk, policy.name, version.number, version.action, version.conditions)


def _rule(policy: int, version: int, name: str, number: int, said: str, conditions: Any) -> Rule:
    try:
        action, read = Action(said), Conditions.read(conditions)
    except (ConditionsRefused, ValueError):
        action, read = Action.REQUIRE_REVIEW, Conditions()
    return Rule(policy, version, name, number, action, read)


def outcome_of(plan: IntentPlan, rules: list[Rule] | None = None) -> Outcome:
    """The current verdict of the policies on a stored plan. Raises ValueError if its bytes are not a plan."""
    rules = rules_in_force() if rules is None else rules
    if plan.goal.agent.people_only:
        rules = [rule for rule in rules if rule.action is not Action.AUTO_APPROVE]
    if not rules:
        return _SAYS_NOTHING
    facts = facts_of(plan)
    if any(rule.action is Action.AUTO_APPROVE for rule in rules):
        document = documents.read(bytes(plan.document))
        endangers = dangers.for_people(plan, document, shadowing.latest(plan))
        facts = replace(facts, endangers=endangers, bodies=tool_bodies.of_plan(document))
    return decide(rules, facts)


def facts_of(plan: IntentPlan, found: Counts | None = None) -> PlanFacts:
    """What policies know of a stored plan, its newest dry run included."""
    document = documents.read(bytes(plan.document))
    run = shadowing.latest(plan)
    facts = _facts(plan.goal, document, run, found)
    trouble = shadow_problem(document, run, plan.workspace.head)
    is_call = tool_call_plans.caller_of(plan) is not None and not _has_gaps(document)
    return replace(
        facts,
        shadow_problem=trouble,
        holds_tool_output=holds_tool_output(plan, document),
        is_call=is_call,
        changes_files=not is_call or _changes_files(run),
        is_asked_again=renewals.needs_a_person(plan),
    )


def forbidden(goal: Goal, document: Document) -> list[Forbidden]:
    """What policies forbid in a plan that is not proposed yet."""
    rules = [rule for rule in rules_in_force() if rule.action is Action.FORBID]
    if not rules:
        return []
    outcome = decide(rules, _facts(goal, document, None))
    return [Forbidden(each.position, f"Forbidden by {each.sentence}.") for each in outcome.fired]


def by_hand(goal: Goal, document: Document, by: User) -> str:
    """Why this person may not run this document without a review; "" if no policy objects.

    What policies forbid is forbidden by hand as well. A command that reaches hosts is also refused if a policy
    requires a review of such a step.
    """
    rules = [rule for rule in rules_in_force() if rule.action is not Action.AUTO_APPROVE]
    if not rules:
        return ""
    facts = replace(_facts(goal, document, None), submitter=by.username, roles=tuple(by.roles))
    outcome = decide(rules, facts)
    if outcome.by is None or outcome.forbids or not document.hosts:
        return verdict.refusal(outcome)
    return f"A review comes first: {outcome.by.sentence}. Propose it as a plan."


def _facts(goal: Goal, document: Document, run: ShadowRun | None, found: Counts | None = None) -> PlanFacts:
    risk = risks.assessed(document, run, found=found)
    named = touched(document, tools_in_use())
    levels = {step.position: step.level for step in risk.steps}
    steps = tuple(
        StepFacts(
            spec.position,
            spec.phase == "cleanup",
            spec.tool,
            spec.command,
            spec.effect,
            tuple(spec.hosts),
            named[spec.position],
            levels[spec.position],
        )
        for spec in document.all_intents
    )
    steps += tuple(_in_its_place(goal, variant, position, run, found) for position, _, variant in document.variants())
    by = goal.submitted_by
    return PlanFacts(
        goal.agent.name,
        by.username,
        tuple(by.roles),
        goal.workspace.name,
        document.source,
        steps,
        "it has had no dry run",
    )


def _in_its_place(
    goal: Goal, variant: Document, position: int, run: ShadowRun | None, found: Counts | None
) -> StepFacts:
    """The facts of a declared alternative. It could run, so policies treat it like any step."""
    without = replace(variant, intents=tuple(replace(spec, alternatives=()) for spec in variant.intents))
    return _facts(goal, without, run, found).steps[position - 1]


def shadow_problem(document: Document, run: ShadowRun | None, head: str) -> str:
    """Why the dry run proves nothing for a policy; "" if it is clean and was made with the current files."""
    if run is None or run.state in (ShadowState.WAITING, ShadowState.RUNNING):
        return "it has had no dry run"
    if run.state != ShadowState.DONE:
        return f"its dry run was {run.state}"
    if run.base != head:
        return "the workspace has changed since the dry run"
    proofs = {each["position"]: each["proof"] for each in run.findings}
    for spec in document.intents:
        proof = proofs.get(spec.position, "unproven")
        # Steps with hosts are not tried; another check requires that the policy names exactly these hosts.
        if proof not in ("done", "skipped") and not (proof == "unproven" and spec.hosts):
            return f"the dry run left step {spec.position} {proof.replace('_', ' ')}"
    paths = shadowing.changed_paths(run)
    if paths is None:
        return "the files of its dry run are no longer stored"
    gone = environments.own(paths["deleted"], run.base)
    return f"the dry run deleted {gone[0]}" if gone else ""


def holds_tool_output(plan: IntentPlan, document: Document) -> bool:
    """Whether what a tool wrote went into the plan, or goes into one of its steps when it runs.

    A model's plan counts as such unless its evidence says explicitly that its prompt had no tool's output.
    """
    evidence = plan.plan.evidence if isinstance(plan.plan.evidence, dict) else {}
    if evidence.get("tool_output") or evidence.get("prompt_has_tool_output"):
        return True
    if any(isinstance(each, dict) and each.get("source") == "tool" for each in evidence.get("beliefs") or []):
        return True
    if plan.plan.source in ("model", "recovery") and evidence.get("prompt_has_tool_output") is not False:
        return True
    return _has_gaps(document)


def _has_gaps(document: Document) -> bool:
    """Whether a value is filled in while the plan runs."""
    return any("{{" in f"{spec.params}{spec.condition}" for spec in document.all_intents)


def _changes_files(run: ShadowRun | None) -> bool:
    """Whether the dry run changed files; if that is unknown, it did."""
    paths = shadowing.changed_paths(run) if run is not None else None
    return paths is None or any(paths.values())


def keep(
    plan: IntentPlan, moment: PolicyEvaluation.Moment, outcome: Outcome, said: str = "", *, is_sample: bool = False
) -> None:
    """Store the policies' verdict; nothing if none of them applied."""
    if not outcome.fired and not outcome.declined:
        return
    PolicyEvaluation.objects.create(
        intent_plan=plan,
        moment=moment,
        action=outcome.action.value if outcome.action else "",
        version_id=outcome.by.rule.version_id if outcome.by else None,
        fired=[_told(each) for each in outcome.fired],
        declined=[_told(each) for each in outcome.declined],
        outcome=said,
        is_sample=is_sample,
    )


def _told(fired: Fired) -> dict[str, Any]:
    rule = fired.rule
    return {
        "policy": rule.policy_id,
        "name": rule.name,
        "number": rule.number,
        "action": rule.action.value,
        "step": fired.position,
        "why": fired.why,
    }


def first_approvals(plan: IntentPlan) -> list[Decision]:
    """The approvals that wait for a second person: genuine, for the current digest, not withdrawn, of people who may
    still decide this plan. Once the plan is approved, they only have to stay active, as with a single approval.
    """
    rows = Decision.objects.filter(intent_plan=plan, digest=plan.digest).select_related("by").order_by("pk")
    open_rows: dict[int, Decision] = {}
    for row in rows:
        if row.verdict in (Decision.Verdict.FIRST_APPROVAL, Decision.Verdict.SECOND_APPROVAL):
            open_rows[row.by_id] = row
        elif row.verdict == Decision.Verdict.WITHDRAW:
            open_rows.pop(row.by_id, None)
    waits = plan.state == PlanState.AWAITING_REVIEW
    counts = [row for row in open_rows.values() if row.by.is_active and decision_chain.is_genuine(row)]
    refuses = rights.why_not if waits else _no_second_pair
    return [row for row in counts if not refuses(row.by, plan)]


def _no_second_pair(user: User, plan: IntentPlan) -> str:
    return rights.four_eyes(user, plan.goal)


def approvers(plan: IntentPlan, approval: Approval) -> list[int]:
    """The people whose approvals count for this plan."""
    return sorted({approval.by_id, *(row.by_id for row in first_approvals(plan))})


def no_longer_backed(plan: IntentPlan, approval: Approval) -> str:
    """Why an approval by a policy no longer counts; "" if it does, or if a person gave it."""
    version = approval.decision.policy
    if version is None:
        return ""
    policy = version.policy
    if policy.state != PolicyState.ENABLED.value or policy.number != version.number:
        state = "replaced by a newer version" if policy.state == PolicyState.ENABLED.value else policy.state
        return f"policy “{policy.name}” (version {version.number}), which approved it, is {state}"
    if plan.goal.agent.people_only:
        return f"a policy approved it, and plans of the agent {plan.goal.agent.name} are now decided by people only"
    if reason := rights.why_not(version.owner, plan):
        return f"the owner of policy “{policy.name}” may not decide it any more: {reason}"
    run = shadowing.latest(plan)
    if plan.position == 1 and (run is None or (run.base != plan.workspace.head and footings.weighed(plan) != ())):
        return "the workspace has changed since the dry run that a policy relied on"
    return ""


def person_wanted(outcome: Outcome, approval: Approval) -> str:
    """Why an approval by a policy is no longer enough: another policy now requires a person. "" if a person gave it."""
    restricts = outcome.action in (Action.REQUIRE_REVIEW, Action.REQUIRE_TWO)
    if approval.decision.policy_id is None or not restricts or outcome.by is None:
        return ""
    return f"A person must decide: {outcome.by.sentence}."


def least_isolation(approval: Approval) -> str:
    """Plans that no person approved run only at the strongest level."""
    return "L3" if approval.decision.policy_id is not None else ""


def enough_approvals(outcome: Outcome, by_id: int, first: list[Decision]) -> bool:
    """Whether this person's approval completes the policies' requirements."""
    return len({by_id, *(row.by_id for row in first)}) >= outcome.approvals
