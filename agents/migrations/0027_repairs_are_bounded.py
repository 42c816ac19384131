"""The bound on repairs is validated by itself, so that nobody waits for it."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("agents", "0026_planning_by_models")]

    operations = [ValidateConstraint("agent", "agent_repairs_bounded")]
