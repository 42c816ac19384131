"""Failures say whose they are; what is older stays without, and is read by its goal. Nothing is rewritten."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0051_step_reports")]

    operations = [
        migrations.AddField(
            "failurerecord",
            "agent",
            models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="agents.agent",
            ),
        ),
    ]
