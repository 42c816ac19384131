"""A try and a move refer to rows that the statement which writes them has in its hands: they are not looked for again.

For each try and each move the server locked the intent, the goal and the plan once more, wrote that lock to its log and
looked for the row: a thirtieth of all that executing costs it. Intents, plans and goals are never deleted by mindX, and
for anybody else the references from plan to goal and from intent to plan stand in the way, as before.
"""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.operations.base import Operation


def _unreferred(model: str, name: str, to: str, constraint: str, **field: Any) -> Operation:
    table, column, other = f"agents_{model}", f"{name}_id", to.replace(".", "_")
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                f"-- short lock: a constraint goes without a row being read.\nALTER TABLE {table} DROP CONSTRAINT {constraint}",
                f"-- short lock: what is there is not read.\nALTER TABLE {table} ADD CONSTRAINT {constraint}"
                f" FOREIGN KEY ({column}) REFERENCES {other} (id) DEFERRABLE INITIALLY DEFERRED NOT VALID",
            )
        ],
        [
            migrations.AlterField(
                model,
                name,
                models.ForeignKey(to=to, on_delete=django.db.models.deletion.CASCADE, db_constraint=False, **field),
            )
        ],
    )


class Migration(migrations.Migration):
    dependencies = [("agents", "0062_fewer_indexes_of_goals_and_plans")]

    operations = [
        _unreferred(
            "attempt",
            "intent",
            "agents.intent",
            "agents_attempt_intent_id_6feb4e3f_fk_agents_intent_id",
            related_name="attempts",
            db_index=False,
        ),
        _unreferred(
            "transition",
            "goal",
            "agents.goal",
            "agents_transition_goal_id_1548a380_fk_agents_goal_id",
            related_name="transitions",
            db_index=False,
        ),
        _unreferred(
            "transition",
            "intent_plan",
            "agents.intentplan",
            "agents_transition_intent_plan_id_cdd81ad0_fk_agents_in",
            related_name="transitions",
            null=True,
        ),
    ]
