"""What Django's models cannot say: seals that are only added; in the SQL file beside this one."""

from pathlib import Path

from django.db import migrations

from ._replaced import REPLACED


class Migration(migrations.Migration):
    replaces = REPLACED
    dependencies = [("people", "0001_tables")]
    operations = [migrations.RunSQL(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))]
