"""When the backlog takes nothing up any more: the rules of an operator, held against what really came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# From least to most, for each rule.
BOUNDS = {"failures_of_one": (1, 20), "without_success": (1, 1_000), "per_day": (0, 10_000)}


@dataclass(frozen=True)
class Rules:
    """`failures_of_one`: so often may one item fail in a row. `without_success`: so many may end in a row with nothing
    better. `per_day`: so many goals may be begun in a day (UTC).
    """

    failures_of_one: int = 3
    without_success: int = 10
    per_day: int = 20


@dataclass(frozen=True)
class Figures:
    """`recent`: outcomes of the last ended tries, the newest first, none from before a person let it go on; those that
    nobody can judge are left out. `begun_today`: since midnight UTC, or since a person let it go on.
    """

    recent: Sequence[str]
    begun_today: int


IMPROVED, NO_BETTER, WORSE, UNMEASURED, NOT_ACHIEVED = "improved", "no_better", "worse", "unmeasured", "not_achieved"
OUTCOMES = (IMPROVED, UNMEASURED, NO_BETTER, WORSE, NOT_ACHIEVED)
# Of a try that nobody measured nobody knows whether it was one.
JUDGED = (IMPROVED, NO_BETTER, WORSE, NOT_ACHIEVED)


# So many items, as the beginning of a sentence.
_TRIED = {1: "The last item that was tried did not improve anything"}


def why_stopped(rules: Rules, figures: Figures) -> str:
    """Why nothing is taken up, in a sentence with its figures; empty when something may be."""
    judged = [outcome for outcome in figures.recent if outcome in JUDGED][: rules.without_success]
    if len(judged) == rules.without_success and IMPROVED not in judged:
        none = _TRIED.get(
            rules.without_success, f"None of the last {rules.without_success} items that were tried improved anything"
        )
        return f"{none}. Check the results before more is tried."
    if figures.begun_today >= rules.per_day:
        begun = "1 item was" if figures.begun_today == 1 else f"{figures.begun_today} items were"
        return f"{begun} started today. The limit is {rules.per_day} a day."
    return ""


def room(rules: Rules, figures: Figures, asked: int) -> int:
    """How many may be taken up now."""
    return 0 if why_stopped(rules, figures) else max(0, min(asked, rules.per_day - figures.begun_today))


def failures_in_a_row(ended: Sequence[tuple[str, int]]) -> int:
    """How often an item had failed in a row when it was taken up again after these tries, the oldest first.

    Each is its outcome and how often one might fail then: what had failed so often was stopped, and a person approved
    it again.
    """
    failures = 0
    for outcome, limit in ended:
        failures = 0 if outcome in (IMPROVED, UNMEASURED) else failures + 1
        if failures >= limit:
            failures = 0
    return failures


def why_item_stopped(rules: Rules, failures: int) -> str:
    """Why an item is not tried again, after so many failures in a row; empty when it may be."""
    times = "once" if failures == 1 else f"{failures} times in a row"
    return f"it failed {times}" if failures >= rules.failures_of_one else ""
