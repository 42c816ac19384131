"""A person may put other steps in the place of one that failed: one more answer of a hand. No row changes."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0057_recoveries_so_far")]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.AlterField(
            model_name="handitem",
            name="answer",
            field=models.CharField(
                blank=True,
                choices=[
                    ("fix", "fixed the parameters"),
                    ("done", "did it by hand"),
                    ("again", "let it be tried again"),
                    ("skip", "skipped the step"),
                    ("instead", "put other steps in its place"),
                    ("abort", "gave up the plan"),
                    ("plan", "wrote a plan"),
                ],
                max_length=8,
            ),
        )]),
    ]
