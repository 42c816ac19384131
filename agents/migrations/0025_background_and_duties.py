"""Goals and requests whose next turn belongs to the background pool, and which process does what is done regularly."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0024_version_trials")]

    operations = [
        migrations.AddField(
            model_name="goal",
            name="in_background",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="busrequest",
            name="in_background",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.CreateModel(
            name="Duty",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=40, unique=True)),
                ("holder", models.CharField(blank=True, max_length=160)),
                ("until", models.DateTimeField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                ("took_ms", models.IntegerField(default=0)),
            ],
            options={"verbose_name_plural": "duties"},
        ),
    ]
