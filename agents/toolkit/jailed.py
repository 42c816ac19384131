"""A tool's own work in the jail: the source of a function, or of a module, is handed to a Python in there.

The function gets the parameters as a dict and returns a dict: the result, whose keys the command names as
`result_keys`. One with `error_class` and `reason` is a refusal or a failure; what it raises is one too. It imports what
it needs itself, from Python's own library: nothing of mindX is in the jail. What it prints stands in the log.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from agents.toolkit.command import Params
from sandbox.contract import Request

Work = Callable[[dict[str, Any]], dict[str, Any]]
REQUEST = "tool"


def in_jail(
    work: Work | ModuleType,
    schema: Mapping[str, Any],
    *,
    reads_only: bool,
    parts: Sequence[ModuleType] = (),
    kit: str = "",
    **fixed: Any,
) -> Callable[[Params], tuple[Request, ...]]:
    """What the sandbox is asked so that `work` gets the parameters of `schema`; of a module, its function `main`.

    `reads_only`: it changes no file, as its effect has to say too. `parts` are further modules of mindX that it
    imports by their names. `kit`: what is brought into the jail for it (see sandbox.sessions.tools). `fixed` are
    further parameters, which no plan gives.
    """
    function = "main" if isinstance(work, ModuleType) else work.__name__
    whole = work.__name__ if isinstance(work, ModuleType) else f"{work.__module__}.{function}"
    sources = {part.__name__: inspect.getsource(part) for part in parts} | {whole: inspect.getsource(work)}
    return asking_jail(sources, function, schema, reads_only=reads_only, kit=kit, **fixed)


def asking_jail(
    sources: Mapping[str, str],
    function: str,
    schema: Mapping[str, Any],
    *,
    reads_only: bool,
    kit: str = "",
    **fixed: Any,
) -> Callable[[Params], tuple[Request, ...]]:
    """The same for source that is there as text: modules by name, in order, and the function of the last one."""
    properties = schema["properties"]
    paths = [each for each in properties if properties[each].get("x-kind") == "path"]

    def requests(params: Params) -> tuple[Request, ...]:
        asked: dict[str, Any] = {
            "sources": sources,
            "function": function,
            "params": {**params, **fixed},
            "paths": {each: params[each] for each in paths if each in params},
            "reads_only": reads_only,
        }
        if kit:
            asked["kit"] = kit
        if "timeout_s" in params:
            asked["timeout_s"] = params["timeout_s"]
        return (Request(REQUEST, asked),)

    return requests
