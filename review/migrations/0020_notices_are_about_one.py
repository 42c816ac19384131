"""The bound on what a notice is about is validated by itself, so that nobody waits for it."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("review", "0019_notices_of_budgets")]

    operations = [ValidateConstraint("notice", "notice_is_about_one")]
