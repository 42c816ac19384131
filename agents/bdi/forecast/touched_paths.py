"""Which paths each step names, from the workspace's root: a `cd` changes the meaning of later names. Pure.

It says what is named, not what is reached: a program may open any file, so it comes with no paths and `is_program`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.bdi.forecast.requests import asks_model, cannot_be_undone, requests_of
from agents.bdi.plans.document import Document, IntentSpec
from agents.toolkit.registry import Registry
from sandbox.commands import Refusal, place
from sandbox.contract import Request

_PATHS = ("path", "to")
_PROGRAMS = frozenset({"run", "start"})
_TOOL = "tool"  # the work of a tool that brings a program of its own
_REMOVES = frozenset({"rm"})
_LISTS = frozenset({"ls", "cd", "activate_venv"})


@dataclass(frozen=True)
class Touched:
    """What one step names. `paths` is relative to the root, "" being the root itself.

    `is_unsure`: a name is filled in later, or nobody knows in which folder the step will stand. `goes_deep`: a folder
    it names stands for everything inside. `removes` and `makes` are those of the paths that go or come, `moves` those
    that go to another place.
    """

    position: int
    paths: tuple[str, ...]
    is_unsure: bool
    is_program: bool
    goes_deep: bool
    lists: bool = False  # the names in a folder that it names are all that counts of it
    removes: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    overwrites: bool = False
    makes_autonomous: bool = False
    asks_model: bool = False  # what it reads goes to a language model
    cannot_be_undone: bool = False  # mindX changes itself for good


def touched(document: Document, registry: Registry) -> dict[int, Touched]:
    """What every step names, by position. Clean-up starts at the root again, in a session of its own."""
    return _walked(document.intents, registry) | _walked(document.cleanup, registry)


def _walked(specs: Sequence[IntentSpec], registry: Registry) -> dict[int, Touched]:
    folder: str | None = ""
    found = {}
    for spec in specs:
        requests = requests_of(spec, registry)
        named = _touched(spec.position, requests, folder)
        found[spec.position] = replace(
            named, asks_model=asks_model(spec, registry), cannot_be_undone=cannot_be_undone(spec, registry)
        )
        for request in requests:
            if request.command == "cd":
                # A step whose condition may not hold leaves open where the next one stands.
                folder = None if spec.condition is not None else _placed(folder, request.params.get("path"))
    return found


def _touched(position: int, requests: Sequence[Request], folder: str | None) -> Touched:
    named = [
        (request.command, name, _placed(folder, path)) for request in requests for name, path in _named_in(request)
    ]
    commands = {request.command for request in requests}
    return Touched(
        position,
        tuple(path for _, _, path in named if path is not None),
        is_unsure=any(path is None for _, _, path in named),
        is_program=any(map(_is_program, requests)),
        goes_deep=not commands <= _LISTS,
        lists="ls" in commands,
        removes=tuple(p for command, name, p in named if p is not None and _goes(command, name)),
        moves=tuple(p for command, name, p in named if p is not None and (command, name) == ("mv", "path")),
        makes=tuple(p for command, _, p in named if p is not None and command in ("mkdir", "create_venv")),
        overwrites=any(request.params.get("overwrite") is True for request in requests),
        makes_autonomous=any(
            request.command == "toggle_autonomous_mode" and request.params.get("on") is not False
            for request in requests
        ),
    )


def _named_in(request: Request) -> Iterator[tuple[str, object]]:
    """The parameters that name a file or folder, with what they say."""
    yield from ((name, request.params[name]) for name in _PATHS if name in request.params)
    if request.command == _TOOL:
        yield from request.params["paths"].items()


def _is_program(request: Request) -> bool:
    """Whether it may open and change any file, whatever it names."""
    return request.command in _PROGRAMS or (request.command == _TOOL and request.params["reads_only"] is not True)


def _goes(command: str, parameter: str) -> bool:
    return command in _REMOVES or (command == "mv" and parameter == "path")


def _placed(folder: str | None, path: object) -> str | None:
    """A path from the root; None when it cannot be known before the step runs."""
    if not isinstance(path, str) or "{{" in path or (folder is None and not path.startswith("/")):
        return None
    try:
        return place(folder or "", path)
    except Refusal:
        return None
