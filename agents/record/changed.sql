-- What a finished try leaves beside its result when it was not the first one, or when session or files are different now.
recovered AS (
    -- A recovery counts as a success only now that the recovered intent has succeeded.
    UPDATE agents_recoveryattempt
    SET succeeded = (%(intent_state)s = 'succeeded')
    FROM agents_attempt
    JOIN agents_intent ON agents_intent.id = agents_attempt.intent_id
    WHERE agents_recoveryattempt.attempt_id = agents_attempt.id
      AND agents_recoveryattempt.succeeded IS NULL
      AND agents_intent.intent_plan_id = %(plan)s
      AND agents_intent.position = %(position)s
      AND EXISTS (SELECT FROM plan)
), session AS (
    UPDATE agents_terminalsession
    SET state = %(session)s
    WHERE intent_plan_id = %(plan)s AND state <> %(session)s::jsonb AND EXISTS (SELECT FROM plan)
), workspace AS (
    UPDATE agents_workspace
    SET head = %(after)s, changed_at = clock_timestamp()
    WHERE id = %(workspace)s AND head <> %(after)s AND EXISTS (SELECT FROM plan)
    RETURNING id
)
