"""Every plan's danger is one of those that are known."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("review", "0006_danger")]

    operations = [ValidateConstraint("queueentry", "queue_entry_danger_0_to_7")]
