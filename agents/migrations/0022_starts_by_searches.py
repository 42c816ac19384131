"""A candidate that is begun without a person is a worker's work, as one that somebody asks for."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0021_wishes")]

    operations = [
        migrations.AddField(
            "evolutionstart",
            "search",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="agents.candidatesearch",
            ),
        ),
    ]
