-- What a finished try leaves beside its result when it was not the first one, or when session or files are different now.
recovered AS (
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
)
