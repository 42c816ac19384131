-- What a finished try leaves: a part of a statement that comes after `plan`, the updated row of its plan.
finished AS (
    UPDATE agents_attempt
    SET finished = clock_timestamp(), outcome = %(outcome)s, result = %(result)s::jsonb, snapshot_after = %(after)s,
        failure_class = %(failure_class)s, reason = %(reason)s
    WHERE id = %(attempt)s AND EXISTS (SELECT FROM plan)
)
