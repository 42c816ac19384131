"""Trying values out on past cases before they are saved; nothing is written."""

from __future__ import annotations

from django.db.models import QuerySet

from agents.actors import tuning_rights
from agents.models import Goal
from agents.record.selectors import goals_visible_to
from agents.tuning import trying_commands, trying_failures, trying_goals, trying_tries
from agents.tuning.kinds import Kind, Values
from agents.tuning.trials import Clock, Trial
from people.models import User

_TRIALS = {
    "commands": trying_commands.try_out,
    "failures": trying_failures.try_out,
    "tries": trying_tries.try_out,
    "goals": trying_goals.try_out,
}


def try_out(
    kind: Kind, values: Values, *, by: User, readable: QuerySet[Goal] | None = None, clock: Clock | None = None
) -> Trial:
    """What the last cases would come to if these checked values were saved. Raises NotYours.

    `readable` are the goals whose cases are shown, without it those that this person may see; others are counted.
    """
    tuning_rights.check_operator(by)
    shown = goals_visible_to(by) if readable is None else readable
    return _TRIALS[kind.trial](kind, values, shown, clock or Clock())
