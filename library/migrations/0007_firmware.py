"""A component may be firmware: what an operator tells every model. Only Django knows the list; the table stays."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0006_calls_by_time")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "component",
                    "kind",
                    models.CharField(
                        choices=[("rule", "Rule"), ("tool", "Tool"), ("firmware", "Firmware")], max_length=16
                    ),
                ),
            ],
        ),
    ]
