"""How long another try waits, and why it is that long. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from agents.bdi.recovery.recovery_settings import RecoverySettings

# A server that asks for more than a day does not want to be asked again.
LONGEST_PATIENCE_S = 86_400.0


@dataclass(frozen=True)
class Delay:
    """Seconds, and what made them so many, as a clause."""

    seconds: float
    why: str

    @property
    def words(self) -> str:
        """How long and why."""
        return f"in {in_seconds(self.seconds)}, {self.why}"


def delay(
    tries: int, settings: RecoverySettings, rng: Random, retry_after_s: float = 0.0, *, cooling: bool = False
) -> Delay:
    """The wait after the `tries`-th failed try: doubled with each, longer by some jitter, never shorter than a server
    asked for. A server's wish counts even if it is longer than the longest delay.
    """
    base = settings.cool_down_seconds if cooling else settings.retry_delay_seconds
    longest = max(base, settings.longest_delay_seconds)
    doubled = base * 2.0 ** min(tries - 1, 30)
    own, asked = min(doubled, longest), min(retry_after_s, LONGEST_PATIENCE_S)
    seconds = round(max(own, asked) * (1.0 + settings.jitter * rng.random()), 3)
    if asked > own:
        is_less = ", which is more than a day" if retry_after_s > asked else ""
        return Delay(seconds, f"as the server asked for {retry_after_s:g} s{is_less}")
    why = f"the usual {'cool-down' if cooling else 'delay'} of {base:g} s"
    if doubled > longest:
        why = f"the longest delay of {longest:g} s"
    elif tries > 1:
        why += ", doubled with each failed try"
    why += ", and some at random" if seconds > own else ""
    return Delay(seconds, f"{why}, more than the {retry_after_s:g} s that the server asked for" if asked else why)


def in_seconds(wait_s: float) -> str:
    """A wait as people are told: its jitter makes thousandths that mean nothing to them."""
    return f"{round(wait_s, 1 if wait_s >= 1 else 3):g} s"
