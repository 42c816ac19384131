-- File what steps reported: tries, intents and log lines, all that waits at once. The caller has locked goal and plan in
-- a statement before, so that whoever filed earlier has committed and is seen here; with %(ended_by)s only if that has
-- ended the plan under this fence.
WITH report AS (
    DELETE FROM agents_stepreport
    WHERE intent_plan_id = %(plan)s
      AND (%(ended_by)s = 0 OR EXISTS (
          SELECT FROM agents_intentplan WHERE id = %(plan)s AND state = 'complete' AND fence = %(ended_by)s))
    RETURNING *
), ended AS (
    -- A try that began in a statement before is there already.
    UPDATE agents_attempt
    SET finished = report.at, outcome = report.outcome, result = report.result, snapshot_after = report.after,
        reason = report.reason
    FROM report
    WHERE agents_attempt.id = report.attempt
      AND NOT EXISTS (SELECT FROM report AS before WHERE before.following = report.attempt)
), begun AS (
    -- The others began with a report, and most have ended with the next one: they are written once.
    INSERT INTO agents_attempt
        (id, intent_id, number, fence, worker, started, finished, outcome, result, failure_class, reason,
         snapshot_before, snapshot_after)
    SELECT before.following, intent.id, 1, before.fence, before.worker, before.at, report.at,
           coalesce(report.outcome, ''), report.result, '', coalesce(report.reason, ''),
           before.after, coalesce(report.after, '')
    FROM report AS before
    JOIN agents_intent AS intent
      ON intent.intent_plan_id = %(plan)s AND intent.position = before.position + 1
    LEFT JOIN report ON report.attempt = before.following
    WHERE before.following IS NOT NULL
), stood AS (
    SELECT report.position, report.outcome AS state, report.result, report.reason FROM report
    UNION ALL
    SELECT last.position + 1, 'running', NULL, ''
    FROM (SELECT position, following FROM report ORDER BY position DESC LIMIT 1) AS last
    WHERE last.following IS NOT NULL
), intents AS (
    UPDATE agents_intent
    SET state = stood.state, result = stood.result, reason = stood.reason
    FROM stood
    WHERE agents_intent.intent_plan_id = %(plan)s AND agents_intent.position = stood.position
      AND agents_intent.state IN ('pending', 'running')
), line AS (
    SELECT row_number() OVER (ORDER BY report.position, said.part, line.place) AS place,
           report.at, line.source, coalesce(line.stage, 'execute') AS stage, coalesce(line.level, 'info') AS level,
           line.text, coalesce(line.data, '{}') AS data
    FROM report,
         LATERAL (VALUES (1, report.said), (2, report.begins)) AS said (part, lines),
         LATERAL ROWS FROM (json_to_recordset(said.lines::json)
             AS (source text, stage text, level text, text text, data jsonb)) WITH ORDINALITY
             AS line (source, stage, level, text, data, place)
), counted AS (
    UPDATE agents_logcounter
    SET last = last + (SELECT count(*) FROM line)
    WHERE goal_id = %(goal)s AND EXISTS (SELECT FROM report)
    RETURNING last
), written AS (
    INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)
    SELECT %(goal)s, counted.last - (SELECT count(*) FROM line) + line.place, line.at,
           line.source, line.stage, line.level, line.text, line.data
    FROM counted, line
)
SELECT last FROM counted
