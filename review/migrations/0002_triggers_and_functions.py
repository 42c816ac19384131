"""What Django's models cannot say: rows that are only added, the queue, the gate's stamp; in the SQL file beside this one."""

from pathlib import Path

from django.db import migrations

from ._replaced import REPLACED


class Migration(migrations.Migration):
    replaces = REPLACED
    dependencies = [
        ("review", "0001_tables"),
        ("agents", "0002_triggers_and_functions"),
        ("people", "0002_triggers_and_functions"),
    ]
    operations = [migrations.RunSQL(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))]
