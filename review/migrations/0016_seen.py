"""What the gate reads of a plan becomes a function of its own, of whose answer the stamp is the digest.

So the gate reads it in one statement, and its stamp is that of exactly the rows it has looked at. VOLATILE as before: each
statement inside sees what is committed by then.
"""

from django.db import migrations

SEEN = """
CREATE FUNCTION review_seen(asked bigint) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
-- All that the gate reads of a plan and that somebody could change since it was asked, in the order that review/grounds.py
-- knows. Rows are taken whole: for the stamp it does not matter what of them was changed, nor how.
RETURN (
WITH plan AS (
    SELECT id, goal_id, workspace_id, plan_id, revision, digest, approved_digest,
           encode(sha256(document), 'hex') AS stored
    FROM agents_intentplan
    WHERE id = asked
), rule AS (
    -- Not out of the document, whose bytes may be no JSON any more. Another evidence is another plan_id.
    SELECT DISTINCT node->'rule'->>'name' AS name
    FROM agents_plan, jsonb_array_elements(
        jsonb_build_array(evidence) || CASE jsonb_typeof(evidence->'subgoals')
            WHEN 'array' THEN evidence->'subgoals' ELSE '[]'::jsonb END) node
    WHERE agents_plan.id = (SELECT plan_id FROM plan)
), approval AS (
    SELECT * FROM review_approval WHERE intent_plan_id = asked
), decision AS (
    SELECT * FROM review_decision
    WHERE intent_plan_id = asked OR id IN (SELECT decision_id FROM approval)
), policy AS (
    SELECT policy.id, policy.state, policy.number, to_jsonb(version) AS version, version.owner_id
    FROM review_reviewpolicy policy
    JOIN review_policyversion version ON version.policy_id = policy.id
    WHERE (policy.state = 'enabled' AND version.number = policy.number)
       OR version.id IN (SELECT policy_id FROM decision)
)
SELECT jsonb_build_array(
    (SELECT to_jsonb(plan) FROM plan),
    (SELECT jsonb_agg(to_jsonb(approval)) FROM approval),
    (SELECT jsonb_agg(to_jsonb(decision) ORDER BY decision.id) FROM decision),
    (SELECT jsonb_agg(to_jsonb(policy) ORDER BY policy.id, policy.version->>'id') FROM policy),
    (SELECT jsonb_agg(jsonb_build_array(person.id, person.is_active, person.is_superuser, person.roles) ORDER BY person.id)
     FROM people_user person
     WHERE person.id IN (SELECT by_id FROM approval UNION SELECT by_id FROM decision UNION SELECT owner_id FROM policy)),
    (SELECT jsonb_agg(jsonb_build_array(version.id, version.component_id, version.version, version.status,
                                        encode(sha256(convert_to(version.body, 'UTF8')), 'hex')) ORDER BY version.id)
     FROM library_component component
     JOIN library_componentversion version ON version.component_id = component.id
     WHERE component.kind = 'rule' AND component.name IN (SELECT name FROM rule))
)
);
END
$body$;
CREATE OR REPLACE FUNCTION review_stamp(asked bigint) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
RETURN encode(sha256(convert_to(review_seen(asked)::text, 'UTF8')), 'hex');
END
$body$;
"""


def as_before(apps: object, schema_editor: object) -> None:
    """The stamp of 0015 again, with everything in it."""
    from importlib import import_module

    before: str = import_module("review.migrations.0015_stamp").STAMP
    execute = schema_editor.execute  # type: ignore[attr-defined]  # its class is not public
    execute("DROP FUNCTION review_stamp(bigint)")
    execute("DROP FUNCTION review_seen(bigint)")
    execute(before)


class Migration(migrations.Migration):
    dependencies = [("review", "0015_stamp")]

    operations = [migrations.RunSQL(SEEN, migrations.RunSQL.noop), migrations.RunPython(migrations.RunPython.noop, as_before)]
