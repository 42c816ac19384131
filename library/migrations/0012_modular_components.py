"""Combinations of modules are components too; only what Django offers as kinds changes, the table does not."""

from django.db import migrations, models

_KINDS = ("rule", "tool", "firmware", "agent", "prompt", "workflow", "modular")


class Migration(migrations.Migration):
    dependencies = [("library", "0011_experience_corrections")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="component",
                    name="kind",
                    field=models.CharField(max_length=16, choices=[(kind, kind.capitalize()) for kind in _KINDS]),
                )
            ]
        ),
    ]
