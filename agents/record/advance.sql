-- Report the intent at %(position)s as ended, begin the next one and ask for the gate's stamp, in one statement.
-- Every condition stands on the plan's row: a late worker (fence), a cancelled plan, a changed approval or a workspace
-- that moved under it updates nothing, and then no other part of the statement finds a row either. The other parts
-- find their rows by the ids they are given and only ask whether there is a plan: joined to its row instead, each of
-- them would be a join to be started, which for single rows costs more than finding them.
WITH plan AS (
    UPDATE agents_intentplan
    SET position = agents_intentplan.position + 1
    WHERE id = %(plan)s
      AND goal_id = %(goal)s
      AND workspace_id = %(workspace)s
      AND state = 'executing'
      AND fence = %(fence)s
      AND position = %(position)s
      AND NOT cancel_requested
      AND approved_digest = %(digest)s
      AND %(before)s = (SELECT head FROM agents_workspace WHERE id = %(workspace)s)
    RETURNING id
), next AS (
    SELECT CASE WHEN %(go_on)s
        AND EXISTS (SELECT FROM agents_intent
                    WHERE intent_plan_id = %(plan)s AND position = %(position)s + 1 AND state = 'pending')
        -- What runs is finished while its agent is paused or everything stands still; nothing further begins.
        AND NOT EXISTS (SELECT FROM agents_standstill)
        AND NOT (SELECT paused FROM agents_agent WHERE id = %(agent)s)
        THEN nextval('agents_attempt_id_seq') END AS attempt
    FROM plan
), asked AS (
    -- As late as can be: what is committed after this is noticed before the step after the next one.
    SELECT attempt, CASE WHEN attempt IS NOT NULL THEN {stamp} END AS stamp FROM next
){changed}, report AS (
    INSERT INTO agents_stepreport
        (intent_plan_id, position, attempt, outcome, result, reason, after, following, fence, worker, at, said, begins)
    SELECT %(plan)s, %(position)s, %(attempt)s, %(outcome)s, %(result)s::jsonb, %(reason)s, %(after)s,
           attempt, %(fence)s, %(worker)s, clock_timestamp(), %(said)s,
           -- That the next step begins is said only when nothing is left to ask the gate about it.
           CASE WHEN stamp = %(granted)s THEN %(begins)s ELSE '[]' END
    FROM asked
)
SELECT attempt, stamp FROM asked
