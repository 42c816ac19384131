"""The way: how far a goal has come, as five stages that everybody can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STAGES = ("perceive", "plan", "review", "execute", "learn")

# What each stage looks like, left to right: `done think turn now waits mend bad missed given`, or nothing at all.
_LOOKS: Mapping[str, tuple[str, ...]] = {
    "planning": ("done", "think"),
    "manual": ("done", "turn"),
    "awaiting_review": ("done", "done", "turn"),
    "executing": ("done", "done", "done", "now"),
    "recovering": ("done", "done", "done", "mend"),
    "achieved": ("done", "done", "done", "done", "now"),
    # What came of a goal whose plan ran to its end stands at the stage that was to bring it about.
    "not_checked": ("done", "done", "done", "done", "now"),
    "handed_over": ("done", "done", "done", "given", "now"),
    "nothing_changed": ("done", "done", "done", "missed", "now"),
    "check_failed": ("done", "done", "done", "missed", "now"),
    "failed": ("done", "done", "done", "bad"),
}
_RAN = frozenset({"achieved", "not_checked", "handed_over", "nothing_changed", "check_failed"})
_ENDED_EARLY: Mapping[str, tuple[str, ...]] = {
    "rejected": ("done", "done", "bad"),
    "dependency_failed": ("bad",),
    "impossible": ("done", "bad"),
}
# Where a person must do something other than write a plan.
_TURNS: Mapping[str, tuple[str, ...]] = {
    "needs_a_hand": ("done", "done", "done", "turn"),
    "outcome_unknown": ("done", "done", "done", "turn"),
}
_LEFT_OFF = ("done", "done", "done", "left")
# A stage that the goal has behind it, or has not come to.
_BEHIND = frozenset({"", "done", "missed", "given"})
# What says that somebody works on it.
_MOVES = frozenset({"think", "now", "mend"})
_SAID = {
    "done": "done",
    "think": "the agent is planning",
    "turn": "waiting for a person",
    "now": "in progress",
    "waits": "waiting, nothing is running",
    "mend": "recovering",
    "bad": "failed",
    "missed": "ran, but the goal was not met",
    "given": "handed to people",
    "left": "stopped early",
}


@dataclass(frozen=True)
class Stage:
    """One stage: `look` is empty when the goal has not come that far; `current` marks where it stands."""

    name: str
    look: str
    current: bool

    @property
    def said(self) -> str:
        """The look in words, for those who do not see colours."""
        return _SAID.get(self.look, "not reached")


def way(
    state: str, reason: str = "", *, learned: bool = True, begun: bool = False, waits: bool = False, held: bool = False
) -> tuple[Stage, ...]:
    """The five stages of a goal in `state`.

    `reason` says where an ended goal stopped; `learned`: its experience is stored, the last stage is over. `begun`:
    a step of it has been tried. `waits`: nobody works on it, because its agent is paused or no worker has begun.
    `held`: a person has decided, so it is nobody's turn, and their decision counts in some seconds.
    """
    looks = _looks(state, reason.partition(":")[0], begun=begun)
    if state in _RAN and learned:
        looks = (*looks[:-1], "done")
    elif state in {"failed", "dropped"} and begun and learned:
        looks += ("done",)  # what went wrong is remembered too
    if waits:
        looks = tuple("waits" if look in _MOVES else look for look in looks)
    if held:
        looks = tuple("waits" if look == "turn" else look for look in looks)
    padded = looks + ("",) * (len(STAGES) - len(looks))
    return tuple(Stage(name, look, look not in _BEHIND) for name, look in zip(STAGES, padded, strict=True))


def _looks(state: str, reason: str, *, begun: bool) -> tuple[str, ...]:
    """How far a goal has come, by its state and the word for where it stopped."""
    if state in {"failed", "dropped"} and not begun and reason in _ENDED_EARLY:
        return _ENDED_EARLY[reason]
    if state == "manual" and reason in _TURNS:
        return _TURNS[reason]
    return _LEFT_OFF if state == "dropped" and begun else _LOOKS.get(state, ())
