"""`manage.py modular run | step | show | branch | limits | replay`: modular agents from the command line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.bdi.modular import document
from agents.bdi.modular.combinations import CombinationRefused
from agents.bdi.modular.document import StateRefused
from agents.bdi.modular.state import MODULE_TYPES, Chosen
from agents.models import ModularRun
from agents.modular import branching, replaying, rights, runs, states
from agents.modular.branching import Edit
from agents.modular.runs import Start
from agents.presentation import hidden
from agents.record.errors import GoalRefused, NotPossibleNow, NotYours
from people.models import User

_REFUSED = (CombinationRefused, StateRefused, GoalRefused, NotPossibleNow, NotYours)
_USUAL = {
    "prompter": "aware",
    "generator": "model",
    "discriminator": "first",
    "actor": "plain",
    "toolkit": "simple_coder",
}


_LIMITS: Mapping[str, Any] = {"tokens": int, "time_s": float, "cost": Decimal, "submissions": int, "steps": int}


class Command(BaseCommand):
    """Exit code 1: a replay that differs, or something that is refused."""

    help = "Start, step, show, branch, limit and replay runs of modular agents. Workers take the steps."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        run = actions.add_parser("run", help="Start a run, or import one from a file.")
        run.add_argument("task", nargs="?", help="what should be achieved")
        run.add_argument("--state", type=Path, metavar="FILE", help="an exported state to continue from")
        for kind in MODULE_TYPES:
            run.add_argument(f"--{kind}", default=_USUAL[kind], help="name, or name:{settings as JSON}")
        run.add_argument("--paused", action="store_true", help="pause before the first step")
        step = actions.add_parser("step", help="Take one step or more.")
        step.add_argument("--until", type=int, metavar="N", help="continue until this step")
        step.add_argument("--all", action="store_true", help="continue until it waits or ends")
        show = actions.add_parser("show", help="Print a run.")
        show.add_argument("--state", action="store_true", help="print the whole state")
        branch = actions.add_parser("branch", help="Change a node and continue from there.")
        branch.add_argument("--content", help="another message")
        branch.add_argument("--option", type=int, help="another option, counted from 1")
        branch.add_argument("--next", help="the next module")
        branch.add_argument("--paused", action="store_true")
        limits = actions.add_parser("limits", help="Give a run other limits; a run that a limit has ended continues.")
        for name, kind in _LIMITS.items():
            limits.add_argument(f"--{name.replace('_', '-')}", type=kind, help=f"maximum {name} (default: unchanged)")
        replay = actions.add_parser("replay", help="Repeat a run from its recorded answers.")
        for one in (step, show, branch, limits, replay):
            one.add_argument("run", type=int, help="number of the run")
        branch.add_argument("node", type=int, help="the node to continue from")
        for one in (run, step, show, branch, limits, replay):
            one.add_argument("--by", default="admin", metavar="USER", help="whose rights apply (default: admin)")
            one.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, **options: Any) -> None:
        actions = {"run": _run, "step": _step, "show": _show, "branch": _branch, "limits": _limits, "replay": _replay}
        by = User.objects.filter(username=options["by"], is_active=True).first()
        if by is None:
            raise CommandError(f"There is no user {options['by']}.")
        try:
            told, lines, is_fine = actions[options["action"]](options, by)
        except _REFUSED as refused:
            raise CommandError(str(refused)) from refused
        said = json.dumps(told, ensure_ascii=False, default=str) if options["json"] else "\n".join(lines)
        self.stdout.write(said if options["json"] else "\n".join(map(hidden.visible_text, said.split("\n"))))
        if not is_fine:
            sys.exit(1)


_Told = tuple[Mapping[str, Any], list[str], bool]


def _run(options: Mapping[str, Any], by: User) -> _Told:
    if options["state"] is not None:
        run = runs.take_in(options["state"].read_bytes(), by=by)
    elif options["task"]:
        chosen = {kind: _chosen(options[kind]) for kind in MODULE_TYPES}
        run = runs.start(Start(options["task"], chosen, paused=options["paused"]), by=by)
    else:
        raise CommandError("Say what should be achieved, or name a file with --state.")
    return _told(run)


def _chosen(text: str) -> Chosen:
    name, _, settings = text.partition(":")
    try:
        return Chosen(name, json.loads(settings) if settings else {})
    except ValueError as wrong:
        raise CommandError(f"The settings of {name} are no JSON: {wrong}") from wrong


def _found(options: Mapping[str, Any], by: User) -> ModularRun:
    if (run := rights.visible_to(by).filter(pk=options["run"]).first()) is None:
        raise CommandError(f"There is no run {options['run']}.")
    return run


def _step(options: Mapping[str, Any], by: User) -> _Told:
    run = _found(options, by)
    if options["all"] or options["until"] is not None:
        runs.go_on(run, by=by, until=options["until"])
    else:
        runs.step(run, by=by)
    run.refresh_from_db()
    return _told(run)


def _show(options: Mapping[str, Any], by: User) -> _Told:
    run = _found(options, by)
    if options["state"]:
        told = document.write(states.tree_of(run))
        return told, [json.dumps(told, ensure_ascii=False, indent=2, default=str)], True
    return _told(run)


def _branch(options: Mapping[str, Any], by: User) -> _Told:
    run = _found(options, by)
    option = options["option"] - 1 if options["option"] is not None else None
    edit = Edit(options["node"], options["content"], option=option, next_step=options["next"], paused=options["paused"])
    branching.branch(run, edit, by=by)
    run.refresh_from_db()
    return _told(run)


def _limits(options: Mapping[str, Any], by: User) -> _Told:
    run = _found(options, by)
    said = {name: options[name] for name in _LIMITS if options[name] is not None}
    branching.set_limits(run, replace(states.tree_of(run).limits, **said), by=by)
    return _told(run)


def _replay(options: Mapping[str, Any], by: User) -> _Told:
    found = replaying.replay(_found(options, by))
    lines = [f"step {one.step}: {one.where} was {one.before}, and is {one.now}" for one in found.differences]
    said = f"{found.steps} steps done again: {'the same states' if found.is_same else 'they differ'}"
    told = {"steps": found.steps, "same": found.is_same, "differences": [vars(one) for one in found.differences]}
    return told, [said, *lines], found.is_same


def _told(run: ModularRun) -> _Told:
    state = states.tree_of(run)
    told = {
        "id": run.pk,
        "state": run.state,
        "reason": run.reason,
        "outcome": run.outcome,
        "step": run.at_step,
        "state_id": states.latest(run).pk,
        "next": state.next_step.module_type,
        "node": state.at,
        "submissions": state.submissions,
        "tokens": state.usage.tokens,
        "cost": str(state.usage.cost),
    }
    lines = [f"run {run.pk}: {run.state}{f' ({run.reason})' if run.reason else ''}, step {run.at_step}"]
    lines += [
        f"{'*' if node.id == state.at else ' '} {node.id:>4} {node.message.role}: "
        + (f"{node.message.function_call.name} " if node.message.function_call else "")
        + " ".join(node.message.content.split())[:100]
        for node in state.path()
    ]
    lines += [f"submitted: {one[:200]}" for one in state.submissions]
    return told, lines, True
