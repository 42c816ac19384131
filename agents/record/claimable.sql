-- Goals whose cycle can go on now and that nobody has a lease on.
SELECT goal.id
FROM agents_goal goal
JOIN agents_agent agent ON agent.id = goal.agent_id
WHERE {which}
  AND NOT agent.paused
  AND NOT EXISTS (SELECT FROM agents_standstill)
  AND (goal.lease_until IS NULL OR goal.lease_until <= clock_timestamp())
  AND (
    goal.state IN ('planning', 'executing')
    OR (goal.state IN ('pending', 'recovering') AND (goal.wake_at IS NULL OR goal.wake_at <= clock_timestamp()))
    OR (goal.state = 'awaiting_review'
        AND EXISTS (
            SELECT FROM agents_intentplan plan
            WHERE plan.goal_id = goal.id AND plan.state = 'approved'
              AND NOT EXISTS (
                  SELECT FROM agents_intentplan busy
                  WHERE busy.workspace_id = plan.workspace_id AND busy.state = 'executing')
              AND NOT EXISTS (
                  SELECT FROM agents_handcommand typed
                  WHERE typed.workspace_id = plan.workspace_id AND typed.state = 'running')))
    OR (goal.state = 'blocked'
        AND NOT EXISTS (
            SELECT FROM agents_goal_depends_on edge
            JOIN agents_goal other ON other.id = edge.to_goal_id
            WHERE edge.from_goal_id = goal.id
              AND other.state NOT IN ('achieved', 'failed', 'dropped'))
        AND NOT EXISTS (
            SELECT FROM agents_subgoal part
            JOIN agents_goal child ON child.id = part.goal_id
            WHERE part.parent_id = goal.id
              AND child.state NOT IN ('achieved', 'failed', 'dropped')))
    OR (goal.state IN ('achieved', 'failed', 'dropped') AND goal.learned_at IS NULL)
  )
ORDER BY {order}
