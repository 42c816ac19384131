"""The index by which a search on the bus sees in a moment whether mindX's own members have changed."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    # Built while others write.
    atomic = False
    dependencies = [("agents", "0015_validate_framework")]

    operations = [
        AddIndexConcurrently(
            model_name="busmember",
            index=models.Index(
                fields=["changed_at"],
                condition=models.Q(("kind", "foreign"), _negated=True),
                name="bus_member_of_mindx",
            ),
        ),
    ]
