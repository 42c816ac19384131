"""The stamp is the word itself and not its digest, and it says nothing twice.

It runs before every step of every plan. An approval's decision is a decision of its plan, which the gate has made sure of
before there was a stamp to compare; a change that makes it another plan's takes it out of the word. Two stamps that
differ by the order of rows alone cost one more look by the gate, and sorting them cost every step. The three counted
numbers only grow, so their sum tells of a change as they do.
"""

from importlib import import_module

from django.db import migrations

STAMP = """
CREATE OR REPLACE FUNCTION review_stamp(asked bigint) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
-- One word for all that the gate reads of a plan and that somebody could change since it was asked.
BEGIN
RETURN (
    SELECT concat_ws('|', plan.id, plan.goal_id, plan.workspace_id, plan.plan_id, plan.revision, plan.digest,
        plan.approved_digest, sha256(plan.document),
        '; approval', (
            SELECT string_agg(concat_ws(' ', approval.id, approval.xmin, approval.ctid), ',')
            FROM review_approval approval WHERE approval.intent_plan_id = asked),
        '; decision', (
            SELECT string_agg(concat_ws(' ', decision.id, decision.xmin, decision.ctid), ',')
            FROM review_decision decision WHERE decision.intent_plan_id = asked),
        '; ground', (SELECT sum(version) FROM review_ground))
    FROM agents_intentplan plan WHERE plan.id = asked);
END
$body$;
"""


def forward(apps: object, schema_editor: object) -> None:
    """The new stamp. A short lock on a function that runs for a millisecond."""
    schema_editor.execute(STAMP, None)  # type: ignore[attr-defined]  # its class is not public


def as_before(apps: object, schema_editor: object) -> None:
    """The stamp of 0018 again. A short lock as well."""
    before: str = import_module("review.migrations.0018_grounds_by_their_versions").STAMP
    schema_editor.execute(before, None)  # type: ignore[attr-defined]  # its class is not public


class Migration(migrations.Migration):
    dependencies = [("review", "0020_notices_are_about_one")]

    operations = [migrations.RunPython(forward, as_before)]
