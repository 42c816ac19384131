"""Times of a day in one number, and sums of recoveries that follow each change of a failure.

A number with so many digits for each bucket is added up by the server as it is; before, every page spread the buckets
of a quarter's days into rows. A failure is settled, overtaken or classed otherwise long after its day is over, so its
sums cannot be written once: a trigger counts what comes and takes back what goes, which costs only steps that fail.
What was there before is counted by the next migration.
"""

import django.db.models.deletion
from django.db import migrations, models

COLUMNS = ("at", "agent_id", "goal_id", "tool", "failure_class", "strategy", "variant", "overtaken_by", "succeeded",
           "settled_at")  # fmt: skip
PACKED = """
CREATE FUNCTION agents_packed(buckets smallint[], counts int[]) RETURNS numeric IMMUTABLE PARALLEL SAFE LANGUAGE sql
-- Twelve digits for each bucket: agents.bdi.latency.DIGITS.
RETURN (SELECT coalesce(sum(one.number * ('1e' || (12 * one.bucket)::text)::numeric), 0)
        FROM unnest(buckets, counts) AS one (bucket, number));
-- short lock: the table has one row for each day, agent and kind of case, and workers write to it once a day.
ALTER TABLE agents_mindday ADD COLUMN packed numeric GENERATED ALWAYS AS (agents_packed(buckets, counts)) STORED
"""
UNPACKED = """
-- short lock: a column goes without a row being read.
ALTER TABLE agents_mindday DROP COLUMN packed;
DROP FUNCTION agents_packed(smallint[], int[])
"""
COUNTED = f"""
CREATE FUNCTION agents_recovery_came(failure agents_failurerecord) RETURNS text STABLE LANGUAGE sql AS $body$
SELECT CASE
    -- Taken over by the same way again: the later choice is the case.
    WHEN failure.overtaken_by = concat_ws(':', failure.strategy, nullif(failure.variant, '')) THEN NULL
    WHEN failure.settled_at IS NULL THEN 'open'
    WHEN failure.succeeded AND failure.overtaken_by = '' THEN 'helped'
    WHEN NOT failure.succeeded OR failure.overtaken_by <> '' THEN 'not_helped'
END
$body$;
CREATE FUNCTION agents_recovery_count(failure agents_failurerecord, times int) RETURNS void LANGUAGE sql AS $body$
    INSERT INTO agents_recoveryday (day, agent_id, tool, failure_class, strategy, came, cases)
    SELECT (failure.at AT TIME ZONE 'UTC')::date,
           coalesce(failure.agent_id, (SELECT goal.agent_id FROM agents_goal goal WHERE goal.id = failure.goal_id)),
           failure.tool, failure.failure_class,
           concat_ws(':', failure.strategy, nullif(failure.variant, '')), came, times
    FROM agents_recovery_came(failure) AS came WHERE came IS NOT NULL
$body$;
CREATE FUNCTION agents_recovery_counted() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM agents_recovery_count(OLD, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM agents_recovery_count(NEW, 1);
    END IF;
    RETURN NULL;
END $body$;
-- short lock: no row is read.
CREATE TRIGGER recovery_counted AFTER INSERT OR DELETE ON agents_failurerecord
    FOR EACH ROW EXECUTE FUNCTION agents_recovery_counted();
CREATE TRIGGER recovery_counted_anew AFTER UPDATE OF {", ".join(COLUMNS)} ON agents_failurerecord FOR EACH ROW
    WHEN ({" OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in COLUMNS)})
    EXECUTE FUNCTION agents_recovery_counted()
"""  # noqa: S608  # names of columns
NOT_COUNTED = """
-- short lock: no row is read.
DROP TRIGGER recovery_counted_anew ON agents_failurerecord;
DROP TRIGGER recovery_counted ON agents_failurerecord;
DROP FUNCTION agents_recovery_counted();
DROP FUNCTION agents_recovery_count(agents_failurerecord, int);
DROP FUNCTION agents_recovery_came(agents_failurerecord)
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0049_beliefs_by_statement")]

    operations = [
        migrations.RunSQL(PACKED, UNPACKED),
        migrations.CreateModel(
            name="RecoveryDay",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("tool", models.CharField(blank=True, max_length=64)),
                ("failure_class", models.CharField(max_length=32)),
                ("strategy", models.CharField(max_length=65)),
                ("came", models.CharField(max_length=12)),
                ("cases", models.IntegerField()),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="agents.agent",
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["day"], name="recovery_day")]},
        ),
        migrations.RunSQL(COUNTED, NOT_COUNTED),
    ]
