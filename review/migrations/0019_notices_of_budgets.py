"""Notices may be about a goal that waits for its agent's budget."""

import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
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
]


class Migration(migrations.Migration):
    dependencies = [("agents", "0028_firmware"), ("review", "0018_grounds_by_their_versions")]

    operations = [
        migrations.AddField(
            "notice",
            "goal",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="agents.goal"
            ),
        ),
        # Only Django knows the list; the table stays.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.AlterField("notice", "kind", models.CharField(choices=_KINDS, max_length=8))],
        ),
        migrations.RemoveConstraint("notice", "notice_is_about_one_thing"),
        AddConstraintNotValid(
            "notice",
            models.CheckConstraint(
                condition=models.Q(intent_plan__isnull=False, level_document__isnull=True, goal__isnull=True)
                | models.Q(intent_plan__isnull=True, level_document__isnull=False, goal__isnull=True)
                | models.Q(intent_plan__isnull=True, level_document__isnull=True, goal__isnull=False),
                name="notice_is_about_one",
            ),
        ),
    ]
