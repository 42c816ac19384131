"""Designs and choices of rules that are settled are sealed as they stand at the upgrade.

Typed commands that wait at the upgrade are not: they end without having run, and are typed again.
"""

from django.db import migrations

from people import sealing

COLUMNS = ("goal_id", "kind", "number", "digest", "state", "chosen", "decided_by_id")
SETTLED = ("approved", "unreviewed")


def seal(apps, schema_editor):
    """Reads, and adds rows to a table of its own: a short lock."""
    model = apps.get_model("agents", "LevelDocument")
    for row in model.objects.filter(state__in=SETTLED).order_by("pk").values("pk", *COLUMNS):
        sealing.add(model._meta.label_lower, row.pop("pk"), row)


class Migration(migrations.Migration):
    dependencies = [("agents", "0070_outcomes_of_goals"), ("people", "0004_row_seals")]

    operations = [migrations.RunPython(seal, migrations.RunPython.noop)]
