"""From the rows of a goal to the facts that the timeline and the side of its page are built from."""

from __future__ import annotations

from collections.abc import Mapping

from agents.bdi.plans.document import IntentSpec
from agents.models import Attempt, Intent, IntentPlan, Plan, Transition
from agents.presentation.endings import reason_words
from agents.presentation.timeline import Mending, Move, Revision, Step, Try
from agents.presentation.transcript import Command
from agents.record import selectors


def move_of(row: Transition) -> Move:
    revision = row.intent_plan.revision if row.intent_plan is not None else None
    return Move(row.at, row.old, row.new, row.by, row.reason, revision)


def revision_of(plan: IntentPlan, rule_addresses: Mapping[int, str]) -> Revision:
    document = selectors.read_document(plan)
    sentences = {spec.position: spec.sentence for spec in document.all_intents} if document else {}
    rule = plan.plan.evidence.get("rule") or {}
    return Revision(
        number=plan.revision,
        state=plan.state,
        source=_source(plan),
        steps=tuple(_step(intent, sentences.get(intent.position, "")) for intent in plan.intents.all()),
        created=plan.created_at,
        ended=plan.ended_at,
        rule=str(rule.get("name", "")),
        rule_address=rule_addresses.get(rule_version_of(plan.plan) or 0, ""),
        written_by=plan.plan.by.display_name if plan.plan.by else "",
        address=plan.get_absolute_url(),
        is_rest=bool(plan.plan.evidence.get("delta")),
    )


def _source(plan: IntentPlan) -> str:
    """Whose plan it is, in words: a person stands behind a design's and a workflow's, and did not write the steps."""
    evidence = plan.plan.evidence
    given = {"design": "the approved design", "workflow": "a workflow"}
    return next((words for name, words in given.items() if name in evidence), str(plan.plan.source))


def _step(intent: Intent, sentence: str) -> Step:
    return Step(
        position=intent.position,
        phase=intent.phase,
        command=intent.command,
        sentence=sentence or f"{intent.tool}.{intent.command}",
        state=intent.state,
        reason=intent.reason,
        tries=tuple(try_of(attempt) for attempt in intent.attempts.all()),
    )


def try_of(attempt: Attempt) -> Try:
    recovery = getattr(attempt, "recovery", None)
    mending = Mending(recovery.strategy, recovery.why, recovery.delay_s, recovery.succeeded) if recovery else None
    return Try(
        attempt.number,
        attempt.started,
        attempt.finished,
        attempt.outcome,
        attempt.failure_class,
        attempt.reason,
        mending,
        attempt.alternative,
        attempt.worker,
    )


def command_of(attempt: Attempt, spec: IntentSpec | None) -> Command:
    """A try as a terminal shows it. `spec` is its step as approved, None where that cannot be read any more."""
    intent = attempt.intent
    name = f"{intent.tool}.{intent.command}"
    return Command(
        position=intent.position,
        name=name,
        sentence=spec.sentence if spec else name,
        tried=try_of(attempt),
        result=attempt.result if isinstance(attempt.result, dict) else {},
        limits=spec.limits if spec else {},
        is_cleanup=intent.phase == Intent.Phase.CLEANUP,
        changed=attempt.snapshot_after not in ("", attempt.snapshot_before),
    )


def rule_version_of(plan: Plan) -> int | None:
    version = (plan.evidence.get("rule") or {}).get("component_version_id")
    return version if isinstance(version, int) else None


def sentences_used(plan: Plan) -> set[str]:
    """The beliefs that carried the conditions of the plan's rule and of those of its sub-goals."""
    table = plan.evidence.get("beliefs") or []
    nodes = [plan.evidence, *(plan.evidence.get("subgoals") or [])]
    numbers = {number for node in nodes for number in node.get("beliefs_used") or []}
    return {str(table[number].get("sentence", "")) for number in numbers if 0 <= number < len(table)}


def rejected_rules(plan: Plan) -> list[tuple[str, str]]:
    """(rule, why not) as the planner recorded it, then its problems in words."""
    looked_at = plan.evidence.get("rejected") or []
    pairs = [(str((one.get("rule") or {}).get("name", "")), str(one.get("why", ""))) for one in looked_at]
    return pairs + [("", reason_words(problem)) for problem in plan.problems if " " in problem]
