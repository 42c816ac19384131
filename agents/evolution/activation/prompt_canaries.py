"""A canary of a prompt: a share of requests is sent with the new text, and chance draws which.

Requests differ by nothing but chance, so the shares of answers that their asker could use can be compared: Fisher's
test, one-sided, for each stretch between two looks (`sequential`). The canary is taken back when it fails at least five
times and so much more often than the version in use that chance explains it. However long it is looked at, one that is
as good is taken back in 5 of 100 cases at most.

Firmware has no canary on purpose: what it forbids is forbidden in all requests or in none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from django.db import transaction

from agents.actors import prompt_versions
from agents.evolution.activation import rollouts
from agents.evolution.auditing.statistics import more_often
from agents.evolution.replays.gate import SIGNIFICANT
from agents.evolution.sequential import Spending, Stretch, boundary, chance_to_cross, fails_more_often
from agents.models import Rollout
from agents.states import RolloutState
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from library.prompts.in_use import KIND
from people import sealing
from people.models import User

# As few as the gate takes for no chance.
FAILURES_LEAST = 5
_SPENDING = Spending(SIGNIFICANT, FAILURES_LEAST)
_Status = ComponentVersion.Status


@dataclass(frozen=True)
class Answers:
    """How many answers a version has had since a moment, and how many of them could be used."""

    uses: int
    good: int

    @property
    def failed(self) -> int:
        """Those that could not be used."""
        return self.uses - self.good


@dataclass(frozen=True)
class Comparison:
    """The canary beside the version in use, since it began. `p`: how likely it fails so much more often by chance, if
    one looks once. `stretches`: what was counted between two looks.
    """

    canary: Answers
    active: Answers
    stretches: tuple[Stretch, ...] = ()

    @property
    def p(self) -> float:
        """Fisher's test, 0 to 1."""
        return more_often(self.canary.failed, self.canary.uses, self.active.failed, self.active.uses)

    @property
    def is_harmful(self) -> bool:
        """Whether it is to be taken back."""
        return fails_more_often(_SPENDING, self.stretches)


def begin(version: ComponentVersion, *, by: User, percent: int, reason: str = "") -> ComponentVersion:
    """Have a candidate be sent with so many percent of requests, 1 to 50. Operators may. Raises LibraryRefused."""
    prompt_versions.check_may_use(version, by)
    if version.status != _Status.CANDIDATE:
        raise LibraryRefused(f"Version {version.version} is {version.status}. Only a candidate can become a canary.")
    with transaction.atomic():
        begun = library.begin_canary(version, by, percent, "% of requests", reason)
        previous = version.component.versions.get(status=_Status.ACTIVE)
        rollout = rollouts.begin(begun, previous, by=by, percent=percent)
        rollout.counted_from = {"version": _counts(begun), "previous": _counts(previous)}
        rollout.save(update_fields=["counted_from"])
    return begun


def comparison(rollout: Rollout) -> Comparison:
    """What has been counted since it began."""
    now, since = _now(rollout), rollout.counted_from
    stretches = tuple(Stretch(*one) for one in since.get("stretches", ()))
    return Comparison(_since(now["version"], since["version"]), _since(now["previous"], since["previous"]), stretches)


def sweep() -> None:
    """Take back what proves worse; end the watch over what is no canary any more."""
    watched = Rollout.objects.filter(state=RolloutState.WATCHED.value, version__component__kind=KIND)
    for rollout in sealing.genuine(watched.select_related("version__component", "previous__component")):
        if rollout.version.status != _Status.CANARY:
            rollouts.end(rollout, RolloutState.ENDED, f"version {rollout.version.version} is {rollout.version.status}")
            continue
        _look(rollout)
        if (found := comparison(rollout)).is_harmful:
            _take_back(rollout, found)


def _look(rollout: Rollout) -> None:
    """Close the stretch since the last look if an answer failed in it."""
    now, kept = _now(rollout), rollout.counted_from
    seen = kept.get("seen", kept)
    new, other = _since(now["version"], seen["version"]), _since(now["previous"], seen["previous"])
    if not new.failed + other.failed:
        return
    stretch = [new.uses, other.uses, new.failed + other.failed, new.failed]
    looked = {**kept, "stretches": [*kept.get("stretches", ()), stretch], "seen": now}
    # The race it closes: two sweeps that count the same answers.
    ours = Rollout.objects.filter(pk=rollout.pk, state=RolloutState.WATCHED.value, counted_from=kept)
    if ours.update(counted_from=looked):
        rollout.counted_from = looked


def _take_back(rollout: Rollout, found: Comparison) -> None:
    why = (
        f"taken back automatically: {found.canary.failed} of {found.canary.uses} answers could not be used, and"
        f" {found.active.failed} of {found.active.uses} with {rollout.previous.version} (chance {found.p:.1%})"
    )
    figures = {
        "failed": found.canary.failed,
        "answers": found.canary.uses,
        "failed_before": found.active.failed,
        "answers_before": found.active.uses,
    }
    rollouts.take_back(rollout, why, figures)


def _now(rollout: Rollout) -> dict[str, list[int]]:
    """Uses and successes of both versions, read together."""
    rows = ComponentVersion.objects.filter(pk__in=(rollout.version_id, rollout.previous_id))
    found = {row.pk: _counts(row) for row in rows.only("uses", "successes")}
    return {"version": found[rollout.version_id], "previous": found[rollout.previous_id]}


def _counts(version: ComponentVersion) -> list[int]:
    return [version.uses, version.successes]


def _since(now: list[int], then: list[int]) -> Answers:
    return Answers(now[0] - then[0], now[1] - then[1])


@lru_cache(maxsize=32)
def chance_to_notice(fails: float, fails_before: float, answers: int, percent: int) -> float:
    """The power: how likely a canary with this share of requests is taken back by the time that it has had so many
    answers, which fail with this chance, where those of the version in use fail with that one; 0 to 1.
    """
    share = percent / 100
    edge = boundary(_SPENDING, share)
    return chance_to_cross(edge, share * fails, (1 - share) * fails_before, round(answers / share))
