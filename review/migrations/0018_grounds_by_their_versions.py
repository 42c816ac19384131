"""The stamp finds what the gate stands on without reading tables: it costs a step the same however much there is.

Two things of it grew. It read every decision there is, because they were asked for by plan *or* by approval; and it read
all policies in force, the people behind them and the rules of the plan. The second are few and seldom change, so now each
change of them counts up a number, which the stamp takes instead: the row is written by the transaction that makes the
change, and is seen when that is. Any such change has every running plan looked at once more by the gate, and no more
than that. What belongs to one plan (its row, approval, decisions) is still looked at row by row.

The numbers are written by triggers with the rights of the tables' owner; the application can only read them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from django.db import migrations

# What is counted: of each table the columns whose change counts (none: any), and whether a new row does. A new person stands
# behind nothing yet, and a new component has no version.
COUNTED = (
    ("policy", "review_reviewpolicy", ("state", "number"), True),
    ("policy", "review_policyversion", (), True),
    ("person", "people_user", ("is_active", "is_superuser", "roles"), False),
    ("component", "library_component", ("kind", "name"), False),
    ("component", "library_componentversion", ("component_id", "version", "status", "body"), True),
)
TABLE = """
-- short lock: a new table.
CREATE TABLE review_ground (name text PRIMARY KEY, version bigint NOT NULL DEFAULT 0);
INSERT INTO review_ground (name) VALUES ('policy'), ('person'), ('component');
CREATE FUNCTION review_ground_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $body$
BEGIN
    UPDATE public.review_ground SET version = version + 1 WHERE name = TG_ARGV[0];
    IF NOT FOUND THEN
        RAISE EXCEPTION 'nothing counts the changes of %', TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$body$;
"""
STAMP = """
CREATE OR REPLACE FUNCTION review_stamp(asked bigint) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
-- One word for all that the gate reads of a plan and that somebody could change since it was asked.
DECLARE
    seen text;
BEGIN
SELECT concat_ws('|', plan.id, plan.goal_id, plan.workspace_id, plan.plan_id, plan.revision, plan.digest,
    plan.approved_digest, sha256(plan.document),
    '; approval', (
        SELECT string_agg(concat_ws(' ', approval.id, approval.xmin, approval.ctid,
                                    decision.id, decision.xmin, decision.ctid), ',' ORDER BY approval.id)
        FROM review_approval approval LEFT JOIN review_decision decision ON decision.id = approval.decision_id
        WHERE approval.intent_plan_id = plan.id),
    '; decision', (
        SELECT string_agg(concat_ws(' ', decision.id, decision.xmin, decision.ctid), ',' ORDER BY decision.id)
        FROM review_decision decision WHERE decision.intent_plan_id = plan.id),
    '; ground', (SELECT string_agg(concat_ws(' ', name, version), ',' ORDER BY name) FROM review_ground))
INTO seen
FROM agents_intentplan plan WHERE plan.id = asked;
RETURN encode(sha256(convert_to(seen, 'UTF8')), 'hex');
END
$body$;
"""
EVERY_DECISION = "WHERE intent_plan_id = asked OR id IN (SELECT decision_id FROM approval)"
ITS_DECISIONS = """WHERE id IN (
        SELECT id FROM review_decision WHERE intent_plan_id = asked UNION SELECT decision_id FROM approval)"""


def triggers() -> Iterator[str]:
    """The triggers that count: a row's change when the columns that matter are others, and a statement's beside."""
    for name, table, columns, is_new in COUNTED:
        of = f" OF {', '.join(columns)}" if columns else ""
        differs = " OR ".join(f"OLD.{column} IS DISTINCT FROM NEW.{column}" for column in columns or ("*",))
        yield (
            f"CREATE TRIGGER review_ground_changed AFTER UPDATE{of} ON {table} FOR EACH ROW"
            f" WHEN ({differs}) EXECUTE FUNCTION review_ground_moved('{name}')"
        )
        when = "INSERT OR DELETE" if is_new else "DELETE"
        yield (
            f"CREATE TRIGGER review_ground_moved AFTER {when} ON {table} FOR EACH ROW"
            f" EXECUTE FUNCTION review_ground_moved('{name}')"
        )


def seen(decisions: str) -> str:
    """`review_seen` as 0016 has it, with its decisions found like this."""
    whole: str = import_module("review.migrations.0016_seen").SEEN
    body = whole[: whole.index("CREATE OR REPLACE FUNCTION review_stamp")]
    return body.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").replace(EVERY_DECISION, decisions)


def forward(apps: object, schema_editor: object) -> None:
    """Count, and stamp by what was counted. A short lock on five tables that are seldom written."""
    for statement in (TABLE, *triggers(), STAMP, seen(ITS_DECISIONS)):
        schema_editor.execute(statement, None)  # type: ignore[attr-defined]  # its class is not public


def backward(apps: object, schema_editor: object) -> None:
    """The stamp of 0017 again, and nothing counted."""
    before: str = import_module("review.migrations.0017_stamp_by_row_versions").STAMP
    execute = schema_editor.execute  # type: ignore[attr-defined]  # its class is not public
    execute(before[: before.index("CREATE FUNCTION review_grounds")], None)
    execute(seen(EVERY_DECISION), None)
    for _, table, _, _ in COUNTED:
        execute(f"DROP TRIGGER review_ground_changed ON {table}")
        execute(f"DROP TRIGGER review_ground_moved ON {table}")
    execute("DROP FUNCTION review_ground_moved()")
    execute("DROP TABLE review_ground")


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0017_stamp_by_row_versions"),
        ("people", "0002_answered_request"),
        ("library", "0003_lists_of_experiences"),
    ]

    operations = [migrations.RunPython(forward, backward)]
