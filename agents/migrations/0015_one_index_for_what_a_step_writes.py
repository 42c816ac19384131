"""Each index costs with every row: where a constraint on a pair begins with the reference, that one is enough."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0012_alternatives")]

    operations = [
        migrations.AlterField(
            "attempt",
            "intent",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="attempts",
                to="agents.intent",
            ),
        ),
        migrations.AlterField(
            "intent",
            "intent_plan",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="intents",
                to="agents.intentplan",
            ),
        ),
        migrations.AlterField(
            "logline",
            "goal",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="log_lines",
                to="agents.goal",
            ),
        ),
    ]
