-- Numbering and writing the log lines of the goal that are `due` (lines: how many of them), in a statement's own parts.
counted AS (
    -- The row is there: it was made with the goal's first line, which was written before anything ran.
    UPDATE agents_logcounter
    SET last = last + (SELECT lines FROM due)
    WHERE goal_id = %(goal)s AND EXISTS (SELECT FROM due)
    RETURNING last
), written AS (
    INSERT INTO agents_logline (goal_id, number, at, source, stage, level, text, data)
    SELECT %(goal)s, counted.last - due.lines + line.place, clock_timestamp(),
           line.source, line.stage, line.level, line.text, line.data
    FROM due, counted, ROWS FROM (json_to_recordset(%(lines)s::json)
        AS (source text, stage text, level text, text text, data jsonb)) WITH ORDINALITY
        AS line (source, stage, level, text, data, place)
    WHERE line.place <= due.lines
)
