"""The settings of review in the administration; each change leaves an entry in the journal, which is their history."""

from __future__ import annotations

from django.contrib import admin

from people.journal import Event
from people.told_admin import ToldTable
from review.deciding.rounds import USUAL
from review.models import RoundLimit, TimeLimit
from review.queue.deadlines import in_words


@admin.register(TimeLimit)
class TimeLimitAdmin(ToldTable):
    """Without a row plans wait for ever."""

    event, told = Event.TIME_LIMIT, ("priority", "minutes", "escalate_percent", "to_manual")
    list_display = ("whose", "time", "escalate_percent", "ends")
    list_display_links = ("whose", "time")
    fieldsets = (
        (
            None,
            {
                "fields": ("priority", "minutes", "escalate_percent", "to_manual"),
                "description": "A plan that nobody decides within this time expires, and nothing runs. A limit for the "
                "goal's priority comes before the limit for every priority. A change applies to plans that enter "
                "the queue from now on; plans that already have a time limit keep it.",
            },
        ),
    )

    @admin.display(description="goals of", ordering="priority")
    def whose(self, row: TimeLimit) -> str:
        """The priority in words."""
        return str(row)

    @admin.display(description="time", ordering="minutes")
    def time(self, row: TimeLimit) -> str:
        """Hours and minutes."""
        return in_words(row.minutes)

    @admin.display(description="then")
    def ends(self, row: TimeLimit) -> str:
        """What happens to the goal."""
        return "needs a person" if row.to_manual else "dropped"


@admin.register(RoundLimit)
class RoundLimitAdmin(ToldTable):
    """Without a row the default number of rounds applies."""

    event, told = Event.ROUND_LIMIT, ("agent", "rounds")
    list_display = ("whose", "rounds")
    fieldsets = (
        (
            None,
            {
                "fields": ("agent", "rounds"),
                "description": "How often a goal's plan may be sent back with a request for changes. The next request "
                "makes the goal ask a person for a plan. A limit for the goal's agent comes before the limit for every "
                f"agent; without either it is {USUAL}.",
            },
        ),
    )

    @admin.display(description="goals of", ordering="agent")
    def whose(self, row: RoundLimit) -> str:
        """The agent in words."""
        return str(row)
