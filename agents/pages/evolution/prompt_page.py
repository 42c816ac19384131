"""What the page of a prompt says of a canary: both counts, the test, and what it would notice."""

from __future__ import annotations

from dataclasses import dataclass

from agents.evolution.activation import prompt_canaries, rollouts
from agents.evolution.activation.prompt_canaries import Comparison
from agents.models import Rollout
from library.models import ComponentVersion

# The page says what would be noticed after so many answers of the canary, where one in so many fails as it is.
_AFTER, _FAILS_AS_IT_IS = 50, 0.1


@dataclass(frozen=True)
class Canary:
    """A time that a version was sent with a share of requests, and what was counted since."""

    rollout: Rollout
    comparison: Comparison

    @property
    def after(self) -> int:
        """The answers that `notices` speaks of."""
        return _AFTER

    @property
    def notices(self) -> list[tuple[int, int]]:
        """Of a canary that fails so many percent of the time: how likely it is taken back by then, in percent."""
        told, percent = (0.2, 0.3, 0.4), self.rollout.percent
        chances = [prompt_canaries.chance_to_notice(share, _FAILS_AS_IT_IS, _AFTER, percent) for share in told]
        return [(round(100 * share), round(100 * chance)) for share, chance in zip(told, chances, strict=True)]


def canary_of(version: ComponentVersion) -> Canary | None:
    """The newest time that this version was a canary; None when it never was."""
    rollout = rollouts.latest(version)
    return None if rollout is None else Canary(rollout, prompt_canaries.comparison(rollout))
