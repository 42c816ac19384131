"""Notices may lead to a request in the inbox."""

import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

KINDS = [
    ("awaits", "a plan waits for my decision"),
    ("assigned", "a plan was assigned to me"),
    ("urgent", "a plan's time is running out"),
    ("expired", "nobody decided in time"),
    ("outcome", "a plan that I decided or asked for has ended"),
    ("question", "somebody asks me about a plan"),
    ("answer", "somebody answered what I asked"),
    ("budget", "a day's budget for language models is used up"),
    ("error", "a goal failed inside mindX"),
    ("lesson", "somebody ended or promoted what I taught"),
    ("inbox", "a program asks in the inbox"),
]
ABOUT = ("intent_plan", "level_document", "goal", "lesson", "inbox_request")


def one_of():
    cases = [models.Q(**{f"{one}__isnull": one != there for one in ABOUT}) for there in ABOUT]
    found = cases[0]
    for case in cases[1:]:
        found |= case
    return found


class Migration(migrations.Migration):
    dependencies = [("review", "0003_inbox")]

    operations = [
        migrations.AddField(
            model_name="notice",
            name="inbox_request",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices",
                to="review.inboxrequest",
            ),
        ),
        migrations.RemoveConstraint(model_name="notice", name="notice_leads_to_one"),
        AddConstraintNotValid(
            model_name="notice",
            constraint=models.CheckConstraint(condition=one_of(), name="notice_leads_to_one"),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="notice", name="kind", field=models.CharField(choices=KINDS, max_length=8)
                )
            ],
        ),
    ]
