"""Which sentence model made the vectors of a row. All that are there came of the one that ships with mindX."""

from django.db import migrations, models

SHIPPED = "mindx/all-MiniLM-L6-v2"


def _column() -> models.CharField:
    """A constant default: Postgres writes it into no row."""
    return models.CharField(max_length=200, default=SHIPPED, db_default=SHIPPED)


class Migration(migrations.Migration):
    dependencies = [("library", "0005_experience_indexes")]

    operations = [
        migrations.AddField(model_name="componentversion", name="embedded_by", field=_column()),
        migrations.AddField(model_name="experience", name="embedded_by", field=_column()),
    ]
