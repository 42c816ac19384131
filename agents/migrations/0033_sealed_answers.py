"""Answers on the bus count as they were given: those that are there are sealed once."""

from django.db import migrations
from django.db.models import Q

from people.sealing_upgrades import Kind, sealer

_KINDS = (
    Kind(
        "BusAnswer",
        ("by_id", "member_id", "offered_id", "goal_id", "state", "reason", "answer"),
        Q(state__in=("answered", "failed")),
    ),
)


class Migration(migrations.Migration):
    dependencies = [("agents", "0032_card_readings")]

    operations = [
        migrations.CreateModel(
            name="BusAnswer",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("agents.busrequest",),
        ),
        migrations.RunPython(sealer("agents", _KINDS), migrations.RunPython.noop),
    ]
