"""A reset of what was learned can be taken back, by a row of its own. A column that is empty in every old row."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0060_other_steps_by_hand")]

    operations = [
        migrations.AddField(model_name="recoveryreset", name="takes_back", field=models.BigIntegerField(null=True)),
    ]
