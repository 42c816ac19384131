"""Notices may be about a lesson that somebody else ended or promoted."""

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
    ("lesson", "somebody ended or promoted what I taught"),
]


def _only(there: str) -> models.Q:
    names = ("intent_plan", "level_document", "goal", "lesson")
    return models.Q(**{f"{name}__isnull": name != there for name in names})


class Migration(migrations.Migration):
    dependencies = [("agents", "0066_lessons"), ("review", "0023_functions_nobody_calls")]

    operations = [
        migrations.AddField(
            "notice",
            "lesson",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="agents.lesson"
            ),
        ),
        # Only Django knows the list; the table stays.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.AlterField("notice", "kind", models.CharField(choices=_KINDS, max_length=8))],
        ),
        migrations.RemoveConstraint("notice", "notice_is_about_one"),
        AddConstraintNotValid(
            "notice",
            models.CheckConstraint(
                condition=_only("intent_plan") | _only("level_document") | _only("goal") | _only("lesson"),
                name="notice_leads_to_one",
            ),
        ),
    ]
