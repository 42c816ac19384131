"""Which sentence model made the vectors of a row, or gave it none; and versions are made from older ones only.

All vectors that are there came of the model that ships with mindX.
"""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

SHIPPED = "mindx/all-MiniLM-L6-v2"


def _column(default: str) -> models.CharField:
    """A constant default: Postgres writes it into no row."""
    return models.CharField(max_length=200, blank=not default, default=default, db_default=default)


class Migration(migrations.Migration):
    dependencies = [("library", "0006_replays_of_calls")]

    operations = [
        *(
            migrations.AddField(model_name=model, name=name, field=_column(default))
            for model in ("componentversion", "experience")
            for name, default in (("embedded_by", SHIPPED), ("unread_by", ""))
        ),
        AddConstraintNotValid(
            model_name="componentversion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("parent__isnull", True), ("parent__lt", models.F("pk")), _connector="OR"
                ),
                name="version_made_from_an_older_one",
            ),
        ),
    ]
