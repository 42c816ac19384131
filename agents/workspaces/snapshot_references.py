"""Who needs which snapshot: the rows that name one, in words for people and as times for the pruning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime

from django.db.models import Max, Q

from agents.bdi.plans import document as documents
from agents.models import (
    Attempt,
    HandCommand,
    IntentPlan,
    ReplayCase,
    ShadowRun,
    StepReport,
    Workspace,
    WorkspaceChange,
)
from agents.states import GOAL_ENDED, HAND_ENDED, PLAN_ENDED
from sandbox.store.manifest import EMPTY

_GOAL_ENDED = Q(intent__intent_plan__goal__state__in=sorted(GOAL_ENDED))


def needed_now() -> set[str]:
    """Heads, the bases of open plans, and every state of a goal that has not ended, tried in a dry run or real."""
    open_goals = Attempt.objects.exclude(_GOAL_ENDED).values_list("snapshot_before", "snapshot_after")
    needed = {digest for pair in open_goals.iterator() for digest in pair}
    still = ~Q(goal__state__in=sorted(GOAL_ENDED)) | ~Q(state__in=sorted(HAND_ENDED))
    typed = HandCommand.objects.filter(still).values_list("snapshot_before", "snapshot_after")
    needed |= {digest for pair in typed.iterator() for digest in pair}
    needed |= set(Workspace.objects.values_list("head", flat=True)) | set(_bases().values())
    shadows = ShadowRun.objects.exclude(intent_plan__goal__state__in=sorted(GOAL_ENDED))
    needed |= {digest for pair in shadows.values_list("base", "after").iterator() for digest in pair}
    needed |= set(StepReport.objects.values_list("after", flat=True))
    needed |= set(ReplayCase.objects.filter(is_done=False).values_list("base", flat=True))
    return needed - {"", EMPTY}


def uses() -> dict[str, float | None]:
    """Of each snapshot that some row names: when history last came to it (seconds since the epoch), None: needed now.

    What is not in here was made and never recorded, or its rows are gone.
    """
    found: dict[str, float | None] = {}
    for field in ("snapshot_before", "snapshot_after"):
        for digest, at in Attempt.objects.values_list(field).annotate(last=Max("started")):
            _note(found, digest, at)
        for digest, at in HandCommand.objects.values_list(field).annotate(last=Max("created_at")):
            _note(found, digest, at)
    for field in ("before", "after"):
        for digest, at in WorkspaceChange.objects.values_list(field).annotate(last=Max("at")):
            _note(found, digest, at)
    ended = ShadowRun.objects.exclude(finished_at=None)
    for field in ("base", "after"):
        for digest, at in ended.values_list(field).annotate(last=Max("finished_at")):
            _note(found, digest, at)
    return found | dict.fromkeys(needed_now())


def in_words(digests: Collection[str]) -> dict[str, list[str]]:
    """For each digest the workspaces and steps that stand on it, as sentences without an end; none: an empty list."""
    words: dict[str, list[str]] = defaultdict(list)
    for name, head in Workspace.objects.filter(head__in=digests).values_list("name", "head"):
        words[head].append(f"head of workspace {name}")
    for plan, base in _bases().items():
        if base in digests:
            words[base].append(f"base of the open plan {plan.pk} of goal {plan.goal_id}, workspace {plan.workspace}")
    for before, after, what in _beside(digests):
        for side, digest in (("before", before), ("after", after)):
            if digest in digests:
                words[digest].append(f"{side} {what}")
    return {digest: words[digest] for digest in digests}


def _beside(digests: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Snapshots before and after each thing that stands on one of these, and what it is."""
    tries = Attempt.objects.filter(Q(snapshot_before__in=digests) | Q(snapshot_after__in=digests))
    for each in tries.select_related("intent__intent_plan__workspace").order_by("pk"):
        plan = each.intent.intent_plan
        where = f"goal {plan.goal_id}, workspace {plan.workspace}"
        yield each.snapshot_before, each.snapshot_after, f"step {each.intent.position} (try {each.number}) of {where}"
    changes = WorkspaceChange.objects.filter(Q(before__in=digests) | Q(after__in=digests))
    for change in changes.select_related("workspace").order_by("pk"):
        yield change.before, change.after, f"a change by hand, workspace {change.workspace}"
    typed = HandCommand.objects.filter(Q(snapshot_before__in=digests) | Q(snapshot_after__in=digests))
    for command in typed.select_related("workspace").order_by("pk"):
        where = f"goal {command.goal_id}, workspace {command.workspace}"
        yield command.snapshot_before, command.snapshot_after, f"command {command.pk} typed by hand in {where}"
    shadows = ShadowRun.objects.filter(Q(base__in=digests) | Q(after__in=digests))
    for run in shadows.select_related("intent_plan__workspace").order_by("pk"):
        plan = run.intent_plan
        yield run.base, run.after, f"a dry run of goal {plan.goal_id}, workspace {plan.workspace}"


def _bases() -> dict[IntentPlan, str]:
    plans = IntentPlan.objects.exclude(state__in=sorted(PLAN_ENDED)).select_related("workspace")
    return {plan: documents.read(bytes(plan.document)).base for plan in plans.iterator(chunk_size=200)}


def _note(found: dict[str, float | None], digest: str, at: datetime) -> None:
    if digest:
        found[digest] = max(found.get(digest) or 0.0, at.timestamp())
