"""The trials of a tool that a person made, run by a worker: asked for with each version, and again when somebody asks.

Each trial has a jail of its own. A version is put to use only when all of them did what the tool says of itself.
"""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction

from agents.components import made_tools
from agents.execution.companion import Companion
from agents.models import ToolCheck
from agents.record import causes, draining, leased, logs, wake_ups
from agents.record.causes import Forged
from agents.record.errors import NotPossibleNow
from agents.states import AskedState
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


def ask(version: ComponentVersion, *, by: User) -> ToolCheck:
    """Have the trials of a version run, once more if they ran already. Raises LibraryRefused, NotPossibleNow."""
    if not library.may_write(by):
        raise LibraryRefused("Your roles do not let you ask for trials. A reviewer, operator or developer can.")
    try:
        made_tools.read(version)
    except MadeToolFault as fault:
        raise NotPossibleNow(f"This version cannot be read as a tool: {fault}") from fault
    with transaction.atomic():
        held = ToolCheck.objects.select_for_update(no_key=True)
        check, is_new = held.get_or_create(version=version, defaults={"by": by})
        if not is_new:
            leased.to(check, AskedState.WAITING, by=by, rows=[], fits=None, lost_workers=0)
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
    if check.state != AskedState.ENDED:
        return "Its trials are still running."
    if not sealing.is_genuine(check):
        return "What is stored of its trials is not what they came to. Run them again."
    if check.fits is None:
        return f"Its trials could not be run: {check.reason}."
    return "" if check.fits else "Not all of its trials passed."


def sweep() -> None:
    """Wake a worker for trials that nobody runs."""
    for version in ToolCheck.objects.filter(leased.free(ToolCheck)).values_list("version", flat=True)[:10]:
        wake_ups.wake_background("tool_check", version)


def work(version_id: int) -> None:
    """Run the trials of a version, if nobody does."""
    check = None if draining.is_asked() else claim(version_id)
    if check is None:
        return
    try:
        causes.check(check.version)
        with Companion(0, renew=lambda: leased.renew(check), is_cancelled=lambda: False):
            rows = _run(made_tools.read(check.version))
    except (Forged, MadeToolFault, SchemaFault, SandboxError, OSError) as error:
        logger.warning("The trials of %s could not be run", check.version, exc_info=True)
        _end(check, str(error))
    else:
        _end(check, rows=[_kept(row) for row in rows], fits=not any(row.faults for row in rows))


def claim(version_id: int) -> ToolCheck | None:
    """Begin the trials of a version, unless somebody has them or they ended."""
    with transaction.atomic():
        free = ToolCheck.objects.filter(leased.free(ToolCheck), version=version_id)
        return leased.begin(free.select_related("version__component"))


def _run(tool: Tool) -> list[checking.Row]:
    made_tools.refresh()
    with registry.with_tool(tool) as tools:
        return [row for command in tool.commands for row in checking.checked(command, tools)]


def _kept(row: checking.Row) -> dict[str, list[str]]:
    return {"cells": [logs.storable(cell) for cell in row.cells], "faults": [logs.storable(one) for one in row.faults]}


def _end(check: ToolCheck, why: str = "", **found: Any) -> None:
    with transaction.atomic():
        # The race it closes: a worker that was given up, or of trials that were asked for again since, ends late.
        mine = leased.ours(check).select_for_update(no_key=True).first()
        if mine is None:
            return
        if found:
            causes.change(mine, **found)
        leased.to(mine, AskedState.ENDED, reason=logs.storable(why)[:500])
