"""Workers use only versions that are sealed: those that are there are sealed once, by the owner of the tables."""

from django.db import migrations

from people.sealing_upgrades import Kind, sealer

_COLUMNS = (
    "component__kind",
    "component__name",
    "version",
    "body",
    "status",
    "canary_percent",
    "origin",
    "created_by_id",
)


class Migration(migrations.Migration):
    dependencies = [("library", "0015_one_index_of_both_vectors"), ("people", "0001_tables")]

    operations = [
        migrations.RunPython(sealer("library", [Kind("ComponentVersion", _COLUMNS)]), migrations.RunPython.noop)
    ]
