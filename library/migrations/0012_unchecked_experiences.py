"""An experience may say that nothing checked what came of its goal. Only Django knows the list; the table stays."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0011_only_usable_answers_are_kept")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "experience",
                    "final_outcome",
                    models.CharField(
                        choices=[
                            ("success", "Success"),
                            ("failure", "Failure"),
                            ("partial_success", "Partial Success"),
                            ("abandoned", "Abandoned"),
                            ("unchecked", "Unchecked"),
                        ],
                        max_length=16,
                    ),
                )
            ],
        )
    ]
