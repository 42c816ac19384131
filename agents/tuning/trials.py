"""What a trial on past cases tells: how each ended, how it would end now, and how with what is proposed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic

from django.db import connection, transaction
from django.db.models import QuerySet

from agents.models import Goal

# So many of the newest cases are tried, for so long at most; what is left out is said.
CASES = 200
SECONDS = 5.0
# Of a goal's text so much is shown.
_TEXT = 160


@dataclass(frozen=True)
class Case:
    """A past case: the goal with its text, and its three ends in words. `number` is the failure's or plan's."""

    number: int
    goal: int
    text: str
    original: str
    now: str
    then: str
    # As things are now it would end otherwise than it did.
    drifts: bool = False

    @property
    def changes(self) -> bool:
        """Whether what is proposed makes it end otherwise than it would end now."""
        return self.now != self.then


@dataclass(frozen=True)
class Total:
    """How many cases end so, now and with what is proposed. Where chances decide, these are sums of chances."""

    words: str
    now: float
    then: float


@dataclass(frozen=True)
class Trial:
    """The result of a trial. `found`: the cases there are; `tried`: those looked at in time; `untold`: those of
    them that cannot be tried, for what they stood on is not kept; `hidden`: those that change and may not be shown.
    """

    found: int
    tried: int = 0
    untold: int = 0
    hidden: int = 0
    drifted: int = 0
    changed: int = 0
    cases: tuple[Case, ...] = ()
    totals: tuple[Total, ...] = ()
    notes: tuple[str, ...] = ()
    # The goals that were looked at, and whether anything of them would end otherwise. To be asked about one that the
    # reader knows; it is never shown.
    goals: Mapping[int, bool] = field(default_factory=dict)

    @property
    def in_time(self) -> bool:
        """Whether every case was looked at."""
        return self.tried >= self.found


@dataclass
class Tally:
    """A trial that is being made."""

    found: int
    clock: Clock
    ends: list[Case] = field(default_factory=list)
    untold: int = 0
    now: dict[str, float] = field(default_factory=dict)
    then: dict[str, float] = field(default_factory=dict)

    def add(self, case: Case | None, now: Mapping[str, float], then: Mapping[str, float]) -> None:
        """Count a case, None for one that cannot be tried, with the kinds of its ends."""
        if case is None:
            self.untold += 1
            return
        self.ends.append(case)
        for sums, shares in ((self.now, now), (self.then, then)):
            for words, share in shares.items():
                sums[words] = sums.get(words, 0.0) + share

    def done(self, readable: QuerySet[Goal], notes: tuple[str, ...] = (), besides: Total | None = None) -> Trial:
        """The trial as this person may read it: cases of other goals are counted, never shown. `besides`: a further
        total, of what are no cases.
        """
        changed = [case for case in self.ends if case.changes]
        moved = {case.goal for case in changed}
        texts = dict(readable.filter(pk__in={case.goal for case in changed}).values_list("pk", "text"))
        shown = [replace(case, text=texts[case.goal][:_TEXT]) for case in changed if case.goal in texts]
        now, then = self.now, self.then
        names = sorted({*now, *then}, key=lambda name: -max(now.get(name, 0.0), then.get(name, 0.0)))
        return Trial(
            self.found,
            tried=len(self.ends) + self.untold,
            untold=self.untold,
            hidden=len(changed) - len(shown),
            drifted=sum(case.drifts for case in self.ends),
            changed=len(changed),
            cases=tuple(shown),
            totals=(
                *(Total(name, now.get(name, 0.0), then.get(name, 0.0)) for name in names),
                *([besides] if besides else []),
            ),
            notes=notes,
            goals={case.goal: case.goal in moved for case in self.ends},
        )


class Clock:
    """The time that a trial may take."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._until = monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether it is used up."""
        return monotonic() >= self._until

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """What takes time in here does not count."""
        began = monotonic()
        try:
            yield
        finally:
            self._until += monotonic() - began


@contextmanager
def nothing_written() -> Iterator[None]:
    """A transaction in which the database itself refuses every write: a trial changes nothing."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
        yield
