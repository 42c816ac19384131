"""`manage.py`: runs a command, and says in one sentence why it has no database while mindX starts or does not run."""

from __future__ import annotations

import os
import sys
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError
from django.db.backends.signals import connection_created

from mindx_web.supervisor.configuration import data_of
from mindx_web.supervisor.data_folder import STARTING, STOPPING, DataFolder, holder_of


def main(arguments: list[str]) -> None:
    """Run the command. With a database of the operator's own, or as a part of the start, just that."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindx_web.settings")
    if os.environ.get("DATABASE_URL") or arguments[1:2] == ["prepare"]:
        execute_from_command_line(arguments)
        return
    connection_created.connect(_refuse_while_starting)
    try:
        execute_from_command_line(arguments)
    except OperationalError:
        if why := _why_not_now() or _why_not_at_all():
            sys.exit(why)
        raise
    except ImproperlyConfigured as error:
        if settings.configured:
            raise
        # Before the first start there is no secret key. The settings' own words are for operators.
        sys.exit(_why_not_now() or str(error))


def _refuse_while_starting(**_: Any) -> None:
    """A command that came in between would find half of the tables, or nobody to make a token for.

    As an error of the database, so that `doctor` reports it among its findings.
    """
    if why := _why_not_now():
        raise OperationalError(why)


def _why_not_now() -> str:
    holder = holder_of(_folder())
    if holder is None:
        return ""
    if not holder or holder.endswith(STARTING):  # the note follows the lock by a moment
        return "mindX is still starting; try again when make up says that it is ready."
    return "mindX is stopping; start it again with make up." if holder.endswith(STOPPING) else ""


def _why_not_at_all() -> str:
    return f"mindX does not run on {_folder().root}; start it with make up." if holder_of(_folder()) is None else ""


def _folder() -> DataFolder:
    return DataFolder(data_of(os.environ))
