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
), finished AS (
    UPDATE agents_attempt
    SET finished = clock_timestamp(), outcome = %(outcome)s, result = %(result)s, snapshot_after = %(after)s,
        failure_class = %(failure_class)s, reason = %(reason)s
    FROM plan
    WHERE agents_attempt.id = %(attempt)s
), done AS (
    UPDATE agents_intent
    SET state = %(intent_state)s, result = %(result)s, reason = %(reason)s
    FROM plan
    WHERE agents_intent.intent_plan_id = plan.id AND agents_intent.position = %(position)s
), recovered AS (
    -- A recovery counts as a success only now that the recovered intent has succeeded.
    UPDATE agents_recoveryattempt
    SET succeeded = (%(intent_state)s = 'succeeded')
    FROM plan, agents_attempt
    JOIN agents_intent ON agents_intent.id = agents_attempt.intent_id
    WHERE agents_recoveryattempt.attempt_id = agents_attempt.id
      AND agents_recoveryattempt.succeeded IS NULL
      AND agents_intent.intent_plan_id = plan.id
      AND agents_intent.position = %(position)s
), session AS (
    UPDATE agents_terminalsession
    SET state = %(session)s
    FROM plan
    WHERE agents_terminalsession.intent_plan_id = plan.id AND agents_terminalsession.state <> %(session)s::jsonb
), workspace AS (
    UPDATE agents_workspace
    SET head = %(after)s, changed_at = clock_timestamp()
    FROM plan
    WHERE agents_workspace.id = plan.workspace_id AND agents_workspace.head <> %(after)s
    RETURNING agents_workspace.id
), following AS (
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
    -- The workspace comes before the log's counter, as wherever rows are locked.
    SELECT plan.goal_id, %(lines_of_it)s + CASE WHEN asked.stamp = %(granted)s THEN %(lines_of_next)s ELSE 0 END AS lines
    FROM plan LEFT JOIN asked ON true, (SELECT count(*) FROM workspace) AS moved
), counted AS (
    INSERT INTO agents_logcounter AS counter (goal_id, last)
    SELECT due.goal_id, due.lines FROM due WHERE due.lines > 0
    ON CONFLICT (goal_id) DO UPDATE SET last = counter.last + excluded.last
    RETURNING last
), written AS (
    INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)
    SELECT due.goal_id, counted.last - due.lines + line.place, clock_timestamp(),
           line.source, line.stage, line.level, line.text, line.data
    FROM due, counted, ROWS FROM (json_to_recordset(%(lines)s::json)
        AS (source text, stage text, level text, text text, data jsonb)) WITH ORDINALITY
        AS line (source, stage, level, text, data, place)
    WHERE line.place <= due.lines
)
SELECT asked.id, asked.stamp, counted.last
FROM plan LEFT JOIN asked ON true LEFT JOIN counted ON true
