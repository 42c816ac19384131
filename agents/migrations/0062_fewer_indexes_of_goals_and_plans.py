"""Each index costs with every row that moves: where another one begins with the reference, that is enough."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.operations.base import Operation


def _without_index(model: str, name: str, to: str, index: str, **field: Any) -> Operation:
    table, column = f"agents_{model}", f"{name}_id"
    return migrations.SeparateDatabaseAndState(
        [
            migrations.RunSQL(
                f"-- short lock: no row is read.\nDROP INDEX {index}",
                f"-- short lock: on the way back nothing runs.\nCREATE INDEX {index} ON {table} ({column})",
            )
        ],
        [migrations.AlterField(model, name, models.ForeignKey(to=to, db_index=False, **field))],
    )


class Migration(migrations.Migration):
    dependencies = [("agents", "0061_resets_taken_back")]

    operations = [
        _without_index(
            "goal",
            "submitted_by",
            settings.AUTH_USER_MODEL,
            "agents_goal_submitted_by_id_ead32519",
            on_delete=django.db.models.deletion.PROTECT,
            related_name="goals",
        ),
        _without_index(
            "plan",
            "goal",
            "agents.goal",
            "agents_plan_goal_id_a7ab7fb9",
            on_delete=django.db.models.deletion.CASCADE,
            related_name="plans",
        ),
        _without_index(
            "intentplan",
            "goal",
            "agents.goal",
            "agents_intentplan_goal_id_5a2d024a",
            on_delete=django.db.models.deletion.CASCADE,
            related_name="intent_plans",
        ),
    ]
