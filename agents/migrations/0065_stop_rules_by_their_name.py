"""The administration calls stop rules by their name. Nothing in the database changes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("agents", "0064_sums_of_today")]

    operations = [
        migrations.AlterModelOptions(
            "backlogrules",
            {
                "ordering": ["-id"],
                "verbose_name": "stop rules of the backlog",
                "verbose_name_plural": "stop rules of the backlog",
            },
        )
    ]
