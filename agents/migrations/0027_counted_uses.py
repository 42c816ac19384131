"""Uses of versions that are counted as failures while their goals wait for a person."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0026_background_index"),
        ("library", "0015_one_index_of_both_vectors"),
    ]

    operations = [
        migrations.CreateModel(
            name="CountedUse",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="counted_uses", to="agents.goal"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="library.componentversion"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("goal", "version"), name="use_counted_once_per_goal")],
            },
        ),
    ]
