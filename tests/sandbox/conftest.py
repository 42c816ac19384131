"""Sessions to try things in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from sandbox.contract import Limits, Request, Result, SessionState
from sandbox.sessions.session import Session, open_session
from sandbox.store.snapshots import SnapshotStore


class Hands:
    """A session with short words for its requests."""

    def __init__(self, session: Session, root: Path) -> None:
        self.session = session
        self.root = root

    def do(self, command: str, **params: Any) -> Result:
        return self.session.execute(Request(command, params))

    def run(self, command_line: str, **params: Any) -> Result:
        return self.do("run", command_line=command_line, **params)

    def python(self, code: str, **params: Any) -> Result:
        """Runs code from a file, so that nothing has to be quoted."""
        (self.root / "attempt.py").write_text(code)
        return self.run("python attempt.py", **params)


OpenHands = Callable[..., Hands]


@pytest.fixture
def open_hands(tmp_path: Path) -> Iterator[OpenHands]:
    with ExitStack() as stack:

        def opened(
            limits: Limits = Limits(),  # noqa: B008
            state: SessionState = SessionState(),  # noqa: B008
            store: SnapshotStore | None = None,
        ) -> Hands:
            root = tmp_path / "workspace"
            root.mkdir(exist_ok=True)
            return Hands(stack.enter_context(open_session(root, state, limits, store=store)), root)

        yield opened


@pytest.fixture
def hands(open_hands: OpenHands) -> Hands:
    return open_hands()
