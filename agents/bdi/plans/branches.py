"""Branches of a plan that do not depend on each other: which steps are parallel, and where a plan continues.

A branch is named by its way in the workflow: `2a` and `2b` are the branches of step 2, `2a.3b` is a branch within the
first of them, and `4.2a` one of the workflow that step 4 calls. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agents.bdi.plans.document import IntentSpec
from agents.states import IntentState

LETTERS = "abcdefghij"
ENDED = frozenset({IntentState.SUCCEEDED, IntentState.SKIPPED})
_BRANCH = re.compile(r"[0-9]+[a-j]\Z")


def are_parallel(one: str, other: str) -> bool:
    """Whether two steps, by the branches in which they stand, are in different branches of one PARALLEL."""
    mine, theirs = one.split("."), other.split(".")
    for left, right in zip(mine, theirs, strict=False):
        if left != right:
            is_branch = bool(_BRANCH.match(left) and _BRANCH.match(right))
            return is_branch and left[:-1] == right[:-1]
    return False


def path_of(branch: str) -> list[tuple[str, str]]:
    """The PARALLELs around a step, the outermost first, each with the letter of the branch: `2a.3b` is 2 a, 2a.3 b."""
    found, before = [], ""
    for part in branch.split(".") if branch else ():
        if _BRANCH.match(part):
            found.append((f"{before}{part[:-1]}", part[-1]))
        before += f"{part}."
    return found


def has_branches(intents: Sequence[IntentSpec]) -> bool:
    """Whether any step stands in a branch."""
    return any(spec.branch for spec in intents)


def going_on(intents: Sequence[IntentSpec], states: Mapping[int, str], position: int) -> int | None:
    """The main step at which a plan goes on that stands at `position`; None when all of its steps have ended.

    A step waits for every earlier one that has not ended, except for those in a branch beside its own. The plan stays
    where it is if it can, else it takes the first step that was not tried, and only then one that has failed.
    """
    open_ones = [spec for spec in intents if states.get(spec.position) not in ENDED]
    ready = [spec.position for spec in open_ones if not _waits(spec, open_ones)]
    if position in ready:
        return position
    untried = [at for at in ready if states.get(at) != IntentState.FAILED]
    return next(iter((*untried, *ready)), None)


def instead_of(intents: Sequence[IntentSpec], states: Mapping[int, str], failed: int) -> int | None:
    """The step of another branch that can go on now that the one at `failed` has failed; None when none can."""
    open_ones = [spec for spec in intents if states.get(spec.position) not in ENDED or spec.position == failed]
    branch = intents[failed - 1].branch
    ready = (
        spec.position
        for spec in open_ones
        if states.get(spec.position) == IntentState.PENDING and are_parallel(spec.branch, branch)
        if not _waits(spec, open_ones)
    )
    return next(ready, None)


def may_be_open(intents: Sequence[IntentSpec], open_steps: Mapping[int, str], position: int) -> bool:
    """Whether a plan may stand at `position` while these earlier steps have not ended, by their states.

    Each of them stands in a branch beside it, and has failed or waits for one of its branch that has.
    """
    if not 1 <= position <= len(intents) or any(not 1 <= at < position for at in open_steps):
        return False
    here, failed = intents[position - 1].branch, IntentState.FAILED
    broken = [at for at, state in open_steps.items() if state == failed]
    return all(
        are_parallel(intents[at - 1].branch, here)
        and (state == failed or (state == IntentState.PENDING and any(_is_behind(intents, at, one) for one in broken)))
        for at, state in open_steps.items()
    )


def _is_behind(intents: Sequence[IntentSpec], position: int, failed: int) -> bool:
    return failed < position and not are_parallel(intents[position - 1].branch, intents[failed - 1].branch)


def _waits(spec: IntentSpec, open_ones: Sequence[IntentSpec]) -> bool:
    return any(other.position < spec.position and not are_parallel(other.branch, spec.branch) for other in open_ones)
