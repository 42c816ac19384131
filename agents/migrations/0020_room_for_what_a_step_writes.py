"""Each step writes its intent twice: with room on the page that changes no index and no other page.

And transitions need one index on their goal, not two.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0021_log_by_partitions")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE agents_intent SET (fillfactor = 45)", "ALTER TABLE agents_intent RESET (fillfactor)"
        ),
        migrations.AlterField(
            "transition",
            "goal",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="transitions",
                to="agents.goal",
            ),
        ),
    ]
