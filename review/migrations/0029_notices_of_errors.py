"""Notices may be about a goal that failed inside mindX."""

from django.db import migrations, models

_KINDS = [
    ("awaits", "a plan waits for my decision"),
    ("assigned", "a plan was given to me"),
    ("urgent", "a plan's time is running out"),
    ("expired", "nobody decided in time"),
    ("outcome", "how a plan ended that I decided or asked for"),
    ("question", "somebody asks me about a plan"),
    ("answer", "somebody answered what I asked"),
    ("budget", "a day's budget for language models is used up"),
    ("error", "a goal failed inside mindX"),
    ("lesson", "somebody ended or promoted what I taught"),
]


class Migration(migrations.Migration):
    dependencies = [("review", "0028_groups_by_what_they_came_to")]

    operations = [
        # Only Django knows the list; the table stays.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.AlterField("notice", "kind", models.CharField(choices=_KINDS, max_length=8))],
        ),
    ]
