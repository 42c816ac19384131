"""What a canary of a prompt counts from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0016_bus_member_index")]

    operations = [
        migrations.AddField(
            model_name="rollout",
            name="counted_from",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
