-- What a finished try leaves: the parts of a statement that come after `plan`, the updated row of its plan.
finished AS (
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
)
