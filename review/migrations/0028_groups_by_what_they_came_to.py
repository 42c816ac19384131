"""Plans are grouped by what their shadow runs came to, and history is counted by what steps act on.

The targets of the newest steps are read from their documents, so that what has been done so far still counts. Risks of
plans that wait were worked out from counts of whole commands: they are thrown away, and the sweep works them out again.
Until then nobody knows the risk of these plans, unless it is high: that comes from what they could do.
"""

import json

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently, ValidateConstraint
from django.db import migrations, models

from review.risk.targets import target_of

NEWEST_STEPS = 20_000
EXPIRE = """
-- short lock: rows of plans that wait, which nothing else holds for long
DELETE FROM review_planrisk WHERE intent_plan_id IN (SELECT intent_plan_id FROM review_queueentry WHERE waits);
UPDATE review_queueentry SET rank = 1 WHERE waits AND rank > 1;
INSERT INTO review_plannews (intent_plan_id) SELECT intent_plan_id FROM review_queueentry WHERE waits;
"""


def targets_of(document):
    """What each step acts on, by position; None for bytes that are no plan."""
    try:
        read = json.loads(bytes(document))
        return [target_of(one["tool"], one["command"], one["params"]) for one in [*read["intents"], *read["cleanup"]]]
    except (ValueError, KeyError, TypeError):
        return None


def fill(apps, schema_editor):
    """Read the documents of the newest steps' plans. A short lock on one row at a time."""
    steps = apps.get_model("agents", "Intent").objects.order_by("-pk")[:NEWEST_STEPS]
    entries = apps.get_model("review", "QueueEntry").objects.filter(targets=None)
    plans = entries.filter(intent_plan__in=set(steps.values_list("intent_plan_id", flat=True)))
    waiting = entries.filter(waits=True)
    for found in (plans, waiting):
        rows = found.values_list("pk", "intent_plan__document")
        for pk, document in rows.iterator(chunk_size=500):
            entries.filter(pk=pk).update(targets=targets_of(document))


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("agents", "0067_step_reports_keep_their_pages"), ("review", "0027_what_shadow_runs_came_to")]

    operations = [
        ValidateConstraint("queueentry", "queue_entry_outcome_known"),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunSQL(EXPIRE, migrations.RunSQL.noop),
        AddIndexConcurrently(
            "queueentry",
            models.Index(
                fields=["shape", "trial", "rung", "queued_at", "intent_plan"],
                condition=models.Q(("waits", True)),
                name="queue_group",
            ),
        ),
        RemoveIndexConcurrently("queueentry", "queue_shape"),
    ]
