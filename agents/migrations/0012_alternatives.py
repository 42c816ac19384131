"""Which declared alternative a try was of, and which one a recovery chose."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0014_beliefs_that_people_deny")]

    operations = [
        migrations.AddField("attempt", "alternative", models.PositiveSmallIntegerField(db_default=0)),
        migrations.AddField("recoveryattempt", "alternative", models.PositiveSmallIntegerField(default=0)),
    ]
