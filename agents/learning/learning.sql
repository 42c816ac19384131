-- All that the experience of an ended goal is made of, with the goal's row locked for as long as this worker has the lease.
SELECT goal.text, goal.state, goal.outcome, goal.reason, goal.ended_at, goal.submitted_by_id, goal.learned_at IS NOT NULL,
       agent.name, workspace.name,
       -- What people said first: it is what the others cannot be seen by.
       ARRAY(
           SELECT belief.sentence FROM agents_belief belief
           WHERE belief.goal_id = goal.id AND belief.retracted_by = ''
           ORDER BY belief.source <> 'person', belief.id LIMIT %(beliefs)s),
       goal.wishes::text,
       (SELECT whole.text FROM agents_goal whole
        WHERE whole.id = goal.parent_id AND whole.submitted_by_id = goal.submitted_by_id),
       goal.parent_id IS NOT NULL,
       (SELECT json_agg(json_build_object(
                   'id', failure.id, 'stage', failure.stage, 'position', failure.position, 'tool', failure.tool,
                   'command', failure.command, 'failure_class', failure.failure_class,
                   'reason', left(failure.reason, %(said)s::int), 'strategy', failure.strategy,
                   'variant', failure.variant, 'why', left(failure.why, %(said)s::int),
                   'overtaken_by', failure.overtaken_by, 'succeeded', failure.succeeded) ORDER BY failure.id)::text
        FROM (SELECT * FROM agents_failurerecord found WHERE found.goal_id = goal.id
              ORDER BY found.id LIMIT %(recoveries)s) failure),
       (SELECT coalesce(json_agg(json_build_array(move.new, move.by, move.reason) ORDER BY move.id), '[]')::text
        FROM agents_transition move
        WHERE move.goal_id = goal.id AND move.intent_plan_id IS NOT NULL
          AND move.new IN ('approved', 'rejected', 'superseded')),
       tried.tries, tried.failure,
       -- What failed in the newest of its plans that were begun, where nothing got past it. Most goals had no failure.
       CASE WHEN tried.failure <> '' THEN (
           SELECT left('step ' || stuck.position || ' had failed: ' || attempt.reason, %(said)s::int)
           FROM agents_intentplan revision
           JOIN agents_intent stuck ON stuck.intent_plan_id = revision.id
           JOIN agents_attempt attempt ON attempt.intent_id = stuck.id
           WHERE revision.goal_id = goal.id AND stuck.phase = 'main' AND stuck.state = 'failed'
                 AND attempt.outcome = 'failed'
                 AND NOT EXISTS (
                     SELECT FROM agents_intentplan later
                     JOIN agents_intent step ON step.intent_plan_id = later.id
                     JOIN agents_attempt begun ON begun.intent_id = step.id
                     WHERE later.goal_id = goal.id AND later.revision > revision.revision)
           ORDER BY attempt.id DESC LIMIT 1) END,
       tried.failure <> '' AND EXISTS (
           SELECT FROM agents_handitem hand WHERE hand.goal_id = goal.id AND hand.intent_plan_id IS NOT NULL),
       (SELECT count(*) FROM agents_intentplan revision WHERE revision.goal_id = goal.id),
       plan.id, plan.state,
       (SELECT json_build_object('rule', proposed.evidence -> 'rule', 'source', proposed.source,
                                 'workflow', proposed.evidence #> '{workflow,component_version_id}',
                                 'model', proposed.evidence #>> '{model,answered_by}')::text
        FROM agents_plan proposed WHERE proposed.id = plan.plan_id),
       -- As the reviewer read them. Documents are canonical JSON, whose order is that of the steps.
       ARRAY(
           SELECT left(spec.step ->> 'sentence', %(sentence)s::int)
           FROM json_array_elements(convert_from(plan.document, 'UTF8')::json -> 'intents') AS spec(step)
           LIMIT %(steps)s),
       step.main, step.tools, step.worked,
       ARRAY(
           -- What is behind the white space at its end, as far as anybody is told of it.
           SELECT right(rtrim(coalesce(nullif(last.result ->> 'stdout', ''), last.result ->> 'message', ''),
                              E' \t\n\r\f\v'), %(said)s::int)
           FROM agents_intent last
           WHERE last.intent_plan_id = plan.id AND last.phase = 'main' AND jsonb_typeof(last.result) = 'object'
           ORDER BY last.position DESC LIMIT %(last)s),
       plan.state IN ('complete', 'failed') AND EXISTS (
           SELECT FROM agents_shadowrun run
           WHERE run.intent_plan_id = plan.id AND run.state = 'done' AND run.surprises IS NULL),
       EXISTS (SELECT FROM agents_evolvedcopy copy WHERE copy.goal_id = goal.id AND copy.settled_at IS NULL),
       EXISTS (
           SELECT FROM agents_goal part
           WHERE part.parent_id = goal.id AND part.state NOT IN ('achieved', 'failed', 'dropped')),
       -- The files that its steps left, where they are others than those that they began with.
       nullif(tried.after, tried.began),
       -- Whoever waits for a goal has submitted it under a key.
       goal.submission_key <> ''
FROM agents_goal goal
JOIN agents_agent agent ON agent.id = goal.agent_id
JOIN agents_workspace workspace ON workspace.id = goal.workspace_id
LEFT JOIN LATERAL (
    SELECT newest.id, newest.state, newest.plan_id, newest.document FROM agents_intentplan newest
    WHERE newest.goal_id = goal.id ORDER BY newest.revision DESC LIMIT 1) plan ON true
CROSS JOIN LATERAL (
    SELECT coalesce(array_agg(intent.tool || '.' || intent.command ORDER BY intent.position)
                    FILTER (WHERE intent.phase = 'main'), '{}') AS main,
           coalesce(array_agg(DISTINCT intent.tool::text), '{}') AS tools,
           coalesce(bool_or(intent.state = 'succeeded') FILTER (WHERE intent.phase = 'main'), false) AS worked
    FROM agents_intent intent WHERE intent.intent_plan_id = plan.id) step
CROSS JOIN LATERAL (
    SELECT count(*) AS tries,
           coalesce((array_agg(attempt.failure_class ORDER BY attempt.id DESC)
                     FILTER (WHERE attempt.outcome = 'failed'))[1], '') AS failure,
           (array_agg(attempt.snapshot_before ORDER BY attempt.id))[1] AS began,
           (array_agg(attempt.snapshot_after ORDER BY attempt.id DESC)
            FILTER (WHERE attempt.snapshot_after <> ''))[1] AS after
    FROM agents_intentplan revision
    JOIN agents_intent intent ON intent.intent_plan_id = revision.id
    JOIN agents_attempt attempt ON attempt.intent_id = intent.id
    WHERE revision.goal_id = goal.id) tried
WHERE goal.id = %(goal)s AND goal.lease_fence = %(fence)s
FOR NO KEY UPDATE OF goal
