"""What a goal says while it waits before the next try: for how long, for whom, and why."""

from __future__ import annotations

from dataclasses import dataclass

from agents.presentation.endings import Notice


@dataclass(frozen=True)
class Wait:
    """`why` is a clause. `step`: whose failure began the wait; `goal`: the goal it belongs to where that is another
    one, 0 where the reader may not see that goal, and None for this one.
    """

    left_s: float
    until: str
    why: str
    step: int
    goal: int | None = None


def notice(wait: Wait) -> Notice:
    """“Waiting 40 s: api.example.org asked to slow down (step 2 of goal 17).”"""
    text = f"Waiting {max(1, round(wait.left_s))} s: {wait.why.rstrip('.')} ({_whose(wait)})."
    return Notice("", "clock", text, f"The next try is at {wait.until}.")


def _whose(wait: Wait) -> str:
    if wait.goal is None:
        return f"step {wait.step}"
    return f"step {wait.step} of goal {wait.goal}" if wait.goal else "a step of another goal"
