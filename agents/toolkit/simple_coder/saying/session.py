"""How people speak of environments, variables and autonomous mode."""

from __future__ import annotations

from collections.abc import Mapping

from agents.toolkit.saying import Place, Said, sense

SAID: Mapping[str, Said] = {
    "create_venv": Said(
        (
            sense(
                "create, make, set up, set … up, build, spin up, add, new, start, prepare, need, want, get, have, "
                "initialize, generate, establish, introduce",
                "*venv_name~path > named, in, with name, with the name, at, as, under, into, name it, call it, and "
                "name it, and call it",
                about="virtual environment environ venv virtualenv python env new fresh going",
                key="environment environ venv virtualenv env",
                never=("variable variables var out rid away active deactivate leave stop delete remove"),
            ),
            sense("create_venv, virtualenv", "*venv_name~path > named, in, at"),
        ),
        {"venv_name": Place("new", makes="folder")},
        {"name": "venv_name", "path": "venv_name", "env": "venv_name"},
        it="virtual environment {venv_name}",
    ),
    "activate_venv": Said(
        (
            sense(
                "activate, use, turn on, turn … on, switch on, switch … on, enable, enter, start using, source, "
                "switch to, switch into, change into, step into, hop into, jump into, move into, load, start, make … "
                "active, work in, work inside, work with, go into, get into, have … activated, put on",
                "*venv_name~path > named, in, with name, from, at",
                about="virtual environment venv virtualenv env it active",
                key="environment venv virtualenv env",
                never="variable variables var out off create new stop not",
            ),
            sense(
                "activate",
                "*venv_name~path",
                about="it",
                wants="venv_name",
                never="mode autonomous autonomy rule agent feature plugin account licence license",
            ),
        ),
        {"venv_name": Place("folder")},
        {"name": "venv_name", "path": "venv_name", "env": "venv_name"},
        it="virtual environment {venv_name}",
    ),
    "deactivate_venv": Said(
        (
            sense(
                "deactivate, leave, exit, turn off, turn … off, switch off, switch … off, stop using, disable, quit, "
                "get "
                "out of, go out of, step out of, come out of, step outside, have … deactivated, close, end, unload",
                about="virtual environment venv virtualenv env",
                key="environment venv virtualenv env",
                never="variable variables var",
            ),
            sense("deactivate"),
        ),
        it="virtual environment {venv_name}",
    ),
    "set_env": Said(
        (
            sense(
                "set, define, export, put, give, make, change, add, create, have, let, want, need",
                "*name~word > the variable, variable, the environment variable, environment variable, env var, "
                "named, env variable, the env var",
                "value~word > to, =, on, as, at, to the value, the value, with the value, equal to, value, with "
                "value, be, equals, should be, should have the value, shall be, has to be, must be, to be",
                about="environment variable env var value variables",
                key="variable variables var",
                never="unset remove longer delete clear virtual venv",
            ),
            sense(
                "assign, give, put, write",
                "*value~word > the value, value",
                "name~word > to the variable, to variable, to the environment variable, to env var, to the env var, "
                "into "
                "the variable, in the variable, into the environment variable",
                about="environment variable env var value",
                key="variable var",
                wants="name",
            ),
            sense("export, setenv", "*name~word", "value~word > =, to"),
            sense(
                "set, define, env",
                "*name~variable > the variable",
                "value~word > to, =, as",
                about="environment variable env var",
            ),
            sense(
                "put, set, add, have",
                "*name~variable",
                "value~word > =",
                about="environment env variables variable into",
                key="environment env",
                wants="value",
            ),
        ),
        {},
        {"variable": "name", "key": "name"},
        it="variable {name}",
    ),
    "unset_env": Said(
        (
            sense(
                "unset, forget, forget about, clear, remove, delete, drop, get rid of, erase, undefine, reset, take "
                "away, discard",
                "*name~word > the variable, variable, the environment variable, environment variable, env var, "
                "named, the env var",
                about="environment variable env var variables",
                key="variable variables var",
                never="file folder all every virtual venv",
            ),
            sense("unset", "*name~word"),
        ),
        {},
        {"variable": "name", "key": "name"},
        it="variable {name}",
    ),
    "toggle_autonomous_mode": Said(
        (
            sense(
                "turn on, turn … on, switch on, switch … on, enable, activate, start, enter, set … on, put … on, "
                "toggle … on, switch to, switch into, go into, go to, go, change to, change into, get into, have … on, "
                "have … activated, have … enabled, set … to on",
                about="autonomous mode autonomy on activated enabled back",
                key="autonomous autonomy",
                never="off disable leave stop disabled",
                on=True,
            ),
            sense(
                "turn off, turn … off, switch off, switch … off, disable, deactivate, stop, leave, end, exit, "
                "set … off, toggle … off, get out of, go out of, put … off, quit, have … off, set … to off, stop being",
                about="autonomous mode autonomy off disabled back",
                key="autonomous autonomy",
                never="on enable",
                on=False,
            ),
        ),
        {},
        {"enabled": "on", "mode": "on"},
        it="autonomous mode",
    ),
}
