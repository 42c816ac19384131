"""Beliefs refer to their goal by a look of each statement that writes some, and no longer of each row.

A planning writes what it perceived, hundreds of rows of one goal, and for each row the server locked and looked for the
goal again: a fifth of all that it did for a planning. What is refused is the same: a belief of no goal, and a goal that
goes while beliefs refer to it. The lock on the goal's row, which keeps it from going meanwhile, is taken once.
"""

import django.db.models.deletion
from django.db import migrations, models

# A constraint of Django's making has a name that ends in a digest, so it is looked for.
UNREFERRED = """
-- short lock: a constraint goes without a row being read.
DO $$
DECLARE
    constraint_name name;
BEGIN
    FOR constraint_name IN
        SELECT conname FROM pg_constraint
        WHERE conrelid = 'agents_belief'::regclass AND contype = 'f' AND confrelid = 'agents_goal'::regclass
    LOOP
        EXECUTE format('ALTER TABLE agents_belief DROP CONSTRAINT %I', constraint_name);
    END LOOP;
END $$
"""
REFERRED = """
-- short lock: what is there is not read, it has been looked at when it was written.
ALTER TABLE agents_belief ADD CONSTRAINT agents_belief_goal_id_fk_agents_goal_id
    FOREIGN KEY (goal_id) REFERENCES agents_goal (id) DEFERRABLE INITIALLY DEFERRED NOT VALID
"""
LOOKED_FOR = """
CREATE FUNCTION agents_belief_look_for(goal bigint) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
    PERFORM FROM agents_goal WHERE id = goal FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a belief refers to goal %, which is not there', goal
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'belief_of_a_goal', TABLE = 'agents_belief';
    END IF;
END $body$;
CREATE FUNCTION agents_belief_of_a_goal() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
    goal bigint;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        PERFORM agents_belief_look_for(NEW.goal_id);
        RETURN NULL;
    END IF;
    FOR goal IN SELECT DISTINCT goal_id FROM written LOOP
        PERFORM agents_belief_look_for(goal);
    END LOOP;
    RETURN NULL;
END $body$;
CREATE FUNCTION agents_goal_believed_of() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF EXISTS (SELECT FROM agents_belief WHERE goal_id = OLD.id) THEN
        RAISE EXCEPTION 'goal % is referred to by beliefs', OLD.id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'belief_of_a_goal', TABLE = 'agents_belief';
    END IF;
    RETURN NULL;
END $body$;
-- short lock: no row is read.
CREATE TRIGGER belief_of_a_goal AFTER INSERT ON agents_belief
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION agents_belief_of_a_goal();
CREATE TRIGGER belief_of_another_goal AFTER UPDATE OF goal_id ON agents_belief FOR EACH ROW
    WHEN (OLD.goal_id IS DISTINCT FROM NEW.goal_id) EXECUTE FUNCTION agents_belief_of_a_goal();
CREATE CONSTRAINT TRIGGER goal_believed_of AFTER DELETE OR UPDATE OF id ON agents_goal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION agents_goal_believed_of();
"""
NOT_LOOKED_FOR = """
-- short lock: no row is read.
DROP TRIGGER goal_believed_of ON agents_goal;
DROP TRIGGER belief_of_another_goal ON agents_belief;
DROP TRIGGER belief_of_a_goal ON agents_belief;
DROP FUNCTION agents_goal_believed_of();
DROP FUNCTION agents_belief_of_a_goal();
DROP FUNCTION agents_belief_look_for(bigint);
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0052_failures_of_agents")]

    operations = [
        migrations.RunSQL(LOOKED_FOR, NOT_LOOKED_FOR),
        migrations.RunSQL(
            UNREFERRED,
            REFERRED,
            state_operations=[
                migrations.AlterField(
                    "belief",
                    "goal",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="beliefs",
                        to="agents.goal",
                    ),
                )
            ],
        ),
    ]
