"""The trials of a tool that a person made, run by a worker: asked for with each version, and again when somebody asks.

Each trial has a jail of its own. A version is put to use only when all of them did what the tool says of itself.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from agents.components import made_tools
from agents.models import ToolCheck
from agents.record import causes, draining, logs, wake_ups
from agents.record.causes import Forged
from agents.record.errors import NotPossibleNow
from agents.toolkit import registry
from agents.toolkit.command import Tool
from agents.toolkit.made import MadeToolFault
from agents.toolkit.schemas import SchemaFault
from agents.trials import checking
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people import sealing
from people.models import User
from sandbox.contract import SandboxError

logger = logging.getLogger(__name__)

BEGUN_MAX = 3
# Longer than the trials of a tool take; a worker that dies is followed by another after it.
_LEASE = timedelta(minutes=15)
_OPEN = Q(ended_at=None)


def ask(version: ComponentVersion, *, by: User) -> ToolCheck:
    """Have the trials of a version run, once more if they ran already. Raises LibraryRefused, NotPossibleNow."""
    if not library.may_write(by):
        raise LibraryRefused("Your roles do not let you ask for trials. A reviewer, operator or developer can.")
    try:
        made_tools.read(version)
    except MadeToolFault as fault:
        raise NotPossibleNow(f"This version cannot be read as a tool: {fault}") from fault
    again = {"by": by, "rows": [], "fits": None, "said": "", "lease_fence": 0, "lease_until": None, "ended_at": None}
    with transaction.atomic():
        check, _ = ToolCheck.objects.update_or_create(version=version, defaults=again)
        sealing.seal(check)
    wake_ups.wake_background("tool_check", version.pk)
    return check


def of(version: ComponentVersion) -> ToolCheck | None:
    """The trials of a version, under way or ended; None when nobody asked for any."""
    return ToolCheck.objects.filter(version=version).first()


def why_not(version: ComponentVersion) -> str:
    """What its trials have against using a version, as a sentence; empty when all of them fit."""
    check = of(version)
    if check is None:
        return "Its trials have not been run."
    if check.ended_at is None:
        return "Its trials are still running."
    if not sealing.is_genuine(check):
        return "What is stored of its trials is not what they came to. Run them again."
    if check.fits is None:
        return f"Its trials could not be run: {check.said}."
    return "" if check.fits else "Not all of its trials passed."


def sweep() -> None:
    """Wake a worker for trials that nobody runs."""
    for version in ToolCheck.objects.filter(_OPEN & _free()).values_list("version", flat=True)[:10]:
        wake_ups.wake_background("tool_check", version)


def work(version_id: int) -> None:
    """Run the trials of a version, if nobody does."""
    if draining.is_asked():
        return
    free = ToolCheck.objects.filter(_OPEN & _free(), version=version_id)
    if not free.update(lease_fence=F("lease_fence") + 1, lease_until=Now() + _LEASE):
        return
    check = ToolCheck.objects.select_related("version__component").get(version=version_id)
    if check.lease_fence > BEGUN_MAX:
        _end(check, [], None, f"{BEGUN_MAX} workers died while they ran")
        return
    try:
        causes.check(check, check.version)
        rows = _run(made_tools.read(check.version))
    except Forged as forged:
        _end(check, [], None, str(forged))
    except (MadeToolFault, SchemaFault, SandboxError, OSError) as error:
        logger.warning("The trials of %s could not be run", check.version, exc_info=True)
        _end(check, [], None, str(error))
    else:
        _end(check, rows, not any(row.faults for row in rows), "")


def _run(tool: Tool) -> list[checking.Row]:
    made_tools.refresh()
    with registry.with_tool(tool) as tools:
        return [row for command in tool.commands for row in checking.checked(command, tools)]


def _end(check: ToolCheck, rows: list[checking.Row], fits: bool | None, said: str) -> None:
    kept = [
        {"cells": [logs.storable(cell) for cell in row.cells], "faults": [logs.storable(one) for one in row.faults]}
        for row in rows
    ]
    ours = ToolCheck.objects.filter(_OPEN, pk=check.pk, lease_fence=check.lease_fence)
    told = {"rows": kept, "fits": fits, "said": logs.storable(said)[:500]}
    with transaction.atomic():
        if ours.update(**told, lease_until=None, ended_at=Now()) and fits is not None:
            sealing.seal(check)


def _free() -> Q:
    return Q(lease_until=None) | Q(lease_until__lte=Now())
