"""A request that is sent again gets only an answer that mindX gave: those of the last day are sealed once."""

from django.db import migrations
from django.db.models import Q

from people.sealing_upgrades import Kind, sealer

_KINDS = (
    Kind("AnsweredRequest", ("user_id", "key", "fingerprint", "status", "location", "body"), Q(status__isnull=False)),
)


class Migration(migrations.Migration):
    dependencies = [("people", "0003_external_logins")]

    operations = [migrations.RunPython(sealer("people", _KINDS), migrations.RunPython.noop)]
