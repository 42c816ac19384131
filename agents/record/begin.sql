-- Begin a try of the intent at %(position)s that no finished step before it begins, write the log lines that are due,
-- and ask for the gate's stamp, in one statement. No row: the lease is somebody else's.
WITH plan AS (
    SELECT plan.id, plan.goal_id, workspace.head,
           agent.paused OR EXISTS (SELECT FROM agents_standstill) AS halted
    FROM agents_goal goal
    JOIN agents_intentplan plan ON plan.goal_id = goal.id
    JOIN agents_workspace workspace ON workspace.id = plan.workspace_id
    JOIN agents_agent agent ON agent.id = goal.agent_id
    WHERE goal.id = %(goal)s AND goal.lease_fence = %(fence)s AND plan.id = %(plan)s
    FOR NO KEY UPDATE OF goal
), intent AS (
    UPDATE agents_intent
    SET state = 'running', reason = ''
    FROM plan
    WHERE agents_intent.intent_plan_id = plan.id
      AND agents_intent.position = %(position)s
      AND agents_intent.state IN ('pending', 'running', 'failed', 'outcome_unknown')
      AND NOT plan.halted
    RETURNING agents_intent.id
), last AS (
    -- The alternative that comes next: what the recovery chose after the last try, else what that try was of.
    SELECT attempt.number, coalesce(nullif(recovery.alternative, 0), attempt.alternative) AS alternative
    FROM intent
    JOIN agents_attempt attempt ON attempt.intent_id = intent.id
    LEFT JOIN agents_recoveryattempt recovery ON recovery.attempt_id = attempt.id
    ORDER BY attempt.number DESC
    LIMIT 1
), begun AS (
    INSERT INTO agents_attempt
        (intent_id, number, fence, worker, started, outcome, failure_class, reason, alternative, snapshot_before,
         snapshot_after)
    SELECT intent.id, coalesce(last.number, 0) + 1, %(fence)s, %(worker)s, clock_timestamp(), '', '', '',
           coalesce(last.alternative, 0), plan.head, ''
    FROM plan, intent LEFT JOIN last ON true
    RETURNING id, number, alternative
), asked AS (
    -- The try's row is there by now, and the function sees all that is committed by now.
    SELECT begun.id, begun.number, begun.alternative, {stamp} AS stamp FROM begun
), due AS (
    -- That it begins is said only when nothing is left to ask the gate about it, and here only of a first try.
    SELECT %(lines_of_it)s + CASE
        WHEN asked.stamp = %(granted)s AND asked.number = 1 AND asked.alternative = 0 THEN %(lines_of_next)s
        ELSE 0 END AS lines
    FROM plan LEFT JOIN asked ON true
    WHERE NOT plan.halted
), counted AS (
    -- The row is there: it was made with the goal's first line, which was written before anything ran.
    UPDATE agents_logcounter
    SET last = last + (SELECT lines FROM due)
    WHERE goal_id = %(goal)s AND EXISTS (SELECT FROM due)
    RETURNING last
), written AS (
    INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)
    SELECT %(goal)s, counted.last - due.lines + line.place, clock_timestamp(),
           line.source, coalesce(line.stage, 'execute'), coalesce(line.level, 'info'), line.text,
           coalesce(line.data, '{}')
    FROM due, counted, ROWS FROM (json_to_recordset(%(lines)s::json)
        AS (source text, stage text, level text, text text, data jsonb)) WITH ORDINALITY
        AS line (source, stage, level, text, data, place)
    WHERE line.place <= due.lines
)
SELECT plan.halted, plan.head, asked.id, asked.number, asked.alternative, asked.stamp, (SELECT last FROM counted)
FROM plan LEFT JOIN asked ON true
