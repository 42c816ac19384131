"""The guard of an approved plan is asked when a statement writes what it guards, and not at each step of the plan.

A trigger with a list of columns is run when one of them stands in the statement's SET, whatever value it is given; nothing
else changes a column, for no other trigger writes to the row. Before, every step compared the whole document with itself.
"""

from django.db import migrations

COLUMNS = ("document", "digest", "goal_id", "revision", "workspace_id", "plan_id")


def trigger(of: str) -> str:
    """The guard of 0003, run by these updates."""
    changed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in COLUMNS)
    return f"""
-- short lock: no row is read.
CREATE OR REPLACE TRIGGER intent_plan_immutable BEFORE UPDATE{of} ON agents_intentplan FOR EACH ROW
WHEN ({changed}) EXECUTE FUNCTION agents_intentplan_immutable()
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0024_open_goals_newest")]

    operations = [migrations.RunSQL(trigger(f" OF {', '.join(COLUMNS)}"), trigger(""))]
