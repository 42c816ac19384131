-- Finish the last main intent, at %(position)s, and with it the plan and the goal; give the lease back; write the log
-- lines that are due: in one statement. The conditions are those of advance.sql, and the lease stands before them,
-- because the goal's row is locked before the plan's, as everywhere.
WITH goal AS (
    SELECT id FROM agents_goal
    WHERE id = %(goal)s AND lease_fence = %(fence)s AND state = 'executing'
    FOR NO KEY UPDATE
), plan AS (
    UPDATE agents_intentplan
    SET position = agents_intentplan.position + 1, state = 'complete', reason = '', ended_at = clock_timestamp()
    FROM goal
    WHERE agents_intentplan.id = %(plan)s
      AND agents_intentplan.goal_id = goal.id
      AND agents_intentplan.state = 'executing'
      AND agents_intentplan.fence = %(fence)s
      AND agents_intentplan.position = %(position)s
      AND NOT agents_intentplan.cancel_requested
      AND agents_intentplan.approved_digest = %(digest)s
      AND EXISTS (
          SELECT FROM agents_workspace workspace
          WHERE workspace.id = agents_intentplan.workspace_id AND workspace.head = %(before)s)
    RETURNING agents_intentplan.id, agents_intentplan.goal_id, agents_intentplan.workspace_id
), {recorded}{changed}, skipped AS (
    UPDATE agents_intent
    SET state = 'skipped', reason = 'not needed: the plan succeeded'
    FROM plan
    WHERE agents_intent.intent_plan_id = plan.id
      AND agents_intent.state = 'pending'
      AND agents_intent.position <> %(position)s
), ended AS (
    -- Achieved; or pending, when a part that was not approved is planned again.
    UPDATE agents_goal
    SET state = %(goal_state)s, reason = %(goal_reason)s, changed_at = clock_timestamp(),
        ended_at = CASE WHEN %(goal_ends)s THEN clock_timestamp() END,
        lease_until = NULL, lease_owner = '', wake_at = NULL
    FROM plan
    WHERE agents_goal.id = plan.goal_id
    RETURNING agents_goal.id
), moved AS (
    INSERT INTO agents_transition (goal_id, intent_plan_id, old, new, reason, by, at)
    SELECT plan.goal_id, move.plan_id, 'executing', move.new, move.reason, %(worker)s, clock_timestamp()
    FROM plan, LATERAL (VALUES
        (plan.id, 'complete', ''), (NULL, %(goal_state)s, %(goal_reason)s)) AS move (plan_id, new, reason)
), reviewed AS (
    -- What was reviewed for this goal before its plan leaves the queue with it.
    UPDATE agents_leveldocument
    SET state = 'cancelled', reason = 'the goal is achieved'
    FROM ended
    WHERE agents_leveldocument.goal_id = ended.id
      AND agents_leveldocument.state = 'awaiting_review'
      AND %(goal_ends)s
), due AS (
    SELECT plan.goal_id, %(lines_of_it)s AS lines FROM plan{after_changed}
), {told}
SELECT counted.last FROM plan LEFT JOIN counted ON true
