"""A component may be an agent's settings. Only Django knows the list; the table stays."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0007_firmware")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "component",
                    "kind",
                    models.CharField(
                        choices=[("rule", "Rule"), ("tool", "Tool"), ("firmware", "Firmware"), ("agent", "Agent")],
                        max_length=16,
                    ),
                ),
            ],
        ),
    ]
