"""Words for what is done in a terminal: scripts, packages, environments, variables, programs, autonomous mode."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.parameters.drawn.saying import Maker, Said, pick, step
from benchmarks.parameters.drawn.workspace import World

_PACKAGES = ("pandas", "flask", "rich", "pillow", "tomlkit", "markdown-it-py")
_VARIABLES = ("STAGE", "LOG_LEVEL", "TZ", "CACHE_DIR")
_PROGRAMS = ("worker", "webserver", "watcher")


def _run(rng: random.Random, w: World) -> Said:
    p = rng.choice(w.code)
    said = pick(rng, "run {p}", "execute the script {p}", "run python {p}", "launch {p}", "start the script {p}", p=p)
    return Said(said, step("run", command_line=f"python {p}"), (p,))


def _install(rng: random.Random, w: World) -> Said:
    p = rng.choice(_PACKAGES)
    said = pick(
        rng,
        "install {p}",
        "pip install {p}",
        "add the package {p}",
        "I need the python package {p}",
        "get {p} installed",
        p=p,
    )
    return Said(said, step("run", command_line=f"pip install {p}"))


def _venv(rng: random.Random, w: World) -> Said:
    said, command = rng.choice(
        (
            ("create a virtual environment", "create_venv"),
            ("set up a venv", "create_venv"),
            ("make a virtualenv", "create_venv"),
            ("activate the virtual environment", "activate_venv"),
            ("use the venv", "activate_venv"),
            ("switch the venv on", "activate_venv"),
            ("deactivate the virtual environment", "deactivate_venv"),
            ("leave the venv", "deactivate_venv"),
        )
    )
    return Said(said, step(command))


def _env(rng: random.Random, w: World) -> Said:
    n, v = rng.choice(_VARIABLES), rng.choice(("test", "debug", "UTC", "north"))
    if rng.random() < 0.7:
        said = pick(
            rng,
            "set the environment variable {n} to {v}",
            "set {n} to {v}",
            "export {n}={v}",
            "define the variable {n} as {v}",
            n=n,
            v=v,
        )
        return Said(said, step("set_env", name=n, value=v))
    return Said(
        pick(rng, "unset {n}", "forget the variable {n}", "clear the environment variable {n}", n=n),
        step("unset_env", name=n),
    )


def _programs(rng: random.Random, w: World) -> Said:
    n, p = rng.choice(_PROGRAMS), rng.choice(w.code)
    which = rng.random()
    if which < 0.4:
        said = pick(rng, "start `python {p}` as {n}", "start the program 'python {p}' under the name {n}", p=p, n=n)
        return Said(said, step("start", command_line=f"python {p}", name=n))
    if which < 0.7:
        said = pick(rng, "stop the program {n}", "kill the program {n}", "shut down {n}", "end the process {n}", n=n)
        return Said(said, step("stop", name=n))
    said = pick(
        rng,
        "show the log of the program {n}",
        "show the output of the program {n}",
        "what did the program {n} print",
        n=n,
    )
    return Said(said, step("process_log", name=n))


def _autonomous(rng: random.Random, w: World) -> Said:
    on = rng.random() < 0.5
    word = "on" if on else "off"
    said = pick(
        rng,
        "turn autonomous mode {o}",
        "switch autonomous mode {o}",
        "{e} autonomous mode",
        "switch {o} the autonomous mode",
        o=word,
        e="enable" if on else "disable",
    )
    return Said(said, step("toggle_autonomous_mode", on=on))


# What commands are drawn from: one that stands here twice is drawn twice as often.
MAKERS: Sequence[Maker] = (_run, _install, _venv, _env, _programs, _autonomous)
OF_A_PATH: Sequence[Maker] = (_run,)
