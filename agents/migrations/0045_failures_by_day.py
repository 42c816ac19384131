"""Failures are found by their day, for charts of what recoveries came to; built while others write."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("agents", "0044_insights_of_the_mind")]

    operations = [
        AddIndexConcurrently("failurerecord", models.Index(fields=["-at", "-id"], name="failure_newest")),
    ]
