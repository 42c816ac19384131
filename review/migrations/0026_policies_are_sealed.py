"""Policies are sealed as they stand at the upgrade: from here on one that is changed past mindX approves nothing.

What was held at the upgrade is not sealed: the sweep drops it with the reason, and its person decides again.
"""

from django.db import migrations

from people import sealing

POLICY = ("name", "state", "number", "enabled_at")
VERSION = (
    "policy_id",
    "number",
    "action",
    "conditions",
    "budget",
    "expires_at",
    "sampling_percent",
    "owner_id",
)


def seal(apps, schema_editor):
    """Reads, and adds rows to a table of its own: a short lock."""
    for name, columns in (("ReviewPolicy", POLICY), ("PolicyVersion", VERSION)):
        model = apps.get_model("review", name)
        for row in model.objects.order_by("pk").values("pk", *columns):
            sealing.add(model._meta.label_lower, row.pop("pk"), row)


class Migration(migrations.Migration):
    dependencies = [("review", "0025_notices_lead_to_one"), ("people", "0004_row_seals")]

    operations = [migrations.RunPython(seal, migrations.RunPython.noop)]
