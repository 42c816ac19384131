"""What a component is for, and an index over what it is, so that both can be searched."""

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from pgvector.django import HnswIndex


class Migration(migrations.Migration):
    dependencies = [("library", "0012_unchecked_experiences")]

    operations = [
        migrations.AddField("component", "description", models.TextField(blank=True, db_default="", default="")),
        migrations.AddField(
            "component", "domain", models.CharField(db_default="general", default="general", max_length=64)
        ),
        migrations.AddField(
            "component",
            "tags",
            ArrayField(base_field=models.TextField(), blank=True, db_default=[], default=list, size=None),
        ),
        migrations.AddIndex(
            "componentversion",
            HnswIndex(fields=["content_embedding"], name="version_content_hnsw", opclasses=["vector_cosine_ops"]),
        ),
    ]
