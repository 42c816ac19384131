"""Agents have a domain whose firmware their models are told; each attempt says which versions it was."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0027_repairs_are_bounded")]

    operations = [
        migrations.AddField(
            "agent",
            "firmware_domain",
            models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="Besides the general firmware its models are told that of this domain, such as finance.",
                max_length=40,
            ),
        ),
        migrations.AddField(
            "generation", "firmware", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
    ]
