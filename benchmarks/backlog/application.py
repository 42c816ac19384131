"""All of mindX as `make up` starts it, of any checkout, and the three ways into it: API, pages, and reading SQL."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import httpx
import psycopg

_START_S = 180.0
_STOP_S = 60.0
_OURS = ("MINDX_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "OPENAI_")
_SCOPES = ("goals:read", "goals:write", "files:read", "files:write", "review:read", "review:decide")


class TookTooLong(Exception):
    """Something did not come within its time; the message says what."""


@dataclass
class Application:
    """A running mindX. `api` has a token and `pages` a session, both of the admin; `supervisor` is a process id."""

    supervisor: int
    database_url: str
    api: httpx.Client = field(repr=False)
    pages: httpx.Client = field(repr=False)

    def reading(self) -> psycopg.Connection[Any]:
        """A connection to its database that cannot write."""
        options = "-c default_transaction_read_only=on"
        return psycopg.connect(self.database_url, autocommit=True, options=options, connect_timeout=10)

    def submit(self, text: str, workspace: str = "") -> int:
        """Submit a goal, in a new workspace of this name if there is one; the goal's id."""
        body = {"text": text}
        if workspace:
            self.api.post("workspaces", json={"name": workspace}).raise_for_status()
            body["workspace"] = workspace
        return int(self.api.post("goals", json=body).raise_for_status().json()["id"])

    def supply_plan(self, goal: int, *steps: dict[str, Any]) -> None:
        """A person's plan for a goal."""
        self.api.post(f"goals/{goal}/plan", json={"steps": list(steps)}).raise_for_status()

    def approve(self, plan: int, digest: str) -> None:
        """Approve by the API, which holds nothing."""
        self.api.post(f"intent-plans/{plan}/approve", json={"digest": digest}).raise_for_status()

    def approve_on_page(self, plan: int) -> None:
        """Open the plan's page and press its button that approves all steps."""
        page = self.pages.get(f"review/{plan}/").raise_for_status()
        form = DecisionForm(page.text)
        # Also where its dry run has not ended: that is what the page asks once more about.
        answer = self.pages.post(form.action, data=form.fields | {"verdict": "approve", "knowing": "1"})
        if answer.status_code != httpx.codes.FOUND:
            raise RuntimeError(f"the decision on plan {plan} was answered by {answer.status_code}")


class DecisionForm(HTMLParser):
    """What a browser would send of the form with the id `decide`; the button's own value comes on top."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action = ""
        self.fields: dict[str, Any] = {}
        self._is_inside = False
        self.feed(page)
        if not self.action or "digest" not in self.fields:
            raise RuntimeError("the plan's page has no form for a decision")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attributes}
        if tag == "form" and of.get("id") == "decide":
            self.action, self._is_inside = of["action"], True
        elif tag == "input" and "name" in of and (self._is_inside or of.get("form") == "decide"):
            if of.get("type") not in {"checkbox", "radio"}:
                self.fields[of["name"]] = of.get("value", "")
            elif "checked" in of:
                self.fields.setdefault(of["name"], []).append(of.get("value", "on"))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False


@contextmanager
def application(
    checkout: Path, port: int = 0, keep_logs: Path | None = None, **environment: str
) -> Iterator[Application]:
    """Start the mindX of a checkout in a new data folder, and stop it at the end.

    `port` 0 is any free one; the logs are copied to `keep_logs`, and everything else is gone afterwards.
    """
    place = Path(tempfile.mkdtemp(prefix="mindx-bench-"))
    place.chmod(0o755)  # the servers run under uids of their own
    python, port, password = str(checkout / ".venv" / "bin" / "python"), port or _free_port(), secrets.token_hex(12)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    theirs = {
        **clean,
        "MINDX_DATA": str(place / "data"),
        "MINDX_PORT": str(port),
        "MINDX_ADMIN_PASSWORD": password,
        "MINDX_GOALS_PER_MINUTE": "0",
        "NO_PROXY": "127.0.0.1,localhost",
        **environment,
    }
    line = [python, "-m", "mindx_web.supervisor", "--end-with-parent"]
    process, log = None, place / "up.log"
    try:
        with log.open("wb") as said:
            process = subprocess.Popen(line, cwd=checkout, env=theirs, stdout=said, stderr=said)
        address = f"http://127.0.0.1:{port}/"
        _wait_until_ready(process, address, log)
        scopes = [word for scope in _SCOPES for word in ("--scope", scope)]
        command = [python, "manage.py", "token", "admin", *scopes]
        made = subprocess.run(
            command, cwd=checkout, env=theirs, capture_output=True, text=True, check=True, timeout=120
        )
        headers = {"Authorization": f"Bearer {made.stdout.split()[-1]}"}
        known = json.loads((place / "data" / "run" / "servers.json").read_text())
        with (
            httpx.Client(base_url=f"{address}api/v1/", headers=headers, timeout=60, trust_env=False) as api,
            httpx.Client(base_url=address, timeout=60, trust_env=False) as pages,
        ):
            _log_in(pages, password)
            yield Application(process.pid, known["database_url"], api, pages)
            if process.poll() is not None:
                raise RuntimeError(f"mindX ended while it was measured: {log.read_text(errors='replace')[-4000:]}")
    finally:
        if process is not None:
            _stop(process)
        if keep_logs:
            shutil.copytree(place / "data" / "log", keep_logs, dirs_exist_ok=True)
            shutil.copy(log, keep_logs)
        shutil.rmtree(place, ignore_errors=True)


def wait_until(done: Callable[[], bool], what: str, *, within_s: float) -> None:
    """Look five times a second; raises TookTooLong."""
    until = time.monotonic() + within_s
    while not done():
        if time.monotonic() > until:
            raise TookTooLong(f"{what}: not within {within_s:g} s")
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    def is_ready() -> bool:
        if process.poll() is not None:
            raise RuntimeError(f"mindX did not start: {log.read_text(errors='replace')[-4000:]}")
        with suppress(httpx.TransportError):
            return httpx.get(f"{address}api/v1/health", timeout=5, trust_env=False).status_code == httpx.codes.OK
        return False

    wait_until(is_ready, "mindX to be ready", within_s=_START_S)


def _log_in(pages: httpx.Client, password: str) -> None:
    pages.get("login/").raise_for_status()
    fields = {"csrfmiddlewaretoken": pages.cookies["csrftoken"], "username": "admin", "password": password}
    answer = pages.post("login/", data=fields)
    if answer.status_code != httpx.codes.FOUND:
        raise RuntimeError(f"the login was answered by {answer.status_code}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=_STOP_S)
