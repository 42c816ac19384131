"""Finding which sentence models made vectors, and what one of them made; built while people work."""

from django.contrib.postgres.operations import AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0007_embedded_by")]

    operations = [
        ValidateConstraint(model_name="componentversion", name="version_made_from_an_older_one"),
        AddIndexConcurrently(
            model_name="componentversion",
            index=models.Index(
                condition=models.Q(
                    ("applicability_embedding__isnull", False), ("content_embedding__isnull", False), _connector="OR"
                ),
                fields=["embedded_by", "-id"],
                name="version_by_sentence_model",
            ),
        ),
        AddIndexConcurrently(
            model_name="experience",
            index=models.Index(
                condition=models.Q(("primary_goal_description_embedding__isnull", False)),
                fields=["embedded_by", "-id"],
                name="experience_by_sentence_model",
            ),
        ),
    ]
