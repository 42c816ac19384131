"""What the page of a component says of its newest search for a better version, and what a new one may cost."""

from __future__ import annotations

from dataclasses import dataclass

from agents.evolution.candidates import asking, searches
from agents.evolution.candidates.asking import Budget
from agents.evolution.candidates.searches import Cost
from agents.models import CandidateSearch
from agents.pages.library.component_page import page_of
from agents.states import ReplayState
from library.models import Component
from people.models import User

# How many texts may be chosen, and what stands there at first.
CHOICES = (5, 10, 20)


@dataclass(frozen=True)
class Tried:
    """A text as the chart shows it: how many cases pass with it, of how many; `is_best` of the first of the best."""

    number: int
    passed: int
    of: int
    is_best: bool


@dataclass(frozen=True)
class _OfSearch:
    search: CandidateSearch | None

    @property
    def is_under_way(self) -> bool:
        """Whether it waits or runs."""
        return self.search is not None and self.search.state in (ReplayState.WAITING, ReplayState.RUNNING)

    @property
    def has_failed(self) -> bool:
        """Whether it ended early, without a candidate."""
        return self.search is not None and self.search.state == ReplayState.IMPOSSIBLE


@dataclass(frozen=True)
class SearchPage(_OfSearch):
    """The newest search, and what each choice of a new one may cost; `why_not`: none can be begun."""

    costs: tuple[Cost, ...]
    why_not: str

    @property
    def tried(self) -> list[Tried]:
        """The texts that were tried on all cases, the version in use first."""
        rows = self.search.tried if self.search is not None else []
        best = max((row["passed"] for row in rows), default=0)
        first = next((at for at, row in enumerate(rows) if row["passed"] == best), -1)
        return [Tried(at, row["passed"], row["of"], at == first) for at, row in enumerate(rows)]


@dataclass(frozen=True)
class WriterPage(_OfSearch):
    """The newest candidate that a model was asked for, and what asking for one may take."""

    budget: Budget

    @property
    def candidate_page(self) -> str:
        """Where the candidate is shown and decided on; "" while there is none."""
        version = self.search.version if self.search is not None else None
        return f"{page_of(version.component)}?version={version.pk}" if version is not None else ""


def writer_of(component: Component) -> WriterPage:
    """What the page says of the candidate that a model writes."""
    return WriterPage(searches.latest(component, of_one_text=True), asking.budget())


def wish_of(by: User, kind: str, search_id: int | None) -> WriterPage | None:
    """What the page says of a new tool or workflow that a model writes for this person; None: there is no such wish."""
    search = searches.wish_of(by, kind, search_id)
    return WriterPage(search, asking.budget()) if search is not None else None


def of(component: Component, by: User) -> SearchPage:
    """For this reader. What another one may cost is not worked out while one is under way: that reads every case."""
    search = searches.latest(component)
    under_way = SearchPage(search, (), "")
    if under_way.is_under_way:
        return under_way
    costs = searches.costs(component, CHOICES, by=by)
    return SearchPage(search, costs, costs[0].why_not)
