"""Reads what an audit stands on: earlier goals, the components in use, and what rules would plan alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db import connection
from django.utils import timezone

from agents.bdi.planning import means_ends
from agents.bdi.plans import document as documents
from agents.bdi.plans.document import IntentSpec
from agents.bdi.recovery.strategies import way_named
from agents.beliefs import entailment_model
from agents.components import made_tools, rules
from agents.evolution.auditing import redundancies
from agents.evolution.auditing.facts import Facts, Part, Past, Tried
from agents.evolution.auditing.gaps import plain
from agents.evolution.replays import replanning
from agents.models import FailureRecord, Goal, IntentPlan, Plan, RecoveryPolicy, RecoveryStatistic
from agents.record import worked
from agents.rules.selection import KnownRule
from agents.states import GoalState
from agents.toolkit.registry import tools_in_use
from agents.toolkit.types import NoPlan
from library.components import selectors, services
from library.errors import EmbeddingUnavailable
from library.language import embeddings

LOOKED_BACK = timedelta(days=90)
MOST_GOALS = 5_000
MOST_TEXTS = 2_000
# Of two rules that apply to the same goals, so many of these are planned by each alone.
GOALS_A_PAIR = 10
MOST_PAIRS = 50
_SERVED = (Plan.Source.RULE.value, Plan.Source.UNDERSTANDING.value)
# Of each goal the newest plan that was made without a model or a person, and which rules it stands on. Rules that knew
# the goal and whose plan was not valid are those of a plan without steps.
_PLANS = """
    SELECT DISTINCT ON (plan.goal_id) plan.goal_id, coalesce(plan.problems->>0, ''),
        CASE WHEN plan.steps = '[]' THEN
            ARRAY(SELECT one->'rule'->>'name' FROM jsonb_array_elements(plan.evidence->'relevant') AS one)
        ELSE array_remove(array_prepend(plan.evidence->'rule'->>'name', ARRAY(
            SELECT node->'rule'->>'name' FROM jsonb_array_elements(coalesce(plan.evidence->'subgoals', '[]')) AS node
        )), NULL) END,
        ARRAY(SELECT one->'rule'->>'name' FROM jsonb_array_elements(coalesce(plan.evidence->'rejected', '[]')) AS one
            WHERE one->>'code' IN ('less_specific', 'not_tried'))
    FROM agents_plan AS plan
    WHERE plan.goal_id = ANY(%(goals)s) AND plan.source = ANY(%(served)s)
        AND (plan.steps <> '[]' OR jsonb_array_length(coalesce(plan.evidence->'relevant', '[]')) > 0)
    ORDER BY plan.goal_id, plan.id DESC
"""


def facts() -> Facts:
    """Everything at once; some seconds with thousands of goals, so it is for a worker."""
    now = timezone.now()
    goals = _goals(now)
    pasts = tuple(_pasts(goals))
    found = Facts(now, pasts, tuple(_parts(pasts)), _vectors(pasts), tuple(_tried()))
    return replace(found, same_steps=_same_steps(found))


def _goals(now: datetime) -> dict[int, Goal]:
    settled = [GoalState.ACHIEVED.value, GoalState.FAILED.value, GoalState.DROPPED.value, GoalState.MANUAL.value]
    rows = Goal.objects.filter(state__in=settled, created_at__gte=now - LOOKED_BACK, parent=None)
    return {goal.pk: goal for goal in rows.select_related("agent", "workspace").order_by("-pk")[:MOST_GOALS]}


def _pasts(goals: Mapping[int, Goal]) -> Iterable[Past]:
    with connection.cursor() as cursor:
        cursor.execute(_PLANS, {"goals": list(goals), "served": list(_SERVED)})
        planned = {row[0]: row[1:] for row in cursor.fetchall()}
    ran = worked.with_failures(IntentPlan.objects.filter(goal__in=goals, approved_digest__gt=""))
    newest = ran.order_by("goal_id", "-revision").distinct("goal_id")
    # What a model planned in the place of a rule's plan that failed says nothing good of the rule.
    latest = {plan.goal_id: plan for plan in (*newest, *newest.filter(plan__source__in=_SERVED))}
    failed = {row.goal_id: row for row in FailureRecord.objects.filter(goal__in=goals, position__gt=0).order_by("pk")}
    for goal in goals.values():
        problem, by_rules, rivals = planned.get(goal.pk, ("", [], []))
        past = Past(
            goal.pk, goal.text, goal.created_at, tuple(dict.fromkeys(by_rules)), tuple(rivals), goal.pk in planned
        )
        plan = latest.get(goal.pk)
        if plan is not None:
            yield _with_run(past, goal, plan, failed.get(goal.pk))
        else:
            # A rule matched it but made no valid plan, so the goal counts as failed.
            yield replace(past, worked=False, failure=problem) if problem and by_rules else past


def _with_run(past: Past, goal: Goal, plan: IntentPlan, failure: FailureRecord | None) -> Past:
    """What its plan touched, and how that ended; a goal that was dropped before anything failed says nothing."""
    plan.goal = goal
    if (has_worked := worked.of_plan(plan)) is None:
        return past
    around = frozenset({f"agent {goal.agent.name}", f"workspace {goal.workspace.name}"})
    specs = documents.read(bytes(plan.document)).intents
    marks = frozenset(mark for spec in specs for mark in _marks(spec)) | around
    if has_worked or failure is None:
        return replace(past, worked=has_worked, marks=marks, failed_marks=frozenset() if has_worked else marks)
    at = [spec for spec in specs if spec.position == failure.position] or list(specs)
    return replace(
        past,
        worked=False,
        marks=marks,
        failure=failure.reason,
        failed_marks=frozenset(mark for spec in at for mark in _marks(spec)) | around,
    )


def _marks(spec: IntentSpec) -> Iterable[str]:
    yield f"command {spec.tool}.{spec.command}"
    for name, value in spec.params.items():
        if not isinstance(value, str):
            continue
        if name == "command_line":
            words = value.split()
            yield from (f"program {word}" for word in words[:1])
            yield from (f"file {word}" for word in words[1:] if "." in word and not word.startswith("-"))
        elif "://" in value:
            if host := _host(value):
                yield f"host {host}"
        elif name in ("path", "source", "target", "file"):
            yield f"file {value}"


def _host(value: str) -> str:
    try:
        return urlsplit(value).hostname or ""
    except ValueError:
        return ""


def _parts(pasts: Sequence[Past]) -> Iterable[Part]:
    recent: dict[str, list[bool]] = defaultdict(list)
    for past in pasts:
        for name in past.rules:
            if past.worked is not None:
                recent[name].append(past.worked)
    made = (one for one in selectors.active_versions(made_tools.KIND) if made_tools.is_made(one))
    for version in (*selectors.active_versions(rules.KIND), *made):
        owner = version.created_by
        yield Part(
            kind=version.component.kind,
            name=version.component.name,
            since=version.created_at,
            uses=version.uses,
            successes=version.successes,
            failures=version.failures,
            recent=tuple(recent[version.component.name][:20]) if version.component.kind == rules.KIND else (),
            last_used=version.last_used_at,
            owner_is_gone=version.origin != services.STARTER and (owner is None or not owner.is_active),
            is_starter=version.origin == services.STARTER,
        )


def _tried() -> Iterator[Tried]:
    """Every strategy with its outcomes, but those that are banned by the policy that holds."""
    newest = {(one.failure_class, one.tool): one for one in RecoveryPolicy.objects.order_by("number")}
    for row in RecoveryStatistic.objects.filter(cases__gt=0):
        policies = (newest.get((row.failure_class, tool)) for tool in {row.tool, ""})
        if not any(policy is not None and row.strategy in policy.banned for policy in policies):
            way = way_named(row.strategy)
            words = way.words if way else row.strategy
            yield Tried(row.failure_class, row.tool, row.strategy, words, row.cases, row.successes)


def _vectors(pasts: Sequence[Past]) -> Mapping[str, Sequence[float]]:
    said = [one for one in dict.fromkeys(plain(past.text) for past in pasts) if embeddings.reads(one)][:MOST_TEXTS]
    try:
        return dict(zip(said, embeddings.embed(said), strict=True))
    except EmbeddingUnavailable:
        return {}


def _same_steps(found: Facts) -> dict[tuple[str, str], dict[int, bool]]:
    """For rules that apply to the same goals: whether each alone, without the other, makes the same steps of them."""
    known = rules.known_rules()
    names = {rule.name for rule in known}
    same: dict[tuple[str, str], dict[int, bool]] = {}
    pairs = redundancies.pairs(found)
    for pair in sorted(pairs, key=lambda pair: (-len(pairs[pair]), pair))[:MOST_PAIRS]:
        if not names.issuperset(pair):
            continue
        plans = Plan.objects.filter(goal__in=pairs[pair][:GOALS_A_PAIR], source=Plan.Source.RULE.value)
        for plan in plans.select_related("goal").order_by("pk"):
            same.setdefault(pair, {})[plan.goal_id] = _agree(pair, plan, known)
    return same


def _agree(pair: tuple[str, str], plan: Plan, known: Sequence[KnownRule]) -> bool:
    beliefs = replanning.beliefs_of(plan)
    judge_by = entailment_model.in_use()
    made: list[Any] = []
    for without in pair:
        others = [one for one in known if one.name != without]
        drafted = means_ends.plan(plan.goal.text, others, beliefs, tools_in_use(), judge_by=judge_by)
        if isinstance(drafted, NoPlan):
            return False
        made.append([(step.tool, step.command, step.values()) for step in drafted.steps])
    return bool(made[0] == made[1])
