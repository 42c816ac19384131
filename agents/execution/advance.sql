-- Finish the intent at %(position)s, write the log lines that are due, begin the next one and ask for the gate's stamp,
-- in one statement.
-- Every condition stands on the plan's row: a late worker (fence), a cancelled plan, a changed approval or a workspace
-- that moved under it updates nothing, and then no other part of the statement finds a row either.
WITH plan AS (
    UPDATE agents_intentplan
    SET position = agents_intentplan.position + 1
    WHERE id = %(plan)s
      AND state = 'executing'
      AND fence = %(fence)s
      AND position = %(position)s
      AND NOT cancel_requested
      AND approved_digest = %(digest)s
      AND EXISTS (
          SELECT FROM agents_workspace workspace
          WHERE workspace.id = agents_intentplan.workspace_id AND workspace.head = %(before)s)
    RETURNING id, goal_id, workspace_id, agents_intentplan.position AS next_position
), {recorded}{changed}, following AS (
    UPDATE agents_intent
    SET state = 'running'
    FROM plan
    WHERE agents_intent.intent_plan_id = plan.id
      AND agents_intent.position = plan.next_position
      AND agents_intent.state = 'pending'
      AND %(go_on)s
      -- What runs is finished while its agent is paused or everything stands still; nothing further begins.
      AND NOT EXISTS (SELECT FROM agents_standstill)
      AND NOT EXISTS (
          SELECT FROM agents_goal goal JOIN agents_agent agent ON agent.id = goal.agent_id
          WHERE goal.id = plan.goal_id AND agent.paused)
    RETURNING agents_intent.id
), begun AS (
    INSERT INTO agents_attempt
        (intent_id, number, fence, worker, started, outcome, failure_class, reason, snapshot_before, snapshot_after)
    SELECT following.id, 1, %(fence)s, %(worker)s, clock_timestamp(), '', '', '', %(after)s, ''
    FROM following
    RETURNING id
), asked AS (
    -- The try's row is there by now, and the function sees all that is committed by now.
    SELECT begun.id, {stamp} AS stamp FROM begun
), due AS (
    -- How many of the lines: that the next step begins is said only when nothing is left to ask the gate about it.
    SELECT plan.goal_id, %(lines_of_it)s + CASE WHEN asked.stamp = %(granted)s THEN %(lines_of_next)s ELSE 0 END AS lines
    FROM plan LEFT JOIN asked ON true{after_changed}
), {told}
SELECT asked.id, asked.stamp, counted.last
FROM plan LEFT JOIN asked ON true LEFT JOIN counted ON true
