"""What the worker and its machine hold is found by nothing that runs in the jail, and by the same search outside."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest

from mindx_web.supervisor.postgres import OWNER, PORT, EmbeddedPostgres
from mindx_web.supervisor.valkey import EmbeddedValkey

_REPOSITORY = Path(__file__).resolve().parents[3]
_USER = 61_101
_SYSTEM_PYTHON = "/usr/bin/python3"
_SEARCH = Path(__file__).parent / "search.py"
# Searches outside and inside, from one process that has a marker in its environment.
_WORKER = """
import json, os, subprocess, sys
from pathlib import Path
from sandbox.contract import Request, SessionState
from sandbox.sessions.session import open_session
root, bare = Path(sys.argv[1]), Path(sys.argv[2])
(bare / "order.json").write_text((bare / "order.json").read_text().replace("WORKER", str(os.getpid())))
outside = subprocess.run(
    [sys.executable, "search.py", "order.json"], cwd=bare, capture_output=True, text=True, check=True, env={}
)
with open_session(root, SessionState()) as session:
    results = [
        session.execute(Request("run", {"command_line": "python search.py order.json", "timeout_s": 60})).as_json(),
        session.execute(Request("run", {"command_line": "env"})).as_json(),
        session.execute(Request("ls")).as_json(),
        session.execute(Request("read", {"path": "../credentials"})).as_json(),
    ]
print(json.dumps({"outside": json.loads(outside.stdout), "results": results}))
"""


@dataclass(frozen=True)
class Searched:
    """What both searches found, by the numbers of the markers; `told` is all that came out of the jail."""

    outside: set[int]
    answered_outside: list[str]
    inside: dict[str, Any]
    told: str


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that the tested user owns, closed to others."""
    place = Path(tempfile.mkdtemp(prefix="mindx-markers-"))
    yield place
    shutil.rmtree(place)


def _markers(count: int) -> list[str]:
    return [f"marker-{secrets.token_hex(12)}" for _ in range(count)]


def _search(
    home: Path, markers: Sequence[str], folders: Sequence[Path], sockets: Sequence[Path], user: int | None
) -> Searched:
    """Searches as `user`; the first marker is in the worker's environment."""
    root, bare = home / "work", home / "bare"
    order = {"backwards": [each[::-1] for each in markers], "sockets": [str(each) for each in sockets]}
    for place, wanted in ((root, ["/"]), (bare, [*map(str, folders), "/proc/WORKER"])):
        place.mkdir()
        shutil.copyfile(_SEARCH, place / "search.py")
        (place / "order.json").write_text(json.dumps(order | {"folders": wanted}))
    environment = {"PATH": os.environ["PATH"], "MINDX_DATA": str(home / "data"), "A_SECRET": markers[0]}
    identity: dict[str, Any] = {}
    python, folder = sys.executable, _REPOSITORY
    if user is not None:
        shutil.copytree(_REPOSITORY / "sandbox", home / "sandbox", ignore=shutil.ignore_patterns("__pycache__"))
        for path in [home, *home.rglob("*")]:
            os.chown(path, user, user, follow_symlinks=False)
        python, folder = _SYSTEM_PYTHON, home
        identity = {"user": user, "group": user, "extra_groups": []}
    done = subprocess.run(
        [python, "-c", _WORKER, str(root), str(bare)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **identity,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    inside = json.loads(answer["results"][0]["stdout"])
    return Searched(
        {number for number, _ in answer["outside"]["found"]},
        answer["outside"]["answered"],
        inside,
        json.dumps(answer["results"]) + done.stderr,
    )


@pytest.mark.parametrize(
    "user",
    [
        pytest.param(None, id="as we are"),
        pytest.param(
            _USER,
            id="as an ordinary user",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user; we are one already"),
        ),
    ],
)
def test_markers_on_the_host_are_found_outside_and_not_inside(home: Path, user: int | None) -> None:
    markers = _markers(3)
    (home / "credentials").write_text(f"password {markers[1]}")
    (home / "credentials").chmod(0o600)
    (home / "open to all").write_text(markers[2])
    (home / "open to all").chmod(0o644)
    searched = _search(home, markers, [home], [], user)
    assert searched.outside == {0, 1, 2}, "the search proves nothing"
    assert searched.inside["read"] > 20
    assert searched.inside["found"] == []
    assert not any(each in searched.told for each in markers)


@pytest.mark.xdist_group("escapes")
def test_markers_in_the_real_servers_are_found_outside_and_not_inside(
    home: Path, postgres: EmbeddedPostgres, valkey: EmbeddedValkey
) -> None:
    (row,) = _markers(1)
    with psycopg.connect(postgres.url(OWNER), autocommit=True) as connection:
        connection.execute("SET synchronous_commit TO on")  # the row shall be in a file before anybody looks
        connection.execute("CREATE TABLE markers (text text)")
        connection.execute("INSERT INTO markers SELECT %s FROM generate_series(1, 9)", [row])
    markers = [_markers(1)[0], row, valkey.password]
    sockets = [postgres.sockets / f".s.PGSQL.{PORT}", valkey.sockets / "valkey.sock"]
    try:
        searched = _search(home, markers, [postgres.folder, valkey.folder], sockets, None)
    finally:
        with psycopg.connect(postgres.url(OWNER), autocommit=True) as connection:
            connection.execute("DROP TABLE markers")
    assert searched.outside == {0, 1, 2}, "the search proves nothing"
    assert searched.answered_outside == [str(each) for each in sockets]
    assert searched.inside["found"] == []
    assert searched.inside["answered"] == []
    assert not any(each in searched.told for each in [*markers, postgres.passwords.owner, postgres.passwords.app])
