"""What recoveries came to, worked out of the failures themselves, and what operators set about the next ones.

A case is written when the recovered step has ended, never when a strategy was set up. Statistics are made again from
their failures whenever one of these changes, so a corrected class or a reset cannot leave them wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery

from agents.actors.tuning_rights import check_operator
from agents.bdi.outcome.outcome import MISSED
from agents.bdi.recovery import recovery_settings
from agents.bdi.recovery.failures import FailureClass
from agents.bdi.recovery.recovery import Policy
from agents.bdi.recovery.recovery_learning import Cell, moving_average
from agents.bdi.recovery.recovery_settings import RecoverySettings
from agents.bdi.recovery.strategies import Strategy, way_named
from agents.insights.insight_sums import SAME_WAY_AGAIN
from agents.models import FailureRecord, RecoveryPolicy, RecoveryReset, RecoverySetting, RecoveryStatistic
from agents.record.errors import NotPossibleNow
from people import journal
from people.journal import Event
from people.models import User

# So many of the newest outcomes of a cell are kept at hand; older ones hardly count any more.
REMEMBERED = 400
# A sweep settles so many at most.
MOST_SETTLED = 500
_USUAL: dict[str, float] = {}

CellKey = tuple[str, str, str]

# The end of each recovered step that is known by now. In its own plan it is the step itself; where it went on in
# another revision it is the steps that stand in its place there. While a goal waits for a person after a failure, what
# was tried before that did not help, whatever the person makes of it.
_ENDS = """
SELECT failure.id,
       CASE
         WHEN failure.overtaken_by <> '' AND goal.state = 'manual' AND EXISTS (
           SELECT FROM agents_handitem hand
           WHERE hand.goal_id = goal.id AND hand.answered_at IS NULL AND hand.intent_plan_id IS NOT NULL) THEN false
         WHEN failure.carried_by_id IS NOT NULL THEN
           CASE
             WHEN carrying.state NOT IN ('complete', 'failed', 'superseded', 'rejected', 'expired', 'cancelled')
               THEN NULL
             ELSE NOT EXISTS (
               SELECT FROM agents_intent step
               WHERE step.intent_plan_id = carrying.id AND step.position BETWEEN failure.carried_first
                 AND failure.carried_last AND step.phase = 'main'
                 AND step.state <> 'succeeded'
                 AND NOT (step.state = 'skipped' AND carrying.state = 'complete'))
           END
         WHEN intent.id IS NOT NULL AND plan.state IN ('approved', 'executing') AND plan.aborting = ''
              AND intent.state <> 'succeeded' THEN NULL
         WHEN intent.id IS NOT NULL AND plan.state = 'superseded' AND failure.overtaken_by = ''
              AND goal.state NOT IN ('achieved', 'failed', 'dropped') THEN NULL
         WHEN intent.id IS NOT NULL AND plan.state = 'superseded' AND failure.overtaken_by = ''
              THEN goal.state = 'achieved' AND goal.outcome <> ALL (%(missed)s)
         WHEN intent.id IS NOT NULL THEN intent.state = 'succeeded'
         WHEN goal.state IN ('achieved', 'failed', 'dropped')
              THEN goal.state = 'achieved' AND goal.outcome <> ALL (%(missed)s)
       END AS succeeded
FROM agents_failurerecord failure
JOIN agents_goal goal ON goal.id = failure.goal_id
LEFT JOIN agents_attempt attempt ON attempt.id = failure.attempt_id
LEFT JOIN agents_intent intent ON intent.id = attempt.intent_id
LEFT JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id
LEFT JOIN agents_intentplan carrying ON carrying.id = failure.carried_by_id
WHERE failure.settled_at IS NULL
ORDER BY failure.id
LIMIT %(most)s
FOR UPDATE OF failure SKIP LOCKED
"""


def settle() -> int:
    """Write the outcome of every recovery whose step has ended since; returns how many."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_ENDS, {"most": MOST_SETTLED, "missed": sorted(MISSED)})
            ended: dict[bool, list[int]] = {True: [], False: []}
            for pk, succeeded in cursor.fetchall():
                if succeeded is not None:
                    ended[succeeded].append(pk)
            for succeeded, ids in ended.items():
                if ids:
                    cursor.execute(_WRITE, {"ids": ids, "succeeded": succeeded})
        ids = ended[True] + ended[False]
        if ids:
            rows = FailureRecord.objects.filter(pk__in=ids)
            rebuild({(row.failure_class, row.tool, row.cell_strategy) for row in rows})
    return len(ids)


# With the failure, the row that the executor keeps of the recovery: where a step went on elsewhere it did not see the
# end.
_WRITE = """
WITH settled AS (
    UPDATE agents_failurerecord SET succeeded = %(succeeded)s, settled_at = clock_timestamp()
    WHERE id = ANY(%(ids)s) RETURNING attempt_id
)
UPDATE agents_recoveryattempt recovery SET succeeded = %(succeeded)s
FROM settled WHERE recovery.attempt_id = settled.attempt_id AND recovery.succeeded IS NULL
"""


def rebuild(cells: Collection[CellKey]) -> None:
    """Work the statistics of these cells out again, from the failures that count."""
    if not cells:
        return
    settings = current_settings()
    resets = list(resets_in_force().order_by("-pk"))
    for failure_class, tool, strategy in sorted(cells):
        name, _, variant = strategy.partition(":")
        found = FailureRecord.objects.filter(
            failure_class=failure_class, tool=tool, strategy=name, variant=variant, settled_at__isnull=False
        ).exclude(overtaken_by=strategy)
        if begins := _begins(resets, failure_class, tool, strategy):
            found = found.filter(pk__gt=begins)
        cases = list(found.order_by("pk").values_list("pk", "succeeded", "overtaken_by"))
        outcomes = [bool(succeeded) and not overtaken for _, succeeded, overtaken in cases]
        RecoveryStatistic.objects.update_or_create(
            failure_class=failure_class,
            tool=tool,
            strategy=strategy,
            defaults={
                "cases": len(outcomes),
                "successes": sum(outcomes),
                "average": moving_average(outcomes, settings.learning_rate),
                "recent": "".join("1" if one else "0" for one in outcomes[-REMEMBERED:]),
                "ids": [pk for pk, _, _ in cases[-REMEMBERED:]],
            },
        )


def resets_in_force() -> QuerySet[RecoveryReset]:
    """The resets that nobody took back."""
    taken_back = RecoveryReset.objects.filter(takes_back=OuterRef("pk"))
    return RecoveryReset.objects.filter(~Exists(taken_back), takes_back=None)


def _begins(resets: Iterable[RecoveryReset], failure_class: str, tool: str, strategy: str) -> int:
    """The newest failure that a reset took out of this cell; 0: none."""
    of_cell = (
        reset.up_to
        for reset in resets
        if reset.failure_class in ("", failure_class) and reset.tool in ("", tool) and reset.strategy in ("", strategy)
    )
    return max(of_cell, default=0)


def that_count(found: QuerySet[FailureRecord]) -> QuerySet[FailureRecord]:
    """Those of these failures that the statistics are worked out from, as `rebuild` takes them for one cell: the
    recovered step has ended, the same way was not chosen again at once, and no reset took them out.
    """
    found = found.filter(settled_at__isnull=False).exclude(SAME_WAY_AGAIN)
    for reset in resets_in_force():
        taken_out = Q(pk__lte=reset.up_to)
        if reset.failure_class:
            taken_out &= Q(failure_class=reset.failure_class)
        if reset.tool:
            taken_out &= Q(tool=reset.tool)
        if reset.strategy:
            name, _, variant = reset.strategy.partition(":")
            taken_out &= Q(strategy=name, variant=variant)
        found = found.exclude(taken_out)
    return found


@dataclass(frozen=True)
class Known:
    """What is known of a class and tool: its outcomes in order, and how many they are."""

    cell: Cell
    outcomes: int


def known_of(failure_class: FailureClass, tool: str, settings: RecoverySettings) -> Known:
    """What all agents together have learned about this class with this tool."""
    rows = RecoveryStatistic.objects.filter(failure_class=failure_class.value, tool=tool)
    return of_statistics(rows, settings)


def of_statistics(rows: Iterable[RecoveryStatistic], settings: RecoverySettings) -> Known:
    """The cell of these statistics, its outcomes put in the order in which they were decided."""
    cell = Cell(settings.memory)
    seen = sorted((pk, row.strategy, mark == "1") for row in rows for pk, mark in zip(row.ids, row.recent, strict=True))
    for _, strategy, succeeded in seen:
        cell.learn(strategy, succeeded)
    return Known(cell, len(seen))


def current_settings() -> RecoverySettings:
    """The settings as they are saved now."""
    newest = RecoverySetting.objects.filter(name=OuterRef("name")).order_by("-pk").values("pk")[:1]
    rows = RecoverySetting.objects.filter(pk=Subquery(newest)).values_list("name", "value")
    return recovery_settings.with_rows({**_USUAL, **dict(rows)})


def save_setting(name: str, value: float, *, by: User, note: str = "") -> RecoverySetting:
    """Keep a value; it counts from the next decision on. Raises NotYours, and ValueError in words."""
    check_operator(by)
    if problem := recovery_settings.problem_with(name, value):
        raise ValueError(problem)
    with transaction.atomic():
        before = getattr(current_settings(), name)
        row = RecoverySetting.objects.create(name=name, value=value, note=note.strip()[:300], by=by)
        changed = {"before": {name: before}, "after": {name: value}, "why": row.note}
        journal.record(Event.RECOVERY, by=by, subject=f"recovery_setting:{name}", data=changed)
    return row


def policy_of(failure_class: FailureClass, tool: str) -> Policy:
    """What operators pinned and banned: the newest version for the tool; without one, that for every tool."""
    rows = RecoveryPolicy.objects.filter(failure_class=failure_class.value, tool__in={tool, ""}).order_by("-pk")
    newest: dict[str, RecoveryPolicy] = {}
    for row in rows[:50]:
        newest.setdefault(row.tool, row)
    row_of = newest.get(tool) or newest.get("")
    if row_of is None:
        return Policy()
    banned = frozenset(way for name in row_of.banned if (way := way_named(name)) is not None)
    return Policy(way_named(row_of.pinned), banned)


def has_policy(failure_class: FailureClass, tool: str) -> bool:
    """Whether anything was ever saved for this very tool; it then counts rather than what holds for every tool."""
    return RecoveryPolicy.objects.filter(failure_class=failure_class.value, tool=tool).exists()


def save_policy(
    failure_class: FailureClass, tool: str, *, pinned: str, banned: Sequence[str], by: User, note: str = ""
) -> RecoveryPolicy:
    """Keep what is pinned and banned as the next version. Raises NotYours, and ValueError in words."""
    check_operator(by)
    unknown = [name for name in ([pinned] if pinned else []) + list(banned) if way_named(name) is None]
    if unknown:
        raise ValueError(f"There is no strategy {unknown[0]}.")
    if pinned and pinned in banned:
        raise ValueError("A pinned strategy cannot be banned, too.")
    if Strategy.GRACEFUL_ABORT.value in banned:
        raise ValueError("Giving up cannot be banned: something must be possible when nothing else is.")
    with transaction.atomic():
        earlier = RecoveryPolicy.objects.filter(failure_class=failure_class.value, tool=tool)
        number = (earlier.aggregate(last=Max("number"))["last"] or 0) + 1
        row = RecoveryPolicy.objects.create(
            failure_class=failure_class.value,
            tool=tool,
            number=number,
            pinned=pinned,
            banned=sorted(set(banned)),
            note=note.strip()[:300],
            by=by,
        )
        after = {"version": number, "pinned": pinned, "banned": row.banned}
        subject = f"recovery_policy:{failure_class.value} {tool or 'every tool'}"
        journal.record(Event.RECOVERY, by=by, subject=subject, data={"after": after, "why": row.note})
    return row


def reset(*, by: User, failure_class: str = "", tool: str = "", strategy: str = "", why: str = "") -> RecoveryReset:
    """Have the statistics of these cells begin anew; what was is kept and can still be read. Raises NotYours."""
    check_operator(by)
    with transaction.atomic():
        last = FailureRecord.objects.aggregate(last=Max("pk"))["last"] or 0
        row = RecoveryReset.objects.create(
            failure_class=failure_class, tool=tool, strategy=strategy, up_to=last, why=why.strip()[:300], by=by
        )
        rebuild(_cells_of(row))
        journal.record(Event.RECOVERY, by=by, subject=_subject(row), data={"after": {"begins": "anew"}, "why": row.why})
    return row


def take_back(reset: RecoveryReset, *, by: User, why: str = "") -> RecoveryReset:
    """Have the cases before a reset count again. Raises NotYours and NotPossibleNow.

    Two people who do it at once write two rows that say the same.
    """
    check_operator(by)
    with transaction.atomic():
        if not resets_in_force().filter(pk=reset.pk).exists():
            raise NotPossibleNow("This was already undone.")
        row = RecoveryReset.objects.create(
            failure_class=reset.failure_class,
            tool=reset.tool,
            strategy=reset.strategy,
            up_to=reset.up_to,
            takes_back=reset.pk,
            why=why.strip()[:300],
            by=by,
        )
        rebuild(_cells_of(reset))
        changed = {"after": {"reset": reset.pk, "is": "taken back"}, "why": row.why}
        journal.record(Event.RECOVERY, by=by, subject=_subject(reset), data=changed)
    return row


def _cells_of(reset: RecoveryReset) -> set[CellKey]:
    named = {name: value for name in ("failure_class", "tool", "strategy") if (value := getattr(reset, name))}
    found = RecoveryStatistic.objects.filter(**named)
    return set(found.values_list("failure_class", "tool", "strategy"))


def _subject(reset: RecoveryReset) -> str:
    what = " × ".join(part or "every" for part in (reset.failure_class, reset.tool, reset.strategy))
    return f"recovery_statistics:{what}"
