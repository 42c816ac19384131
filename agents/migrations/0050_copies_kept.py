"""Copies that are kept until somebody who may write decides: new columns of a small table, which nothing waits for."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0047_evolved_copies"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.AddField("evolvedcopy", "proposed", models.TextField(blank=True, db_default="", default="")),
        migrations.AddField("evolvedcopy", "decided_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "evolvedcopy",
            "decided_by",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
