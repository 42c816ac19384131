"""What was asked of models is added up by day, agent and model."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0004_model_call")]

    operations = [
        migrations.CreateModel(
            name="ModelDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("agent", models.CharField(blank=True, max_length=64)),
                ("model", models.CharField(max_length=200)),
                ("answered", models.PositiveIntegerField(default=0)),
                ("cached", models.PositiveIntegerField(default=0)),
                ("failed", models.PositiveIntegerField(default=0)),
                ("tokens_in", models.PositiveBigIntegerField(default=0)),
                ("tokens_out", models.PositiveBigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=8, default=0, max_digits=18)),
                ("unpriced", models.PositiveIntegerField(default=0)),
                ("latency_ms", models.PositiveBigIntegerField(default=0)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("plans", models.PositiveIntegerField(default=0)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("day", "agent", "model"), name="model_day_once")],
            },
        ),
    ]
