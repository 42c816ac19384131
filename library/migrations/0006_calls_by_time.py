"""Lists of calls by time, model and state have indexes; they are built while calls are made."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("library", "0005_model_days")]

    operations = [
        AddIndexConcurrently("modelcall", models.Index(fields=["at", "id"], name="model_call_by_time")),
        AddIndexConcurrently("modelcall", models.Index(fields=["model", "at"], name="model_call_by_model_and_time")),
        AddIndexConcurrently("modelcall", models.Index(fields=["state", "at"], name="model_call_by_state_and_time")),
    ]
