"""Looks through the agents of before for frameworks that there are not; people work meanwhile."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("agents", "0014_modular_runs")]

    operations = [ValidateConstraint(model_name="agent", name="agent_framework_known")]
