"""Requests that agents delegate are remembered too; only what Django offers as kinds changes, the table does not."""

from django.db import migrations, models

_KINDS = ("goal", "sub_goal", "recovery", "request")


class Migration(migrations.Migration):
    dependencies = [("library", "0012_modular_components")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="experience",
                    name="kind",
                    field=models.CharField(
                        max_length=12,
                        choices=[(kind, kind.replace("_", " ").title()) for kind in _KINDS],
                        default="goal",
                        db_default="goal",
                    ),
                )
            ]
        ),
    ]
