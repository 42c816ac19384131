"""Carries a trial out, in a jail as the executor opens it."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agents.actors.step_model_calls import Means
from agents.bdi.outcome.network import network_of
from agents.execution import tool_answers
from agents.toolkit.command import Command
from agents.toolkit.registry import Registry
from agents.toolkit.trial import WEB, Trial
from agents.trials.judging import Observed
from agents.trials.observing import watched
from sandbox.contract import Result, SessionState
from sandbox.sessions.session import Session, open_session

_REPEATED = ("idempotent", "keyed")


def run(command: Command, trial: Trial, registry: Registry) -> Observed:
    """Carry one trial out. Raises SandboxError where there is no jail for it, OSError where nothing can be watched."""
    with tempfile.TemporaryDirectory(prefix="trial-") as folder, _web(trial.web) as address:
        root = Path(folder) / "workspace"
        _lay(root, trial.files)
        params = {**command.defaults(), **_filled(trial.params, address)}
        state = SessionState(autonomous=trial.autonomous)
        with open_session(root, state, hosts=command.hosts(params)) as session:
            for tool, name, given in trial.before:
                _prepare(session, registry.command(tool, name), given)
            before, lived = session.state, set(session.living)
            with watched(root) as watch:
                result = _asked(session, command, params, trial.said)
            living = tuple(name for name in session.living if name not in lived)
            changed = session.state != before
            # What it left in the session is where the next one stands, so there it would be asked something else.
            repeats = command.effect in _REPEATED and not command.changes_session
            again = _asked(session, command, params, trial.said) if repeats else None
    network = network_of(result.data)
    return Observed(
        result=result,
        seen=watch.seen,
        hosts=tuple(reached.host for reached in network.hosts),
        refused=network.refused_names,
        processes=int(result.data.get("peak_processes", 0)),
        state_changed=changed,
        living=living,
        again=again,
    )


def _lay(root: Path, files: Mapping[str, str]) -> None:
    root.mkdir()
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text(content)


def _filled(params: Mapping[str, Any], address: str) -> dict[str, Any]:
    return {name: value.replace(WEB, address) if isinstance(value, str) else value for name, value in params.items()}


def _prepare(session: Session, command: Command, params: Mapping[str, Any]) -> None:
    result = _asked(session, command, {**command.defaults(), **params})
    if not result.ok:
        raise ValueError(f"{command.tool}.{command.name}, which comes before it, failed: {result.reason}")


def _asked(session: Session, command: Command, params: Mapping[str, Any], said: str = "") -> Result:
    for request in command.requests(params):
        result = session.execute(request)
        if not result.ok:
            break
    if command.finish and result.ok:
        # Nothing is ever asked of a model here: its answer stands in the trial.
        result = tool_answers.finished(command, params, result, Means(said=said))
    return result


@contextmanager
def _web(pages: Mapping[str, str]) -> Iterator[str]:
    """A web server on the loopback that takes every method; its address, or nothing where there are no pages."""
    if not pages:
        yield ""
        return

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = pages.get(self.path, "").encode()
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "application/json" if body[:1] in (b"{", b"[") else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, format: str, *args: Any) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
