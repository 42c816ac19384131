"""One index over both vectors of a version instead of one over each; built while people work."""

from django.contrib.postgres.indexes import OpClass
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations
from django.db.models import Q
from pgvector.django import HnswIndex

from library.both_vectors import BothVectors


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0014_experience_summaries")]

    operations = [
        AddIndexConcurrently(
            model_name="componentversion",
            index=HnswIndex(
                OpClass(BothVectors("applicability_embedding", "content_embedding"), name="halfvec_ip_ops"),
                condition=Q(applicability_embedding__isnull=False) | Q(content_embedding__isnull=False),
                name="version_vectors_hnsw",
            ),
        ),
        RemoveIndexConcurrently(model_name="componentversion", name="version_applicability_hnsw"),
        RemoveIndexConcurrently(model_name="componentversion", name="version_content_hnsw"),
    ]
