"""The stamp goes by the versions of rows instead of by what stands in them, which costs each step a third of it.

Whatever somebody writes to a row makes another version of it (`xmin`, `ctid`), also when they write back what stood
there. Rows that are also written for other reasons (a person's last login, a component's counts, the plan's own
position) are still looked at by what the gate reads of them.

What the gate reads and its stamp come from one function, the stamp first: what is changed between the two is in what
it reads and makes the next stamp another one. `review_seen` stays as it is.
"""

from django.db import migrations

STAMP = """
CREATE OR REPLACE FUNCTION review_stamp(asked bigint) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
-- One word for all that the gate reads of a plan and that somebody could change since it was asked.
DECLARE
    seen text;
BEGIN
WITH approval AS (
    SELECT decision_id, by_id, concat_ws(' ', id, xmin, ctid) AS version FROM review_approval WHERE intent_plan_id = asked
), decision AS (
    SELECT id, by_id, policy_id, concat_ws(' ', id, xmin, ctid) AS version FROM review_decision
    WHERE intent_plan_id = asked OR id IN (SELECT decision_id FROM approval)
), policy AS (
    SELECT version.owner_id, policy.id, version.id AS version_id,
           concat_ws(' ', policy.id, policy.state, policy.number, version.xmin, version.ctid) AS version
    FROM review_reviewpolicy policy
    JOIN review_policyversion version ON version.policy_id = policy.id
    WHERE (policy.state = 'enabled' AND version.number = policy.number)
       OR version.id IN (SELECT policy_id FROM decision)
)
SELECT concat_ws('|', plan.id, plan.goal_id, plan.workspace_id, plan.plan_id, plan.revision, plan.digest,
    plan.approved_digest, sha256(plan.document),
    '; approval', (SELECT string_agg(version, ',' ORDER BY version) FROM approval),
    '; decision', (SELECT string_agg(version, ',' ORDER BY id) FROM decision),
    '; policy', (SELECT string_agg(version, ',' ORDER BY id, version_id) FROM policy),
    '; person', (SELECT string_agg(concat_ws(' ', person.id, person.is_active, person.is_superuser, person.roles), ','
                                   ORDER BY person.id)
     FROM people_user person
     WHERE person.id IN (SELECT by_id FROM approval UNION ALL SELECT by_id FROM decision
                         UNION ALL SELECT owner_id FROM policy)),
    '; component', (SELECT string_agg(concat_ws(' ', version.id, version.component_id, version.version, version.status,
                                                sha256(convert_to(version.body, 'UTF8'))), ',' ORDER BY version.id)
     FROM library_component component
     JOIN library_componentversion version ON version.component_id = component.id
     -- Not out of the document, whose bytes may be no JSON any more. Another evidence is another plan_id.
     WHERE component.kind = 'rule' AND component.name IN (
         SELECT node->'rule'->>'name'
         FROM agents_plan, jsonb_array_elements(
             jsonb_build_array(evidence) || CASE jsonb_typeof(evidence->'subgoals')
                 WHEN 'array' THEN evidence->'subgoals' ELSE '[]'::jsonb END) node
         WHERE agents_plan.id = plan.plan_id)))
INTO seen
FROM agents_intentplan plan WHERE plan.id = asked;
RETURN encode(sha256(convert_to(seen, 'UTF8')), 'hex');
END
$body$;
CREATE FUNCTION review_grounds(asked bigint) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $body$
DECLARE
    stamp text := review_stamp(asked);
BEGIN
    RETURN jsonb_build_array(stamp, review_seen(asked));
END
$body$;
"""


def as_before(apps: object, schema_editor: object) -> None:
    """The stamp of 0016 again: the digest of what the gate reads."""
    from importlib import import_module

    before: str = import_module("review.migrations.0016_seen").SEEN
    schema_editor.execute("DROP FUNCTION review_grounds(bigint)")  # type: ignore[attr-defined]  # its class is not public
    schema_editor.execute(before[before.index("CREATE OR REPLACE FUNCTION review_stamp") :])  # type: ignore[attr-defined]  # its class is not public


class Migration(migrations.Migration):
    dependencies = [("review", "0016_seen")]

    operations = [
        migrations.RunSQL(STAMP, migrations.RunSQL.noop),
        migrations.RunPython(migrations.RunPython.noop, as_before),
    ]
