"""What was proposed can never change: the database itself refuses, whoever asks."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION agents_intentplan_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'intent plan % is immutable: a change is a new revision', OLD.id
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER intent_plan_immutable BEFORE UPDATE ON agents_intentplan FOR EACH ROW
    WHEN (OLD.document IS DISTINCT FROM NEW.document OR OLD.digest IS DISTINCT FROM NEW.digest
        OR OLD.goal_id IS DISTINCT FROM NEW.goal_id OR OLD.revision IS DISTINCT FROM NEW.revision
        OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id OR OLD.plan_id IS DISTINCT FROM NEW.plan_id)
    EXECUTE FUNCTION agents_intentplan_immutable();
"""
BACKWARD = """
DROP TRIGGER intent_plan_immutable ON agents_intentplan;
DROP FUNCTION agents_intentplan_immutable();
"""


class Migration(migrations.Migration):
    """A trigger guards the columns an approval stands on."""

    dependencies = [("agents", "0002_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
