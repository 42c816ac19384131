"""Prompts as components, and calls of models that can be sent again: what each was asked with, and of which it is a replay."""

import django.db.models.deletion
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

_KINDS = [("rule", "Rule"), ("tool", "Tool"), ("firmware", "Firmware"), ("agent", "Agent"), ("prompt", "Prompt")]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0005_experience_indexes")]

    operations = [
        # Choices are Django's own: the database knows a text of 16 characters.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="component", name="kind", field=models.CharField(choices=_KINDS, max_length=16)
                )
            ]
        ),
        migrations.AddField(
            model_name="modelcall",
            name="asked_with",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="modelcall",
            name="replay_of",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="replays",
                to="library.modelcall",
            ),
        ),
        AddIndexConcurrently(
            model_name="modelcall",
            index=models.Index(
                condition=models.Q(("replay_of__isnull", False)),
                fields=["replay_of"],
                name="model_call_replays_of_another",
            ),
        ),
    ]
