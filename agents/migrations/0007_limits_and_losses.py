"""Every ceiling can be set in the administration, and a plan in the queue says which files it would put others over."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("agents", "0006_workspace_change"),
    ]

    operations = [
        migrations.AddField(
            model_name="intentplan",
            name="replaces",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.AddField(
            model_name="toollimit",
            name="descriptors",
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="toollimit",
            name="workspace_files",
            field=models.IntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="toollimit",
            name="output_file_bytes",
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="toollimit",
            constraint=models.CheckConstraint(
                condition=models.Q(("descriptors__range", (64, 65536))),
                name="tool_limit_descriptors",
                violation_error_message="descriptors: from 64 to 65,536.",
            ),
        ),
        migrations.AddConstraint(
            model_name="toollimit",
            constraint=models.CheckConstraint(
                condition=models.Q(("workspace_files__range", (100, 1000000))),
                name="tool_limit_workspace_files",
                violation_error_message="workspace_files: from 100 to 1,000,000.",
            ),
        ),
        migrations.AddConstraint(
            model_name="toollimit",
            constraint=models.CheckConstraint(
                condition=models.Q(("output_file_bytes__range", (65536, 1073741824))),
                name="tool_limit_output_file_bytes",
                violation_error_message="output_file_bytes: from 64 KiB to 1 GiB.",
            ),
        ),
    ]
