"""Looks through the notices of before, and indexes those about the inbox; people work meanwhile."""

from django.contrib.postgres.operations import AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("review", "0004_inbox_notices")]

    operations = [
        ValidateConstraint(model_name="notice", name="notice_leads_to_one"),
        AddIndexConcurrently(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("inbox_request__isnull", False)),
                fields=["inbox_request"],
                name="notice_of_inbox",
            ),
        ),
    ]
