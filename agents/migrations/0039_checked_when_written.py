"""What a step of a plan writes is not checked again for what it leaves alone.

A check of a table is read, planned and evaluated by every statement that writes to it, whatever it writes: a third of what
Postgres did for a step was that. What is checked of an intent plan is checked by a trigger now, when it is written. The
guard of the document comes after the update, because one before it locks the row first, which is written to disk as well.

And the counter of a goal's log is made with the goal, so that who writes a line finds it there.
"""

from django.db import migrations, models

GUARDED = ("document", "digest", "goal_id", "revision", "workspace_id", "plan_id")


def guard(when: str) -> str:
    """The guard of 0025, before or after the update."""
    changed = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in GUARDED)
    return f"""
-- short lock: no row is read.
CREATE OR REPLACE TRIGGER intent_plan_immutable {when} UPDATE OF {", ".join(GUARDED)} ON agents_intentplan FOR EACH ROW
WHEN ({changed}) EXECUTE FUNCTION agents_intentplan_immutable()
"""


# The states are those of the time of this migration; a test compares them with the table of moves.
SOUND = """
CREATE FUNCTION agents_intentplan_sound() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
    broken text := CASE
        WHEN NEW.state NOT IN ('awaiting_review', 'approved', 'executing', 'complete', 'failed', 'rejected', 'superseded',
                               'expired', 'cancelled') THEN 'intent_plan_state_known'
        WHEN NEW.digest !~ '^[0-9a-f]{64}$' THEN 'intent_plan_digest_is_sha256'
        WHEN NEW.state IN ('approved', 'executing', 'complete') AND NEW.approved_digest <> NEW.digest
            THEN 'intent_plan_runs_only_what_was_approved'
    END;
BEGIN
    IF broken IS NOT NULL THEN
        RAISE EXCEPTION 'intent plan % violates %', NEW.id, broken
            USING ERRCODE = 'check_violation', CONSTRAINT = broken, TABLE = 'agents_intentplan';
    END IF;
    RETURN NULL;
END $body$;
-- short lock: no row is read, and each one there is has been checked.
CREATE TRIGGER intent_plan_sound AFTER INSERT OR UPDATE OF state, digest, approved_digest ON agents_intentplan
    FOR EACH ROW EXECUTE FUNCTION agents_intentplan_sound();
"""
UNCHECKED = """
-- short lock: no row is read. That numbers which only count are not negative was checked because Django's field does so.
ALTER TABLE agents_intentplan
    DROP CONSTRAINT intent_plan_state_known,
    DROP CONSTRAINT intent_plan_digest_is_sha256,
    DROP CONSTRAINT intent_plan_runs_only_what_was_approved,
    DROP CONSTRAINT agents_intentplan_position_check,
    DROP CONSTRAINT agents_intentplan_revision_check;
ALTER TABLE agents_intent DROP CONSTRAINT agents_intent_position_check;
ALTER TABLE agents_attempt
    DROP CONSTRAINT agents_attempt_number_check,
    DROP CONSTRAINT agents_attempt_alternative_check;
"""
CHECKED = """
-- short lock: what is there is not read, it has been checked when it was written.
ALTER TABLE agents_intentplan
    ADD CONSTRAINT intent_plan_state_known CHECK (state IN ('awaiting_review', 'approved', 'executing', 'complete', 'failed',
        'rejected', 'superseded', 'expired', 'cancelled')) NOT VALID,
    ADD CONSTRAINT intent_plan_digest_is_sha256 CHECK (digest ~ '^[0-9a-f]{64}$') NOT VALID,
    ADD CONSTRAINT intent_plan_runs_only_what_was_approved CHECK (
        state NOT IN ('approved', 'executing', 'complete') OR approved_digest = digest) NOT VALID,
    ADD CONSTRAINT agents_intentplan_position_check CHECK (position >= 0) NOT VALID,
    ADD CONSTRAINT agents_intentplan_revision_check CHECK (revision >= 0) NOT VALID;
ALTER TABLE agents_intent ADD CONSTRAINT agents_intent_position_check CHECK (position >= 0) NOT VALID;
ALTER TABLE agents_attempt
    ADD CONSTRAINT agents_attempt_number_check CHECK (number >= 0) NOT VALID,
    ADD CONSTRAINT agents_attempt_alternative_check CHECK (alternative >= 0) NOT VALID;
"""
COUNTER = """
CREATE FUNCTION agents_goal_counts_its_lines() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    INSERT INTO agents_logcounter (goal_id, last) VALUES (NEW.id, 0) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $body$;
-- short lock: no row is read.
CREATE TRIGGER goal_counts_its_lines AFTER INSERT ON agents_goal
    FOR EACH ROW EXECUTE FUNCTION agents_goal_counts_its_lines();
-- Of goals that have no line yet, which are few: a row for each.
INSERT INTO agents_logcounter (goal_id, last)
    SELECT goal.id, 0 FROM agents_goal goal
    WHERE NOT EXISTS (SELECT FROM agents_logcounter counter WHERE counter.goal_id = goal.id)
    ON CONFLICT DO NOTHING;
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0030_settling_parameters")]

    operations = [
        migrations.RunSQL(
            SOUND,
            "DROP TRIGGER intent_plan_sound ON agents_intentplan; DROP FUNCTION agents_intentplan_sound()",
        ),
        migrations.RunSQL(
            UNCHECKED,
            CHECKED,
            state_operations=[
                migrations.RemoveConstraint("intentplan", "intent_plan_state_known"),
                migrations.RemoveConstraint("intentplan", "intent_plan_digest_is_sha256"),
                migrations.RemoveConstraint("intentplan", "intent_plan_runs_only_what_was_approved"),
                migrations.AlterField("intentplan", "position", models.IntegerField(default=1)),
                migrations.AlterField("intentplan", "revision", models.IntegerField()),
                migrations.AlterField("intent", "position", models.IntegerField()),
                migrations.AlterField("attempt", "number", models.IntegerField()),
                migrations.AlterField("attempt", "alternative", models.SmallIntegerField(db_default=0)),
            ],
        ),
        migrations.RunSQL(guard("AFTER"), guard("BEFORE")),
        migrations.RunSQL(
            COUNTER,
            "DROP TRIGGER goal_counts_its_lines ON agents_goal; DROP FUNCTION agents_goal_counts_its_lines()",
        ),
    ]
