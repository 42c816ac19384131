"""A trial of a command: what is there before, what is asked, what must come of it. `manage.py tool check` runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

WEB = "{web}"


@dataclass(frozen=True)
class Trial:
    """One trial, in a workspace and a session of its own.

    `params`: of the command, the defaults left out. `files`: what the workspace holds before, by path; a path that ends
    in / is an empty folder. `before`: commands that are carried out first in the same session, each as tool, command
    and parameters. `web`: what a web server on this machine answers by path; {web} in a parameter is its address.
    `result`: what the answer must hold. `changes`: the paths that differ afterwards, where * stands for anything; None
    leaves them open. `said`: what a language model answers; none is really asked. `error`: the class of the failure
    that it must end in. `autonomous`: the session is.
    """

    params: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    before: tuple[tuple[str, str, Mapping[str, Any]], ...] = ()
    web: Mapping[str, str] = field(default_factory=dict)
    result: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[str, ...] | None = None
    error: str = ""
    autonomous: bool = False
    said: str = ""
