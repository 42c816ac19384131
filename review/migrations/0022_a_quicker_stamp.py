"""The stamp tells of a changed document by a hash of 64 bits, which takes a seventh of the time of a SHA-256.

It runs before every step, and asks whether anything is other than it was a moment ago. What a worker runs are the bytes
that it read at its claim, and of those the gate has compared the SHA-256 with the approved one.
"""

from importlib import import_module

from django.db import migrations

BEFORE: str = import_module("review.migrations.0021_a_shorter_stamp").STAMP
STAMP = BEFORE.replace("sha256(plan.document)", "hashbyteaextended(plan.document, 0)")


def forward(apps: object, schema_editor: object) -> None:
    """The new stamp. A short lock on a function that runs for a millisecond."""
    schema_editor.execute(STAMP, None)  # type: ignore[attr-defined]  # its class is not public


def as_before(apps: object, schema_editor: object) -> None:
    """The stamp of 0021 again. A short lock as well."""
    schema_editor.execute(BEFORE, None)  # type: ignore[attr-defined]  # its class is not public


class Migration(migrations.Migration):
    dependencies = [("review", "0021_a_shorter_stamp")]

    operations = [migrations.RunPython(forward, as_before)]
