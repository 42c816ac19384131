"""The work of a search: `gepa` chooses what to improve on and what to keep, a model writes, and the cases decide.

Everything is seen on the probe half of the parent's cases only. What comes of it is one candidate, replayed on all of
them beside its parent like any other; nothing is put to use here. gepa's own way of asking models is not used: each
text is asked for as any candidate is, under firmware, on the budget, and recorded.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from django.db import transaction

from agents.components.rule_writing import RuleInvalid
from agents.components.tool_writing import ToolInvalid
from agents.components.workflow_library import WorkflowInvalid
from agents.evolution.candidates import asking, grounds, searches, writing
from agents.evolution.candidates.asking import Wanted, Writer
from agents.evolution.candidates.grounds import Ground, Tried
from agents.evolution.replays import replays
from agents.evolution.replays.answer_sides import OutOfBudget
from agents.evolution.replays.contenders import Unusable
from agents.execution.companion import Companion
from agents.execution.shadow import Stopped
from agents.models import CandidateSearch
from agents.record import draining, leased, logs
from agents.record.errors import NotPossibleNow
from agents.states import ReplayState
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User

if TYPE_CHECKING:
    from gepa.core.adapter import EvaluationBatch

logger = logging.getLogger(__name__)

# The one text of a component, as gepa names what it changes.
_TEXT = "text"
_REFUSED = (LibraryRefused, NotPossibleNow, RuleInvalid, ToolInvalid, WorkflowInvalid)


def work(search_id: int | None = None) -> None:
    """Do this search, or the oldest that waits."""
    search = None if draining.is_asked() else searches.claim(search_id)
    if search is not None:
        turn(search)


def turn(search: CandidateSearch) -> None:
    """Search from the beginning; what a worker before this one was answered is not asked for again."""
    is_ours = leased.is_ours
    with Companion(0, renew=lambda: leased.renew(search), is_cancelled=lambda: not is_ours(search)) as companion:
        try:
            if search.is_of_one_text:
                _save(search, *_written(search, companion.stop_work))
                return
            found = _search(search, companion.stop_work)
        except Stopped:
            if companion.interrupted or draining.is_asked():
                leased.give_back(search)
            return
        except _REFUSED as refused:
            searches.end(search, ReplayState.IMPOSSIBLE, logs.storable(str(refused))[:500])
            return
    _end(search, found)


@dataclass(frozen=True)
class _Best:
    text: str
    passed: int
    of: int
    before: int


def _search(search: CandidateSearch, stop_work: Event) -> _Best:
    from gepa.api import optimize

    by, parent = _still_wanted(search)
    writing.check_may_search(parent, by)
    ground = grounds.of(parent, by, since=searches.since(search), until=search.created_at)
    writer = replace(asking.writer(), since=search.created_at, is_wanted=lambda: not stop_work.is_set())
    trials = _Trials(search, writer, Wanted(parent, search.why, search.strategy), stop_work, ground)
    found = list(ground.cases)
    # Its protocols name its own types for what is ours; what they ask for is there.
    given: Any = trials
    result: Any = optimize(
        {_TEXT: parent.body},
        found,
        adapter=given,
        stop_callbacks=given.is_over,
        callbacks=[given],
        reflection_minibatch_size=min(searches.GROUP, len(found)),
        cache_evaluation=True,
        logger=_Quiet(),
        track_best_outputs=False,
        seed=search.pk,
        raise_on_exception=False,
    )
    if stop_work.is_set():
        raise Stopped
    if trials.spent:
        raise NotPossibleNow(trials.spent)
    scores = [round(score * len(found)) for score in result.val_aggregate_scores]
    best = max(range(len(scores)), key=lambda at: (scores[at], -at))
    return _Best(result.candidates[best][_TEXT], scores[best], len(found), scores[0])


def _written(search: CandidateSearch, stop_work: Event) -> tuple[str, str, str]:
    """The text that a model writes, what is said of it with the version, and what with the search."""
    # What a worker before this one was answered is there, and counted.
    asked = search.asked

    def count() -> None:
        nonlocal asked
        asked += 1
        if stop_work.is_set() or not searches.note(search, asked=asked, tried=[]):
            raise Stopped

    writer = replace(asking.writer(), since=search.created_at, is_wanted=lambda: not stop_work.is_set(), on_asked=count)
    try:
        text, model = _text(search, writer)
    except NotPossibleNow:
        if stop_work.is_set():
            raise Stopped from None
        raise
    how = "" if search.is_of_new else f", {search.strategy.replace('_', ' ')}"
    return text, f"written by {model}{how}: {search.why}", f"Written by {model}."


def _text(search: CandidateSearch, writer: Writer) -> tuple[str, str]:
    """What a model writes in one go, and which. Raises NotPossibleNow, LibraryRefused."""
    if search.is_of_new:
        writing.check_may_write(_who_asked(search))
        return writing.new_text(writer, search.new_kind, search.why, search.snippet)
    by, parent = _still_wanted(search)
    shown = writing.shown_to(by, parent)
    return writing.better(writer, Wanted(parent, search.why, search.strategy), parent.body, shown)


def _who_asked(search: CandidateSearch) -> User:
    if search.by is None:
        raise NotPossibleNow("The account that asked for it no longer exists.")
    return search.by


def _still_wanted(search: CandidateSearch) -> tuple[User, ComponentVersion]:
    """Who asked for it, and the version to improve on. Raises NotPossibleNow, LibraryRefused where that has changed."""
    by = _who_asked(search)
    if search.parent is None:
        raise NotPossibleNow("There is no version to improve on.")
    parent = writing.improvable(search.parent.component, by=by)
    if parent.pk != search.parent_id:
        raise NotPossibleNow("Another version has been put to use since.")
    return by, parent


def _end(search: CandidateSearch, best: _Best) -> None:
    what = "calls" if search.parent is not None and replays.asks_models(search.parent) else "goals"
    said = f"{best.passed} of {best.of} {what} of the probe half pass"
    if best.passed <= best.before:
        searches.end(search, ReplayState.DONE, f"No version did better than the one in use: {said} with it.")
        return
    changes = f"found by a search over versions that a model wrote, {said}, {best.before} before: {search.why}"
    _save(search, best.text, changes, f"{said}, {best.before} of them before.")


def _save(search: CandidateSearch, text: str, changes: str, said: str) -> None:
    """Store a text as the candidate that comes of a search, and end the search."""
    if search.by is None:
        return
    try:
        # The race it closes: the search is stopped, or taken over, while this saves. Then there is no candidate either.
        with transaction.atomic():
            version = _stored(search, text, by=search.by, changes=changes[:1_000])
            if not searches.end(search, ReplayState.DONE, said, version):
                raise Stopped
    except Stopped:
        return
    except _REFUSED as refused:
        searches.end(search, ReplayState.IMPOSSIBLE, logs.storable(str(refused))[:500])


def _stored(search: CandidateSearch, text: str, *, by: User, changes: str) -> ComponentVersion:
    if search.parent is None:
        return writing.save_new(search.new_kind, text, by=by, changes=changes)
    return writing.save(text, Wanted(search.parent, search.why, search.strategy), by=by, changes=changes)


class _Quiet:
    def log(self, message: str) -> None:
        logger.debug("gepa: %s", message[:500])


@dataclass
class _Trials:
    """What gepa asks for: how a text does on some cases, what is to be learned from that, and a better text."""

    search: CandidateSearch
    writer: Writer
    wanted: Wanted
    stop_work: Event
    ground: Ground
    asked: int = 0
    tried: list[dict[str, Any]] = field(default_factory=list)
    runs: int = 0
    proposed: int = 0
    spent: str = ""
    _is_counted: bool = False

    def __post_init__(self) -> None:
        # A worker that died has asked for some already.
        self.asked = self.search.asked

    def is_over(self, state: Any) -> bool:
        """Whether enough texts were asked for, none can do better, or this worker shall stop.

        Where all of a group pass already gepa asks for no text, so the rounds are bounded, too.
        """
        is_enough = self.proposed >= self.search.most_texts or state.i >= 3 * self.search.most_texts
        return (
            is_enough
            or bool(self.spent)
            or self.stop_work.is_set()
            or any(one["passed"] == one["of"] for one in self.tried)
        )

    def evaluate(
        self, batch: list[Any], candidate: Mapping[str, str], capture_traces: bool = False
    ) -> EvaluationBatch[Any, str]:
        """One for each case that passes, nothing for one that fails or that a copy cannot prove."""
        from gepa.core.adapter import EvaluationBatch

        found = self._tried(batch, candidate[_TEXT])
        scores = [1.0 if one.passes else 0.0 for one in found]
        traces = [one.case for one in found] if capture_traces else None
        return EvaluationBatch(outputs=[""] * len(found), scores=scores, trajectories=traces)

    def make_reflective_dataset(
        self, candidate: Mapping[str, str], eval_batch: EvaluationBatch[Any, str], components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The cases with what went wrong in each."""
        return {_TEXT: [asdict(one) for one in eval_batch.trajectories or []]}

    def propose_new_texts(
        self,
        candidate: Mapping[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """A text that a model writes in the light of these cases; the same one where no answer could be taken."""
        if self.stop_work.is_set():
            raise Stopped
        self.proposed += 1
        self._is_counted = False
        shown = [self.ground.case_type(**one) for one in reflective_dataset[_TEXT]]
        writer = replace(self.writer, on_asked=self._count)
        try:
            text, _ = writing.better(writer, self.wanted, candidate[_TEXT], shown)
        except NotPossibleNow as refused:
            logger.info("A search got no text: %s", refused, extra={"candidate_search": self.search.pk})
            return dict(candidate)
        return {_TEXT: text}

    def _count(self) -> None:
        """A text counts with the first request that is sent for it: what another worker was answered is there."""
        if self._is_counted:
            return
        if self.asked >= self.search.most_texts:
            raise NotPossibleNow("As many texts as may be were asked for.")
        self._is_counted = True
        self.asked += 1
        searches.note(self.search, asked=self.asked, tried=self.tried)

    def _tried(self, batch: Sequence[Any], text: str) -> list[Tried]:
        try:
            try_one = self.ground.with_text(text)
        except Unusable as wrong:
            return [self.ground.unusable(one, str(wrong)) for one in batch]
        found = []
        for one in batch:
            self.runs += 1
            name = f"search-{self.search.pk}-{self.search.lease_fence}-{self.runs}"
            try:
                found.append(try_one(one, name, self.stop_work))
            except OutOfBudget as spent:
                # gepa goes on after an error.
                self.spent = str(spent)
                raise
        return found

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        """Keep what a text came to that was tried on all cases (gepa's callback)."""
        scores = event["scores_by_val_id"].values()
        self.tried.append({"text": event["candidate"][_TEXT], "passed": int(sum(scores)), "of": len(scores)})
        searches.note(self.search, asked=self.asked, tried=self.tried)
