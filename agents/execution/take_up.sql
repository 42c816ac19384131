-- Begin to execute an approved plan: plan and goal move, the plan gets the lease's fence. The caller has locked goal,
-- plan and workspace before, so that this statement sees a command typed by hand that began until then.
WITH plan AS (
    UPDATE agents_intentplan
    SET state = 'executing', reason = '', fence = %(fence)s
    WHERE id = %(plan)s
      AND state = 'approved'
      AND NOT EXISTS (
          SELECT FROM agents_handcommand typed
          WHERE typed.workspace_id = agents_intentplan.workspace_id AND typed.state = 'running')
    RETURNING id, goal_id
), goal AS (
    UPDATE agents_goal
    SET state = 'executing', reason = '', changed_at = clock_timestamp(), wake_at = NULL
    FROM plan
    WHERE agents_goal.id = plan.goal_id AND agents_goal.state IN ('awaiting_review', 'recovering', 'manual')
    RETURNING agents_goal.id
), moved AS (
    INSERT INTO agents_transition (goal_id, intent_plan_id, old, new, reason, by, at)
    SELECT plan.goal_id, move.plan_id, move.old, 'executing', '', %(worker)s, clock_timestamp()
    FROM plan LEFT JOIN goal ON true, LATERAL (VALUES
        (plan.id, 'approved'), (NULL, CASE WHEN goal.id IS NOT NULL THEN %(goal_state)s END)) AS move (plan_id, old)
    WHERE move.old IS NOT NULL
)
SELECT id FROM plan
