"""The stamp becomes a function, so that the statement that begins a step can ask for it too.

VOLATILE is what it is about: each statement inside such a function sees what is committed by then, not what was
committed when the statement around it began. A step's begin may have waited for a lock, and what somebody changed
meanwhile must be in the stamp.
"""

from django.db import migrations

STAMP = """
CREATE FUNCTION review_stamp(asked bigint) RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
-- One word for all that the gate reads of a plan and that somebody could change since it was asked.
-- Rows are taken whole: what is changed and how does not matter here, the gate itself then says whether it may go on.
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
SELECT encode(sha256(convert_to(jsonb_build_array(
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
)::text, 'UTF8')), 'hex')
);
END
$body$
"""


class Migration(migrations.Migration):

    dependencies = [
        ("review", "0010_queue_entry"),
        ("library", "0002_initial"),
        ("people", "0002_answered_request"),
    ]

    operations = [migrations.RunSQL(STAMP, "DROP FUNCTION review_stamp(bigint)")]
