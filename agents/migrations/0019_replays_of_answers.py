"""Cases that are recorded calls of a model, sent again by both sides of a replay."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0018_environment_runs")]

    operations = [
        migrations.AddField("replaycase", "call", models.BigIntegerField(null=True)),
        migrations.AddField("replaycase", "parent_call", models.BigIntegerField(null=True)),
        migrations.AddField("replaycase", "candidate_call", models.BigIntegerField(null=True)),
    ]
