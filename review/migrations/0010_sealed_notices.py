"""Notices go only where a person chose, and only those that mindX put on their way: what there is is sealed once."""

from django.db import migrations
from django.db.models import Q

from people.sealing_upgrades import Kind, sealer

_KINDS = (
    Kind("NoticeChoice", ("user_id", "email_kinds", "apprise_kinds", "apprise_address")),
    Kind("Delivery", ("notice__user_id", "notice__kind", "notice__text", "channel"), Q(state="waiting")),
)


class Migration(migrations.Migration):
    dependencies = [("review", "0009_one_record_of_decisions"), ("people", "0001_tables")]

    operations = [migrations.RunPython(sealer("review", _KINDS), migrations.RunPython.noop)]
