"""The log of the bus may go when it is old enough: by a function that the tables' owner has."""

from pathlib import Path

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("agents", "0019_replays_of_answers")]

    operations = [
        migrations.RunSQL(
            Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"),
            reverse_sql="DROP FUNCTION agents_bus_expire(integer, integer)",
        )
    ]
