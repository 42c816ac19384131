"""The overview asks for the goals that ended last and for those of the last days."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0003_intent_plan_is_immutable")]

    operations = [
        migrations.AddIndex(
            model_name="goal",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", False)), fields=["-ended_at"], name="goal_ended_newest"
            ),
        ),
    ]
