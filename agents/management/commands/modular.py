"""`manage.py modular run|step|show|branch|replay`: modular agents from a terminal, by the services of the pages."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.bdi.modular import document
from agents.bdi.modular.state import MODULE_TYPES, Chosen
from agents.models import ModularRun, ModularStep
from agents.modular import branching, replaying, runs, states, stepping
from agents.modular.branching import Edit
from agents.modular.runs import Setup
from agents.presentation import hidden
from agents.record.errors import AgentsError
from people.models import User

_DEFAULTS = ("aware", "model", "first", "plain", "simple_coder")


class Command(BaseCommand):
    """Exit code 1: refused, or a replay that differs."""

    help = "Run modular agents, step them, show a state, branch it, replay a run."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        run = actions.add_parser("run", help="Start a run, from a task or from the document of a state.")
        run.add_argument("task", nargs="?", default="")
        run.add_argument("--state", help="a file with a state, ours or the reference's")
        run.add_argument("--paused", action="store_true")
        for kind, name in zip(MODULE_TYPES, _DEFAULTS, strict=True):
            run.add_argument(f"--{kind}", default=name)
        step = actions.add_parser("step", help="Go one step in a paused run.")
        show = actions.add_parser("show", help="Print a state as a document.")
        branch = actions.add_parser("branch", help="Change a state and go on as a branch.")
        branch.add_argument("--message", nargs=2, metavar=("NODE", "TEXT"))
        branch.add_argument("--option", nargs=2, type=int, metavar=("NODE", "OPTION"), help="options count from 1")
        branch.add_argument("--next-step", help="JSON: {module_type, args}")
        replay = actions.add_parser("replay", help="Repeat a run from its recorded answers.")
        for one in (step, replay):
            one.add_argument("run", type=int)
        for one in (show, branch):
            one.add_argument("state_id", type=int)
        for one in (run, step, branch):
            one.add_argument("--user", default="admin", help="in whose name")
        for one in (run, step, show, branch, replay):
            one.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            said = getattr(self, f"_{options['action']}")(options)
        except (AgentsError, ValueError, OSError) as refused:
            raise CommandError(str(refused)) from refused
        except (ModularRun.DoesNotExist, ModularStep.DoesNotExist, User.DoesNotExist) as missing:
            raise CommandError(f"There is no such thing: {missing}") from missing
        if options["json"]:
            self.stdout.write(json.dumps(said, ensure_ascii=False))
        else:
            for name, value in said.items():
                shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                self.stdout.write(hidden.visible_text(f"{name}: {shown}"))
        if said.get("differs_at") is not None:
            sys.exit(1)

    def _run(self, options: dict[str, Any]) -> dict[str, Any]:
        by = User.objects.get(username=options["user"])
        if options["state"]:
            state = document.loads(Path(options["state"]).read_bytes())
            return _of(runs.begin(state, by=by, workspace=None, agent=runs.first_agent(), pauses=options["paused"]))
        modules = {kind: Chosen(options[kind]) for kind in MODULE_TYPES}
        return _of(runs.start(options["task"], Setup(modules, pauses=options["paused"]), by=by))

    def _step(self, options: dict[str, Any]) -> dict[str, Any]:
        by = User.objects.get(username=options["user"])
        run = runs.go_on(ModularRun.objects.get(pk=options["run"]), by=by, steps=1)
        # Here and now, so that the next line shows it; a worker that was woken finds it done.
        stepping.work(run.pk)
        return _of(ModularRun.objects.get(pk=run.pk))

    def _show(self, options: dict[str, Any]) -> dict[str, Any]:
        return document.write(states.after(ModularStep.objects.get(pk=options["state_id"])))

    def _branch(self, options: dict[str, Any]) -> dict[str, Any]:
        by = User.objects.get(username=options["user"])
        message, option, next_step = options["message"], options["option"], options["next_step"]
        edit = Edit(
            (int(message[0]), message[1]) if message else None,
            (option[0], option[1] - 1) if option else None,
            json.loads(next_step) if next_step else None,
        )
        step = ModularStep.objects.select_related("run").get(pk=options["state_id"])
        return _of(branching.branch(step, edit, by=by))

    def _replay(self, options: dict[str, Any]) -> dict[str, Any]:
        found = replaying.replay(ModularRun.objects.get(pk=options["run"]))
        return {"same": found.same, "differs_at": found.differs_at, "why": found.why}


def _of(run: ModularRun) -> dict[str, Any]:
    newest = ModularStep.objects.get(run=run, number=run.head)
    waits = [{"key": want["key"], "kind": want["kind"]} for want in run.waits_for]
    return {
        "run": run.pk,
        "state": run.state,
        "reason": run.reason,
        "step": run.head,
        "newest_state": newest.pk,
        "workspace": run.workspace.name,
        "waits_for": waits,
    }
