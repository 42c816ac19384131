"""Recoveries from before their sums followed each change are counted, while others write.

One statement adds what the sums lack of the failures as it sees both, so what the trigger has counted since is not
counted twice, whoever writes meanwhile.
"""

from django.db import migrations

SO_FAR = """
-- short lock: rows are read and new ones added, nothing that others write is locked.
INSERT INTO agents_recoveryday (day, agent_id, tool, failure_class, strategy, came, cases)
SELECT day, agent_id, tool, failure_class, strategy, came, sum(cases) FROM (
    SELECT (failure.at AT TIME ZONE 'UTC')::date AS day, coalesce(failure.agent_id, goal.agent_id) AS agent_id,
           failure.tool, failure.failure_class,
           concat_ws(':', failure.strategy, nullif(failure.variant, '')) AS strategy,
           agents_recovery_came(failure) AS came, 1 AS cases
    FROM agents_failurerecord failure JOIN agents_goal goal ON goal.id = failure.goal_id
    WHERE agents_recovery_came(failure) IS NOT NULL
  UNION ALL
    SELECT day, agent_id, tool, failure_class, strategy, came, -cases FROM agents_recoveryday
) AS each
GROUP BY day, agent_id, tool, failure_class, strategy, came HAVING sum(cases) <> 0
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0056_sums_of_the_mind")]

    operations = [migrations.RunSQL(SO_FAR, migrations.RunSQL.noop)]
