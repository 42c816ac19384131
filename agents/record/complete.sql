-- Report the last main intent, at %(position)s, as ended, and end with it the plan and the goal; give the lease back: in one
-- statement, behind which all reports are filed. The conditions are those of advance.sql, and the lease stands before
-- them, because the goal's row is locked before the plan's, as everywhere.
WITH goal AS (
    SELECT id FROM agents_goal
    WHERE id = %(goal)s AND lease_fence = %(fence)s AND state = 'executing'
    FOR NO KEY UPDATE
), plan AS (
    UPDATE agents_intentplan
    SET position = agents_intentplan.position + 1, state = 'complete', reason = '', ended_at = clock_timestamp(),
        check_results = %(check_results)s::jsonb
    FROM goal
    WHERE agents_intentplan.id = %(plan)s
      AND agents_intentplan.goal_id = goal.id
      AND agents_intentplan.workspace_id = %(workspace)s
      AND agents_intentplan.state = 'executing'
      AND agents_intentplan.fence = %(fence)s
      AND agents_intentplan.position = %(position)s
      AND NOT agents_intentplan.cancel_requested
      AND agents_intentplan.approved_digest = %(digest)s
      AND %(before)s = (SELECT head FROM agents_workspace WHERE id = %(workspace)s)
    RETURNING agents_intentplan.id
){changed}, intents AS (
    UPDATE agents_intent
    SET state = 'skipped', reason = 'not needed: the plan succeeded'
    WHERE intent_plan_id = %(plan)s AND position > %(position)s AND state = 'pending' AND EXISTS (SELECT FROM plan)
), report AS (
    INSERT INTO agents_stepreport
        (intent_plan_id, position, attempt, outcome, result, reason, after, following, fence, worker, at, said, begins)
    SELECT %(plan)s, %(position)s, %(attempt)s, %(outcome)s, %(result)s::jsonb, %(reason)s, %(after)s,
           NULL, %(fence)s, %(worker)s, clock_timestamp(), %(said)s, '[]'
    FROM plan
), ended AS (
    -- Achieved; or pending, when a part that was not approved is planned again.
    UPDATE agents_goal
    SET state = %(goal_state)s, reason = %(goal_reason)s, outcome = %(goal_outcome)s, changed_at = clock_timestamp(),
        ended_at = CASE WHEN %(goal_ends)s THEN clock_timestamp() END,
        lease_until = NULL, lease_owner = '', wake_at = NULL
    WHERE id = %(goal)s AND EXISTS (SELECT FROM plan)
), moved AS (
    INSERT INTO agents_transition (goal_id, intent_plan_id, old, new, reason, by, at)
    SELECT %(goal)s, move.plan_id, 'executing', move.new, move.reason, %(worker)s, clock_timestamp()
    FROM (VALUES (%(plan)s, 'complete', ''), (NULL, %(goal_state)s, %(goal_reason)s)) AS move (plan_id, new, reason)
    WHERE EXISTS (SELECT FROM plan)
), reviewed AS (
    -- What was reviewed for this goal before its plan leaves the queue with it.
    UPDATE agents_leveldocument
    SET state = 'cancelled', reason = 'the goal is achieved'
    WHERE goal_id = %(goal)s AND state = 'awaiting_review' AND %(goal_ends)s AND EXISTS (SELECT FROM plan)
)
SELECT id FROM plan
