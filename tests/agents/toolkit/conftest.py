"""Tools at work in a real jail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agents.toolkit.registry import REGISTRY
from sandbox.contract import DEFAULT_LIMITS, Limits, Request, Result, SessionState
from sandbox.sessions.session import Session, open_session


class AtWork:
    """A session over a folder, in which commands of tools are carried out as the executor does."""

    def __init__(self, session: Session, root: Path) -> None:
        self.session, self.root = session, root

    def do(self, tool: str, name: str, /, **params: Any) -> Result:
        """The result of a command, with the defaults of what is not given."""
        command = REGISTRY.command(tool, name)
        for request in command.requests({**command.defaults(), **params}):
            result = self.session.execute(request)
            if not result.ok:
                break
        return result

    def run(self, command_line: str) -> Result:
        """What a program run by a plan would get."""
        return self.session.execute(Request("run", {"command_line": command_line}))


OpenWork = Callable[..., AtWork]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The workspace. What a test puts there before it opens a session becomes the jail's, as in a checkout."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def open_work(root: Path) -> Iterator[OpenWork]:
    with ExitStack() as stack:

        def opened(
            hosts: Sequence[str] = (),
            limits: Limits = DEFAULT_LIMITS,
            state: SessionState | None = None,
            folder: Path | None = None,
        ) -> AtWork:
            place = folder or root
            session = open_session(place, state or SessionState(), limits, hosts=hosts)
            return AtWork(stack.enter_context(session), place)

        yield opened
