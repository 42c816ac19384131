-- Finish the intent at %(position)s, write the log lines that are due, begin the next one and ask for the gate's stamp,
-- in one statement.
-- Every condition stands on the plan's row: a late worker (fence), a cancelled plan, a changed approval or a workspace
-- that moved under it updates nothing, and then no other part of the statement finds a row either. The other parts
-- find their rows by the ids they are given and only ask whether there is a plan: joined to its row instead, each of
-- them would be a join to be started, which for single rows costs more than finding them.
WITH plan AS (
    UPDATE agents_intentplan
    SET position = agents_intentplan.position + 1
    WHERE id = %(plan)s
      AND goal_id = %(goal)s
      AND workspace_id = %(workspace)s
      AND state = 'executing'
      AND fence = %(fence)s
      AND position = %(position)s
      AND NOT cancel_requested
      AND approved_digest = %(digest)s
      AND %(before)s = (SELECT head FROM agents_workspace WHERE id = %(workspace)s)
    RETURNING id
), {recorded}{changed}, intents AS (
    UPDATE agents_intent
    SET state = CASE WHEN position = %(position)s THEN %(intent_state)s ELSE 'running' END,
        result = CASE WHEN position = %(position)s THEN %(result)s::jsonb ELSE result END,
        reason = CASE WHEN position = %(position)s THEN %(reason)s ELSE reason END
    WHERE intent_plan_id = %(plan)s
      AND position IN (%(position)s, %(position)s + 1)
      AND (position = %(position)s OR state = 'pending' AND %(go_on)s
           -- What runs is finished while its agent is paused or everything stands still; nothing further begins.
           AND NOT EXISTS (SELECT FROM agents_standstill)
           AND NOT (SELECT agent.paused FROM agents_goal goal JOIN agents_agent agent ON agent.id = goal.agent_id
                    WHERE goal.id = %(goal)s))
      AND EXISTS (SELECT FROM plan)
    RETURNING id, position
), begun AS (
    INSERT INTO agents_attempt
        (intent_id, number, fence, worker, started, outcome, failure_class, reason, snapshot_before, snapshot_after)
    SELECT id, 1, %(fence)s, %(worker)s, clock_timestamp(), '', '', '', %(after)s, ''
    FROM intents
    WHERE position > %(position)s
    RETURNING id
), asked AS (
    -- The try's row is there by now, and the function sees all that is committed by now.
    SELECT id, {stamp} AS stamp FROM begun
), due AS (
    -- How many of the lines: that the next step begins is said only when nothing is left to ask the gate about it.
    SELECT %(lines_of_it)s + CASE WHEN (SELECT stamp FROM asked) = %(granted)s THEN %(lines_of_next)s ELSE 0 END
        AS lines{after_changed}
    WHERE EXISTS (SELECT FROM plan)
), {told}
SELECT (SELECT id FROM asked), (SELECT stamp FROM asked), (SELECT last FROM counted) FROM plan
