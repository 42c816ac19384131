"""The settings of review in the administration; each change leaves an entry in the journal, which is their history."""

from __future__ import annotations

from django.contrib import admin

from people.journal import Event
from people.told_admin import ToldTable
from review.models import TimeLimit
from review.services.deadlines import in_words


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
                "description": "A plan that nobody decides within this time is closed: nothing of it runs. The row of "
                "the goal's priority decides, else the one of every priority. It holds for plans that come into the "
                "queue from now on; those that have a clock already keep it.",
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
        """What becomes of the goal."""
        return "asks for a hand" if row.to_manual else "dropped"
