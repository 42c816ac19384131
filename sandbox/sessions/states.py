"""The commands that change the state for the next commands: folder, environments, variables, autonomous mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sandbox import commands
from sandbox.commands import Refusal
from sandbox.sessions.environments import EnvironmentUnavailable, prepare
from sandbox.sessions.ground import Ground


def _cd(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    place = ground.place(params["path"])
    ground.ask({"do": "check_folder", "path": place})
    ground.state = replace(ground.state, cwd=place)
    return {"message": f"Current directory is now: {commands.shown(place)}"}


def _create_venv(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    ground.check_programs("a virtual environment is made by a program")
    place = ground.place(params["venv_name"])
    try:
        template = prepare(ground.level)
    except EnvironmentUnavailable as error:
        raise Refusal("TOOL_UNAVAILABLE", str(error)) from error
    ground.ask({"do": "create_environment", "path": place, "template": template})
    name = params["venv_name"]
    return {"message": f"Venv '{name}' created. Activate it with: activate_venv '{name}'", "path": place}


def _activate_venv(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    place = ground.place(params["venv_name"])
    ground.ask({"do": "check_environment", "path": place})
    ground.state = replace(ground.state, venv=place)
    return {"message": f"Venv '{params['venv_name']}' is now active for this session."}


def _deactivate_venv(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    if ground.state.venv is None:
        return {"message": "No venv was active."}
    name = ground.state.venv
    ground.state = replace(ground.state, venv=None)
    return {"message": f"Venv '{name}' is no longer active."}


def _set_env(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    name, value = params["name"], params["value"]
    commands.check_variable(name)
    commands.encoded("value", value, commands.MAX_VALUE_CHARS * 4)
    env = {**ground.state.env, name: value}
    if len(value) > commands.MAX_VALUE_CHARS:
        raise Refusal("INVALID_PARAMETERS", f"value is longer than {commands.MAX_VALUE_CHARS:,} characters")
    if len(env) > commands.MOST_VARIABLES:
        raise Refusal("INVALID_PARAMETERS", f"a session has at most {commands.MOST_VARIABLES} variables")
    ground.state = replace(ground.state, env=env)
    return {"message": f"Programs find {name} in their environment from now on."}


def _unset_env(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    name = params["name"]
    commands.check_variable(name)
    ground.state = replace(ground.state, env={key: held for key, held in ground.state.env.items() if key != name})
    return {"message": f"{name} is not set by this session."}


def _toggle_autonomous_mode(ground: Ground, params: dict[str, Any]) -> dict[str, Any]:
    ground.state = replace(ground.state, autonomous=params["on"])
    return {"message": f"Autonomous mode is now {'on' if params['on'] else 'off'}.", "autonomous": params["on"]}


COMMANDS: Mapping[str, Callable[[Ground, dict[str, Any]], dict[str, Any]]] = {
    "cd": _cd,
    "create_venv": _create_venv,
    "activate_venv": _activate_venv,
    "deactivate_venv": _deactivate_venv,
    "set_env": _set_env,
    "unset_env": _unset_env,
    "toggle_autonomous_mode": _toggle_autonomous_mode,
}
