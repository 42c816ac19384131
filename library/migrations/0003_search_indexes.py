"""The filters of a search, and one canary of a component; built while people work."""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models

_ONE_CANARY = """
-- short lock: built beside those who write, as Django's constraint with a condition is nothing but this index
CREATE UNIQUE INDEX CONCURRENTLY one_canary_per_component ON library_componentversion (component_id)
WHERE status = 'canary'
"""


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0002_canary")]

    operations = [
        ValidateConstraint(model_name="componentversion", name="canary_takes_1_to_50_percent"),
        migrations.RunSQL(
            _ONE_CANARY,
            "DROP INDEX CONCURRENTLY one_canary_per_component",
            state_operations=[
                migrations.AddConstraint(
                    model_name="componentversion",
                    constraint=models.UniqueConstraint(
                        condition=models.Q(("status", "canary")), fields=("component",), name="one_canary_per_component"
                    ),
                )
            ],
        ),
        AddIndexConcurrently(
            model_name="component", index=models.Index(fields=["domain"], name="component_by_domain")
        ),
        AddIndexConcurrently(model_name="component", index=GinIndex(fields=["tags"], name="component_by_tags")),
        AddIndexConcurrently(
            model_name="componentversion",
            index=models.Index(
                condition=models.Q(("applicability_embedding__isnull", True), ("content_embedding__isnull", True)),
                fields=["component"],
                name="version_waits_for_vectors",
            ),
        ),
    ]
