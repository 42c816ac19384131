-- Begin to execute an approved plan: plan and goal move, the plan gets the lease's fence. The caller has locked goal,
-- plan and workspace before, so that this statement sees a command typed by hand that began until then. With %(first)s
-- the first try begins too, and the gate's stamp is taken: as in advance.sql, by a report, of a step before the first.
WITH plan AS (
    UPDATE agents_intentplan
    SET state = 'executing', reason = '', fence = %(fence)s
    WHERE id = %(plan)s
      AND state = 'approved'
      AND NOT EXISTS (
          SELECT FROM agents_handcommand typed
          WHERE typed.workspace_id = agents_intentplan.workspace_id AND typed.state = 'running')
    -- People read these moments in their order: it was claimed before its first try began.
    RETURNING id, goal_id, clock_timestamp() AS at
), goal AS (
    UPDATE agents_goal
    SET state = 'executing', reason = '', changed_at = clock_timestamp(), wake_at = NULL
    FROM plan
    WHERE agents_goal.id = plan.goal_id AND agents_goal.state IN ('awaiting_review', 'recovering', 'manual')
    RETURNING agents_goal.id
), moved AS (
    INSERT INTO agents_transition (goal_id, intent_plan_id, old, new, reason, by, at)
    SELECT plan.goal_id, move.plan_id, move.old, 'executing', '', %(worker)s, plan.at
    FROM plan LEFT JOIN goal ON true, LATERAL (VALUES
        (plan.id, 'approved'), (NULL, CASE WHEN goal.id IS NOT NULL THEN %(goal_state)s END)) AS move (plan_id, old)
    WHERE move.old IS NOT NULL
), next AS (
    SELECT CASE WHEN EXISTS (SELECT FROM agents_intent
                             WHERE intent_plan_id = %(plan)s AND position = 1 AND state = 'pending')
        AND NOT EXISTS (SELECT FROM agents_standstill)
        AND NOT (SELECT paused FROM agents_agent WHERE id = %(agent)s)
        THEN nextval('agents_attempt_id_seq') END AS attempt
    FROM plan
    WHERE %(first)s
), asked AS (
    SELECT attempt, CASE WHEN attempt IS NOT NULL THEN {stamp} END AS stamp FROM next
), report AS (
    INSERT INTO agents_stepreport
        (intent_plan_id, position, attempt, outcome, result, reason, after, following, fence, worker, at, said, begins)
    SELECT %(plan)s, 0, 0, '', NULL, '', %(head)s, attempt, %(fence)s, %(worker)s, clock_timestamp(), %(said)s,
           -- That it begins is said only when nothing is left to ask the gate about it.
           CASE WHEN stamp = %(granted)s THEN %(begins)s ELSE '[]' END
    FROM asked
)
SELECT plan.id, asked.attempt, asked.stamp FROM plan LEFT JOIN asked ON true
