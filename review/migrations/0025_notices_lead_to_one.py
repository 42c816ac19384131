"""The bound on what a notice is about is validated by itself, so that nobody waits for it."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("review", "0024_notices_of_lessons")]

    operations = [ValidateConstraint("notice", "notice_leads_to_one")]
