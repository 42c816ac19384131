"""Which cases of the mind a reader asks for, and the lists of them behind each number of the insights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import TypeVar
from urllib.parse import quote_plus

from django.db.models import Q, QuerySet

from agents.bdi.learning.corrections import ORIGINS, Came
from agents.bdi.planning.latency import TOTAL
from agents.insights import insight_sums
from agents.insights.insight_sums import BY_PERSON, FIRST, HELPED, NONE, NOT_HELPED, OPEN, REPAIRED
from agents.models import Correction, FailureRecord, Plan, Planning
from mindx_web.insights import asked_days

PAGE = 50
Case = TypeVar("Case", Correction, Planning, FailureRecord)
ORIGIN_WORDS = {
    "mapping": "mapping: corrected names and paths",
    "default": "default: an operator's rule",
    "experience": "experience: earlier runs",
    "model": "model: found in the goal's words",
}
STAGE_WORDS = {
    "waited": "waiting to start",
    "perceive": "perceiving",
    "rules": "looking for a rule",
    "understand": "understanding and correcting",
    "model": "asking a model",
    "validate": "validating",
    TOTAL: "from input to a validated plan",
}
SOURCE_WORDS = {
    Plan.Source.RULE.value: "rules",
    Plan.Source.UNDERSTANDING.value: "understanding",
    Plan.Source.MODEL.value: "a model",
}
CORRECTION_CAME = {
    "": "any result",
    "judged": "judged",
    Came.SUCCEEDED.value: "approved and worked",
    Came.EDITED.value: "changed by a person",
    Came.REFUSED.value: "rejected by a person",
    Came.FAILED.value: "the step failed",
    Came.UNUSED.value: "never used, so not counted",
}
PLANNING_CAME = {
    "": "any result",
    "valid": "a valid plan",
    FIRST: "a valid plan at the first attempt",
    REPAIRED: "a valid plan after repairs",
    NONE: "no plan",
}
RECOVERY_CAME = {
    "": "any result",
    "ended": "ended",
    HELPED: "the recovered step succeeded",
    NOT_HELPED: "it did not help",
    OPEN: "not ended",
    BY_PERSON: "left to a person to plan: no recovery",
}
_SPELT = {"first": "from", "last": "to"}
_NAMES = ("agent", "tool", "origin", "source", "stage", "failure_class", "strategy", "came")


@dataclass(frozen=True)
class Asking:
    """What the reader asked for: days (UTC), an agent, a tool, and for lists which cases of these.

    What cannot be read is left out, and `trouble` says so.
    """

    first: date
    last: date
    agent: str = ""
    tool: str = ""
    origin: str = ""
    source: str = ""
    stage: str = ""
    failure_class: str = ""
    strategy: str = ""
    came: str = ""
    trouble: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Asking:
        """From an address."""
        first, last, trouble = asked_days.read(query)
        named = {name: asked_days.text(query, name) for name in _NAMES}
        known: dict[str, Iterable[str]] = {"origin": ORIGINS, "source": SOURCE_WORDS, "stage": STAGE_WORDS}
        for name, values in known.items():
            named[name] = named[name] if named[name] in values else ""
        if not (named["agent"].isascii() and named["agent"].isdigit() and len(named["agent"]) < 19):
            named["agent"] = ""
        return cls(first, last, **named, trouble=trouble)

    @property
    def asked(self) -> insight_sums.Asked:
        """The same for those who count."""
        return insight_sums.Asked(self.first, self.last, int(self.agent or 0), self.tool)

    def query(self, **changes: str | date) -> str:
        """The end of an address that asks for this, with some of it changed."""
        named = self._named | {_SPELT.get(name, name): value for name, value in changes.items()}
        return "&".join([f"{name}={_quoted(value)}" for name, value in named.items() if value])

    @cached_property
    def _named(self) -> dict[str, str | date]:
        """What the address says, by the words that it uses."""
        return {"from": self.first, "to": self.last} | {name: getattr(self, name) for name in _NAMES}

    @property
    def chosen(self) -> dict[str, str]:
        """What narrows a list down beside days, agent, tool and outcome."""
        names = ("origin", "source", "stage", "failure_class", "strategy")
        return {name: value for name in names if (value := getattr(self, name))}

    @property
    def back(self) -> str:
        """The end of the address of the page that led to a list."""
        return Asking(self.first, self.last, self.agent).query()


@lru_cache(maxsize=1024)
def _quoted(value: str | date) -> str:
    """A value as an address has it; a page leads to hundreds of addresses with the same few."""
    return quote_plus(str(value))


def corrections(asking: Asking, after: str) -> tuple[list[Correction], str]:
    """One page of corrections, newest first, and what to ask after for the next one ("" at the end)."""
    came = asking.came if asking.came in CORRECTION_CAME else ""
    return _page(asking.asked.corrections(origin=asking.origin, came=came), after)


def plannings(asking: Asking, after: str) -> tuple[list[Planning], str]:
    """One page of plannings."""
    came = asking.came if asking.came in PLANNING_CAME else ""
    rows = asking.asked.plannings(source=asking.source, came=came, stage=asking.stage)
    return _page(rows.select_related("plan").defer("plan__steps", "plan__evidence"), after)


def recoveries(asking: Asking, after: str) -> tuple[list[FailureRecord], str]:
    """One page of failures with what was done about them."""
    came = asking.came if asking.came in RECOVERY_CAME else ""
    rows = asking.asked.failures(failure_class=asking.failure_class, strategy=asking.strategy, came=came)
    return _page(rows, after)


def _page(rows: QuerySet[Case], after: str) -> tuple[list[Case], str]:
    if (cursor := asked_days.cursor(after)) is not None:
        at, pk = cursor
        rows = rows.filter(Q(at__lt=at) | Q(pk__lt=pk), at__lte=at)
    found = list(rows[: PAGE + 1])
    last = found[PAGE - 1] if len(found) > PAGE else None
    return found[:PAGE], asked_days.after(last.at, last.pk) if last is not None else ""
