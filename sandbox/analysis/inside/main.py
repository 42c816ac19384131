"""The entry point of the tools: an order by name, with its parameters. What it prints meanwhile is log."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from . import documenting, fixing, oldest, overview, patches, placing, sending, written_report
from .telling import counted, shown
from .walking import LeftOut, sources

Json = dict[str, Any]
_OF_ITS_TIME = 0.85  # after that the rest is left out, so that there is an answer in time


class Refused(Exception):
    """The order cannot be carried out; the message says why."""


def carry_out(do: str, params: Mapping[str, Any]) -> Json:
    """The answer to one order. Its paths are relative to the current folder, those of the answer to the workspace."""
    until = time.monotonic() + float(os.environ["MINDX_SECONDS"]) * _OF_ITS_TIME
    root = os.environ["MINDX_WORKSPACE"]
    places = {name: _place(params.get(name), root) for name in ("path", "to")}
    os.chdir(root)
    try:
        if not overview.exists(places["path"]):
            raise Refused(f"there is no file or folder {shown(places['path'])}")
        return _ORDERS[do]({**params, **places}, f"{os.environ['MINDX_KIT']}/ruff", until)
    except (Refused, placing.NotPlaced, sending.NotSendable, NotADirectoryError) as refused:
        return {"error_class": "INVALID_PARAMETERS", "reason": shown(str(refused))}


def _place(path: str | None, root: str) -> str:
    """A path as it counts from the workspace, which is "" itself; nothing for none."""
    if not path:
        return ""
    place = os.path.relpath(os.path.abspath(path), root)
    return "" if place == "." else place


def _analyse(params: Mapping[str, Any], program: str, until: float) -> Json:
    looked = overview.look(params["path"], program, until)
    report = overview.report(params["path"], looked, overview.versions(program))
    message = overview.message(report)
    if params["to"]:
        placing.put(params["to"], written_report.written(report, params["to"]).encode())
        message = f"{message}; written to {shown(params['to'])}"
    return {"message": message, "report": report}


def _propose(params: Mapping[str, Any], program: str, until: float) -> Json:
    return _fixes(params, program, until, apply=False)


def _apply(params: Mapping[str, Any], program: str, until: float) -> Json:
    return _fixes(params, program, until, apply=True)


def _fixes(params: Mapping[str, Any], program: str, until: float, *, apply: bool) -> Json:
    """The same code for both, so that what is done is what was shown."""
    left_out = LeftOut()
    looked = list(sources(params["path"], left_out))
    # Who else may use a name of these: the whole workspace.
    others = looked if not params["path"] else list(sources("", LeftOut()))
    rules = [rule.strip() for rule in str(params.get("rules") or "").split(",") if rule.strip()]
    target = oldest.target(params["path"])
    fixes = fixing.work_out(program, looked, rules, target, until, left_out, others)
    if not target:
        fixes.notes.append("No file says for which Python this is; the fixed code still runs on Python 3.7.")
    if apply:
        for fixed in fixes.files:
            placing.put(fixed.path, fixed.after)
    diff, left = patches.diff(fixes.files)
    report = patches.report(
        params["path"], fixes, left_out, overview.versions(program), applied=apply, left=left
    )  # fmt: skip
    return {"message": patches.message(fixes, applied=apply), "diff": diff, "report": report}


def _send(params: Mapping[str, Any], program: str, until: float) -> Json:
    return sending.told(params["path"], program, until)


def _document(params: Mapping[str, Any], program: str, until: float) -> Json:
    del program
    left_out = LeftOut()
    found, notes = documenting.modules(params["path"], left_out, until)
    if not found:
        raise Refused(f"there is no Python module in {shown(params['path']) or 'the workspace'}")
    pages = documenting.pages(params["path"], params["to"], found, notes, left_out)
    for name, page in pages.items():
        placing.put(os.path.join(params["to"], name), page.encode())
    told = documenting.report(params["path"], params["to"], found, notes, left_out)
    message = f"{len(pages):,} pages about {counted(len(found), 'module')} in {shown(params['to']) or '.'}"
    return {"message": message, "written": told}


_ORDERS: Mapping[str, Callable[[Mapping[str, Any], str, float], Json]] = {
    "analyse": _analyse,
    "propose": _propose,
    "apply": _apply,
    "send": _send,
    "document": _document,
}
