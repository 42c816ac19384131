-- Numbering and writing the log lines that are `due` (goal_id, lines: how many of them), in a statement's own parts.
counting AS (
    UPDATE agents_logcounter AS counter
    SET last = counter.last + due.lines
    FROM due
    WHERE counter.goal_id = due.goal_id AND due.lines > 0
    RETURNING last
), beginning AS (
    -- A goal's first lines, for which this row may be made by somebody else at the same time.
    INSERT INTO agents_logcounter AS counter (goal_id, last)
    SELECT due.goal_id, due.lines FROM due WHERE due.lines > 0 AND NOT EXISTS (SELECT FROM counting)
    ON CONFLICT (goal_id) DO UPDATE SET last = counter.last + excluded.last
    RETURNING last
), counted AS (
    SELECT last FROM counting UNION ALL SELECT last FROM beginning
), written AS (
    INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)
    SELECT due.goal_id, counted.last - due.lines + line.place, clock_timestamp(),
           line.source, line.stage, line.level, line.text, line.data
    FROM due, counted, ROWS FROM (json_to_recordset(%(lines)s::json)
        AS (source text, stage text, level text, text text, data jsonb)) WITH ORDINALITY
        AS line (source, stage, level, text, data, place)
    WHERE line.place <= due.lines
)
