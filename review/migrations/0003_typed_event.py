"""What happened to commands typed by hand may be added and read, never changed."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

WHAT = ["submitted", "refused", "ended", "lost", "cancel_asked", "cancelled"]


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0008_hand_command"),
        ("review", "0002_decisions_are_append_only"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TypedEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("what", models.CharField(choices=[(word, word) for word in WHAT], max_length=16)),
                ("text", models.TextField()),
                ("before", models.CharField(blank=True, max_length=64)),
                ("after", models.CharField(blank=True, max_length=64)),
                ("why", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
                ("previous_hash", models.CharField(blank=True, max_length=64)),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="typed_events",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "command",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="agents.handcommand",
                    ),
                ),
                (
                    "goal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="typed_events", to="agents.goal"
                    ),
                ),
            ],
            options={"ordering": ["id"]},
        ),
        migrations.RunSQL(
            "CREATE TRIGGER review_typedevent_is_append_only BEFORE UPDATE OR DELETE ON review_typedevent"
            " FOR EACH ROW EXECUTE FUNCTION review_refuse_change()",
            "DROP TRIGGER review_typedevent_is_append_only ON review_typedevent",
        ),
    ]
