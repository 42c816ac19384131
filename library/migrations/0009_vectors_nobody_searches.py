"""Two of an experience's four vectors are searched by nothing: only what the goal said and what came of it are.

From here on nobody reads or writes them. The columns stay, empty in each new row, for the version that still runs knows
them: they go one version later.
"""

from django.db import migrations

FIELDS = ("sub_task_description_embedding", "input_context_summary_embedding")


class Migration(migrations.Migration):
    dependencies = [("library", "0008_agents")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField("experience", field) for field in FIELDS],
        ),
    ]
