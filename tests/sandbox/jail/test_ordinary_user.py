"""The whole of it again as an ordinary user, which is how most people start mindX."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import h11
import pytest

from sandbox.places import templates_folder
from sandbox.sessions.environments import prepare
from tests.sandbox.gate.conftest import serving

_REPOSITORY = Path(__file__).resolve().parents[3]
_USER = 61_100
_SYSTEM_PYTHON = "/usr/bin/python3"
_ASKING = """
import json, sys
from pathlib import Path
from sandbox.contract import Request, SessionState
from sandbox.sessions.session import open_session
for hosts in ([sys.argv[2]], []):
    with open_session(Path("work"), SessionState(), hosts=hosts) as session:
        result = session.execute(Request("run", {"command_line": f"python ask.py {sys.argv[1]}"}))
    print(json.dumps(result.as_json()))
"""

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run as an ordinary user"),
    pytest.mark.skipif(not os.access(_SYSTEM_PYTHON, os.X_OK), reason="the test's own Python may lie in root's home"),
]


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder of that user's, closed to others, with a copy of the sandbox in it."""
    place = Path(tempfile.mkdtemp(prefix="mindx-user-"))
    shutil.copytree(_REPOSITORY / "sandbox", place / "sandbox", ignore=shutil.ignore_patterns("__pycache__"))
    # Made here by root, whose Python is the same: making one takes seconds and is tried elsewhere.
    templates = templates_folder() / prepare()
    shutil.copytree(templates, place / "data" / "sandbox" / "environments" / templates.name, symlinks=True)
    for path in [place, *place.rglob("*")]:
        os.chown(path, _USER, _USER, follow_symlinks=False)
    yield place
    shutil.rmtree(place)


def _run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python as the ordinary user starts it, with a secret in its environment that no jail may see."""
    return subprocess.run(
        [_SYSTEM_PYTHON, *arguments],
        cwd=home,
        env={"PATH": os.environ["PATH"], "MINDX_DATA": str(home / "data"), "A_SECRET": "marker-7"},
        user=_USER,
        group=_USER,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def _session(home: Path, *commands: str) -> list[dict[str, object]]:
    words = [word for command in commands for word in ("-c", command)]
    done = _run(home, "-m", "sandbox", "--root", str(home / "work"), "--json", *words)
    assert not done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_session_works_and_its_walls_hold(home: Path) -> None:
    (home / "secret").write_text("the user's own secret")
    os.chown(home / "secret", _USER, _USER)
    code = f"""
import os
for attempt in (
    lambda: open({str(home / "secret")!r}).read(),
    lambda: open("/proc/1/environ").read(),
    lambda: "marker-7" in str(os.environ) or None,
    lambda: os.kill({os.getpid()}, 0),
    lambda: open("/usr/x", "w"),
    lambda: os.listdir("/home") and None,
):
    try:
        print("THROUGH" if attempt() else "HELD")
    except OSError as error:
        print("HELD")
"""
    answers = _session(
        home,
        "mkdir project",
        "cd project",
        f"write attempt.py {_quoted(code)}",
        "run python attempt.py",
        "create_venv .venv",
        "activate_venv .venv",
        "run pip --version",
        "run rm attempt.py",
        "read attempt.py",
    )
    assert [each["status"] for each in answers[:7]] == ["SUCCESS"] * 7, answers
    assert {each["level"] for each in answers} == {"L3"}
    assert str(answers[3]["stdout"]).split() == ["HELD"] * 6
    assert "/workspace/project/.venv" in str(answers[6]["stdout"])
    assert answers[7]["error_class"] == "PERMISSION_ERROR"
    assert (home / "work" / "project" / "attempt.py").stat().st_uid == _USER


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\"'\"'") + "'"


def test_the_network_gate_works_as_well(home: Path) -> None:
    """An ordinary user makes the jail's network, and its sockets, with no right that root has given."""
    shutil.copytree(Path(h11.__file__).parent, home / "h11")
    for path in (home / "h11").rglob("*"):
        os.chown(path, _USER, _USER)
    (home / "work").mkdir()
    os.chown(home / "work", _USER, _USER)
    (home / "work" / "ask.py").write_text(
        "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
    )
    with serving() as web:
        web.page("/", b"hello")
        done = _run(home, "-c", _ASKING, web.url, f"127.0.0.1:{web.port}")
        asked = len(web.asked)
    assert done.returncode == 0, done.stderr
    with_host, without = map(json.loads, done.stdout.splitlines())
    assert with_host["stdout"] == "hello\n", with_host
    assert without["network"]["refused"] == [{"host": "127.0.0.1", "port": web.port}]
    assert asked == 1
