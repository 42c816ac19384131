"""The log's counter of a goal is made with the goal, so that who writes a line finds it there.

Each line was written by a statement that had to be ready for making the row, and to find that somebody else just had.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION agents_goal_counts_its_lines() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $body$
BEGIN
    INSERT INTO public.agents_logcounter (goal_id, last) VALUES (NEW.id, 0) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$body$;
-- short lock: a trigger only.
CREATE TRIGGER goal_counts_its_lines AFTER INSERT ON agents_goal
    FOR EACH ROW EXECUTE FUNCTION agents_goal_counts_its_lines();
INSERT INTO agents_logcounter (goal_id, last)
    SELECT goal.id, 0 FROM agents_goal goal
    WHERE NOT EXISTS (SELECT FROM agents_logcounter counter WHERE counter.goal_id = goal.id)
    ON CONFLICT DO NOTHING;
"""
BACKWARD = """
DROP TRIGGER goal_counts_its_lines ON agents_goal;
DROP FUNCTION agents_goal_counts_its_lines();
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0028_firmware")]

    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
