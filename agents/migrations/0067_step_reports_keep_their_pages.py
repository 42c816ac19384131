"""Emptied, the table of reports stays as long as it was: what plans its statements must not take it for a short one.

Vacuum cuts an empty table down to nothing. A worker's statements are planned once for all values, and reading a table of
one page as a whole is the cheapest there is; it is kept while thousands of dead rows come in, which each plan's filing
then reads through.
"""

from django.db import migrations

KEEP = """
-- short lock: vacuum waits for it, or it for vacuum.
ALTER TABLE agents_stepreport SET (vacuum_truncate = off)
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0066_lessons")]

    operations = [
        migrations.RunSQL(KEEP, "ALTER TABLE agents_stepreport RESET (vacuum_truncate)"),
    ]
