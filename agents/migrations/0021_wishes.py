"""Searches that have no parent: a model writes a new tool or workflow from a sentence."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0020_bus_retention"),
        ("library", "0013_delegated_requests"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "candidatesearch", "new_kind", models.CharField(blank=True, db_default="", default="", max_length=16)
        ),
        migrations.AddField("candidatesearch", "snippet", models.TextField(blank=True, db_default="", default="")),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    "candidatesearch",
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="library.componentversion",
                    ),
                ),
                migrations.AddConstraint(
                    "candidatesearch",
                    models.CheckConstraint(
                        condition=Q(parent__isnull=False, new_kind="")
                        | Q(parent__isnull=True, new_kind__in=["tool", "workflow"]),
                        name="search_of_version_or_kind",
                    ),
                ),
                migrations.AddConstraint(
                    "candidatesearch",
                    models.UniqueConstraint(
                        fields=["by", "new_kind"],
                        condition=Q(parent=None, state__in=["waiting", "running"]),
                        name="one_open_wish_per_person_and_kind",
                    ),
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    """
                    -- short lock: the table has a row for each time that somebody asked a model for a candidate
                    ALTER TABLE agents_candidatesearch
                        ALTER COLUMN parent_id DROP NOT NULL,
                        ADD CONSTRAINT search_of_version_or_kind CHECK (
                            (parent_id IS NOT NULL AND new_kind = '')
                            OR (parent_id IS NULL AND new_kind IN ('tool', 'workflow'))
                        );
                    CREATE UNIQUE INDEX one_open_wish_per_person_and_kind ON agents_candidatesearch (by_id, new_kind)
                        WHERE parent_id IS NULL AND state IN ('waiting', 'running');
                    """,
                    reverse_sql="""
                    DELETE FROM agents_candidatesearch WHERE parent_id IS NULL;
                    DROP INDEX one_open_wish_per_person_and_kind;
                    ALTER TABLE agents_candidatesearch
                        DROP CONSTRAINT search_of_version_or_kind,
                        ALTER COLUMN parent_id SET NOT NULL;
                    """,
                )
            ],
        ),
    ]
