"""The journal: entries may be added and read, never changed."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0003_typed_event"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveSmallIntegerField()),
                ("event", models.CharField(max_length=32)),
                ("name", models.CharField(blank=True, max_length=150)),
                ("subject", models.CharField(max_length=200)),
                ("data", models.JSONField(default=dict)),
                ("at", models.DateTimeField()),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "by",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audit_entries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "verbose_name_plural": "audit entries",
                "indexes": [
                    models.Index(fields=["by", "-id"], name="audit_by_newest"),
                    models.Index(fields=["event", "-id"], name="audit_event_newest"),
                    models.Index(fields=["subject", "-id"], name="audit_subject_newest"),
                    models.Index(fields=["at"], name="audit_at"),
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER review_auditentry_is_append_only BEFORE UPDATE OR DELETE ON review_auditentry"
            " FOR EACH ROW EXECUTE FUNCTION review_refuse_change()",
            "DROP TRIGGER review_auditentry_is_append_only ON review_auditentry",
        ),
    ]
