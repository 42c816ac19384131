"""A jail without namespaces, with the kernel's newest Landlock and with the oldest that is taken: what gets out.

Each attempt is first made outside of a jail, where it succeeds; one that fails there would prove nothing.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.contract import Limits, Request, SessionState
from sandbox.jail import landlock, probe, seccomp, uids
from sandbox.jail.confined import UIDS, sweep
from sandbox.jail.inside.company import kill_others
from sandbox.jail.inside.place import Place
from sandbox.jail.probe import Level
from sandbox.places import JAIL_UID
from sandbox.sessions.session import open_session
from tests.sandbox.conftest import Hands
from tests.waiting import wait_until

_REPOSITORY = Path(__file__).resolve().parents[3]
_SYSTEM_PYTHON = "/usr/bin/python3"
NEWEST = min(landlock.kernel_abi(), landlock.NEWEST_ABI)

needs_root_and_landlock = pytest.mark.skipif(
    os.geteuid() != 0 or NEWEST < landlock.LEAST_ABI, reason="level L2 needs root and a kernel with Landlock"
)

OpenL2 = Callable[..., Hands]


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every uid can pass, as a jail without mounts of its own needs it."""
    made = Path(tempfile.mkdtemp(prefix="mindx-landlock-"))
    made.chmod(0o755)
    (made / "outside").mkdir()
    (made / "outside").chmod(0o777)  # only Landlock shall keep a jail from it
    (made / "outside" / "marker").write_text("marker-4711")
    (made / "outside" / "marker").chmod(0o666)
    monkeypatch.setenv("MINDX_DATA", str(made / "data"))
    yield made
    shutil.rmtree(made)


@pytest.fixture(params=[NEWEST, landlock.LEAST_ABI], ids=lambda abi: f"abi{abi}")
def open_l2(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, place: Path) -> Iterator[OpenL2]:
    """Opens sessions of L2; those of the second kind know no more than the oldest Landlock."""
    monkeypatch.setattr(landlock, "kernel_abi", lambda: request.param)
    monkeypatch.setattr(probe, "_found", Level("L2", {"L3": "not in this test"}))
    opened = []

    def opener(name: str = "work", limits: Limits = Limits()) -> Hands:  # noqa: B008
        root = place / name
        root.mkdir(exist_ok=True)
        context = open_session(root, SessionState(), limits, minimum="L2")
        opened.append(context)
        return Hands(context.__enter__(), root)

    yield opener
    for context in opened:
        context.__exit__(None, None, None)


@pytest.mark.usefixtures("open_l2")
def test_a_folder_that_is_laid_out_late_is_found_through_a_link(place: Path) -> None:
    """The folders of our own above it are opened to the jail's uid, and these are known by their own names only."""
    (place / "data" / "checkouts").mkdir(mode=0o700, parents=True)
    (place / "data").chmod(0o700)
    (place / "link").symlink_to("data")
    root = place / "link" / "checkouts" / "work"
    with open_session(root, SessionState(), minimum="L2", jail_when_needed=True, lay_out=root.mkdir) as session:
        assert session.execute(Request("write", {"path": "a.txt", "content": "kept"})).ok
    assert (root / "a.txt").read_text() == "kept"


@pytest.mark.parametrize(("abi", "words"), [(2, 1), (3, 1), (4, 2), (5, 2), (6, 3), (99, 3)])
def test_a_ruleset_says_what_its_abi_knows_and_no_more(abi: int, words: int) -> None:
    handled = landlock.handled(abi)
    assert len(handled.attributes()) == 8 * words
    assert bool(handled.files & landlock.TRUNCATE) == (abi >= 3)
    assert bool(handled.network) == (abi >= 4)
    assert bool(handled.scopes) == (abi >= 6)


@pytest.mark.parametrize("abi", [0, 1])
def test_an_abi_too_old_for_a_jail_is_refused(abi: int) -> None:
    with pytest.raises(ValueError, match=f"ABI is {abi}; a jail needs at least 2"):
        landlock.handled(abi)


@pytest.mark.parametrize("machine", sorted(seccomp.ARCHITECTURES))
def test_the_filter_of_a_shared_network_holds_no_call_that_makes_or_joins_a_socket(machine: str) -> None:
    numbers = seccomp.ARCHITECTURES[machine].numbers
    compared = {value for code, _, _, value in seccomp.instructions(machine, shared=True) if code == 0x15}
    for name in ("socket", "connect", "bind", "listen", "accept", "accept4"):
        assert numbers[name] not in compared
    assert numbers["socketpair"] in compared


def test_the_uids_of_jails_alone_are_none_that_anything_else_has() -> None:
    assert UIDS.start == JAIL_UID + 1
    assert not {0, 65_534, JAIL_UID, os.getuid()} & set(UIDS)


@pytest.mark.parametrize("uid", [0, 1, 1000, JAIL_UID, UIDS.stop, 65_534])
def test_the_processes_of_any_other_uid_are_never_ended(monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("it went on to kill"))
    with pytest.raises(PermissionError, match="not a jail's own"):
        sweep(uid)


@pytest.mark.parametrize(
    "place", [Place(), Place(uid=0), Place(uid=os.getuid() + 1)], ids=["none", "root", "another's"]
)
def test_a_helper_without_a_uid_of_its_own_ends_nobodys_processes(
    monkeypatch: pytest.MonkeyPatch, place: Place
) -> None:
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("it killed"))
    assert not place.ends_all
    with pytest.raises(PermissionError, match="not the jail's"):
        kill_others(place)


# What is tried, with {place}, {pid} (the worker), {port} and {abstract} filled in. "through" means that it worked.
_ATTEMPTS = {
    "read a file": "open('{place}/outside/marker').read() == 'marker-4711'",
    "list a folder": "'marker' in os.listdir('{place}/outside')",
    "write a file": "open('{place}/outside/marker', 'r+').write('m')",
    "make a file": "open('{place}/outside/new', 'w') or True",
    "empty a file": "os.truncate('{place}/outside/marker', 11) is None",
    "move a file out": "[open('own', 'w'), os.rename('own', '{place}/outside/own')]",
    "link a file in": "os.link('{place}/outside/marker', f'linked-{{os.getpid()}}') is None",
    "read by a link": "[os.symlink('{place}/outside/marker', f's-{{os.getpid()}}'), open(f's-{{os.getpid()}}').read()]",
    "write to memory that is shared": "[open(p := f'/dev/shm/mindx-{{os.getpid()}}', 'w'), os.remove(p)]",
    "write to the host's temporary folder": "[open(p := f'/tmp/mindx-{{os.getpid()}}', 'w'), os.remove(p)]",
    "read the accounts": "open('/etc/passwd').read()",
    "signal the worker": "os.kill({pid}, 0) is None",
    "read the worker's environment": "open('/proc/{pid}/environ').read()",
    "look into the worker's memory": "open('/proc/{pid}/mem', 'rb')",
    "connect to loopback": "socket.create_connection(('127.0.0.1', {port}), 2)",
    "send to loopback": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))",
    "listen": "socket.create_server(('127.0.0.1', 0))",
    "join an abstract socket": "socket.socket(socket.AF_UNIX).connect('\\0{abstract}') is None",
    "join a named socket": "socket.socket(socket.AF_UNIX).connect('{place}/outside/socket') is None",
    "watch a folder": "libc.inotify_add_watch(libc.inotify_init(), b'{place}/outside', 256) > 0",
    "reach the limits of the helper": "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)",
    "become another user": "os.setuid(0) is None",
}
_WHEN_TRIED = """
import ctypes, os, resource, socket
libc = ctypes.CDLL(None)
try:
    through = {attempt}
except Exception as error:
    print("refused", type(error).__name__, error)
else:
    print("through" if through else "refused", "without an error")
"""


@pytest.fixture
def targets(place: Path) -> Iterator[dict[str, object]]:
    """What the attempts are aimed at, alive and open to everybody."""
    abstract = f"mindx-test-{os.getpid()}-{place.name}"
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as hidden,
        socket.socket(socket.AF_UNIX) as named,
    ):
        hidden.bind("\0" + abstract)
        hidden.listen()
        named.bind(str(place / "outside" / "socket"))
        (place / "outside" / "socket").chmod(0o777)
        named.listen()
        yield {"place": place, "pid": os.getpid(), "port": server.getsockname()[1], "abstract": abstract}


@needs_root_and_landlock
def test_every_attempt_works_outside_and_none_inside(open_l2: OpenL2, place: Path, targets: dict[str, object]) -> None:
    hands = open_l2()
    assert hands.session.level == "L2"
    bare = place / "bare"
    bare.mkdir()
    got_out, proved_nothing = [], []
    for name, attempt in _ATTEMPTS.items():
        code = _WHEN_TRIED.format(attempt=attempt.format(**targets))
        outside = subprocess.run([_SYSTEM_PYTHON, "-c", code], cwd=bare, capture_output=True, text=True, check=False)
        if not outside.stdout.startswith("through"):
            proved_nothing.append((name, outside.stdout + outside.stderr))
        inside = hands.python(code)
        if not str(inside.data.get("stdout", "")).startswith("refused "):
            got_out.append((name, inside.as_json()))
    assert not proved_nothing
    assert not got_out


@needs_root_and_landlock
def test_what_a_program_needs_works(open_l2: OpenL2) -> None:
    hands = open_l2()
    result = hands.python(
        "import asyncio, os, subprocess, tempfile\n"
        "os.makedirs('a/b'); open('a/x', 'w').write('1'); os.rename('a/x', 'a/b/y'); os.truncate('a/b/y', 0)\n"
        "with tempfile.TemporaryFile() as file: file.write(b'x')\n"
        "asyncio.run(asyncio.sleep(0))\n"
        "print(subprocess.run(['sh', '-c', 'echo $HOME $0'], capture_output=True, text=True).stdout)\n"
        if NEWEST >= landlock.SINCE_TRUNCATE and landlock.kernel_abi() >= landlock.SINCE_TRUNCATE
        else "import os; os.makedirs('a/b'); open('a/x', 'w').write('1'); os.rename('a/x', 'a/b/y'); print(1)"
    )
    assert result.ok, result.as_json()
    assert hands.do("read", path="/workspace/a/b/y").ok


@needs_root_and_landlock
def test_a_virtual_environment_is_made_and_used(open_l2: OpenL2) -> None:
    hands = open_l2()
    assert hands.do("create_venv", venv_name=".venv").ok
    assert hands.do("activate_venv", venv_name=".venv").ok
    result = hands.run("python -c 'import sys; print(sys.prefix)'")
    assert result.data["stdout"].strip() == str(hands.root / ".venv")
    assert hands.run("pip --version").ok


@needs_root_and_landlock
def test_two_sessions_have_two_uids_and_cannot_reach_each_other(open_l2: OpenL2) -> None:
    one, other = open_l2("one"), open_l2("other")
    (one.root / "marker").write_text("theirs")
    uid = {hands.python("import os; print(os.getuid())").data["stdout"] for hands in (one, other)}
    assert len(uid) == 2
    stopping = threading.Event()
    waiting = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)"
    thread = threading.Thread(target=_run_until, args=(one, waiting, stopping))
    thread.start()
    try:
        wait_until(lambda: (one.root / "pid").exists() and (one.root / "pid").read_text() != "", what="its start")
        pid = (one.root / "pid").read_text()
        for attempt in (
            f"os.kill({pid}, 9) is None",
            f"open('/proc/{pid}/environ').read()",
            f"open('{one.root}/marker').read()",
        ):
            assert other.python(_WHEN_TRIED.format(attempt=attempt)).data["stdout"].startswith("refused "), attempt
        assert Path(f"/proc/{pid}").exists()
    finally:
        stopping.set()
        thread.join()


def _run_until(hands: Hands, code: str, stopping: threading.Event) -> None:
    (hands.root / "waiting.py").write_text(code)
    hands.session.execute(Request("run", {"command_line": "python waiting.py"}), cancel=stopping)


@needs_root_and_landlock
def test_a_daemon_does_not_outlive_its_command(open_l2: OpenL2) -> None:
    hands = open_l2()
    result = hands.python(
        "import os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n"
        "    open('daemon', 'w').write(str(os.getpid()))\n    time.sleep(60)\n  os._exit(0)\n"
        "while not os.path.exists('daemon') or not open('daemon').read(): time.sleep(0.01)"
    )
    assert result.ok
    assert result.data.get("left_running", 1) >= 1
    assert not Path("/proc", (hands.root / "daemon").read_text()).exists()


@needs_root_and_landlock
def test_a_program_that_ends_its_own_helper_ends_with_it_and_the_next_command_works(open_l2: OpenL2) -> None:
    """The helper has the program's own uid, so this cannot be kept from it; the launcher outside can."""
    hands = open_l2()
    result = hands.python(
        "import os, signal, time\nif os.fork() == 0:\n  os.setsid()\n"
        "  open('daemon', 'w').write(str(os.getpid()))\n  time.sleep(60)\n"
        "while not os.path.exists('daemon') or not open('daemon').read(): time.sleep(0.01)\n"
        "os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)"
    )
    assert result.status == "ERROR"
    assert "the jail ended while the program ran" in result.reason
    assert not Path("/proc", (hands.root / "daemon").read_text()).exists()
    assert hands.run("python -c 'print(1)'").ok


@needs_root_and_landlock
def test_limits_hold(open_l2: OpenL2) -> None:
    hands = open_l2(limits=replace(Limits(), memory_bytes=64 << 20, processes=20, file_bytes=1 << 20))
    assert hands.python("x = bytearray(200 << 20)\nimport time; time.sleep(60)").limit == "memory"
    assert hands.python("open('big', 'wb').write(bytes(2 << 20))").limit == "file_bytes" or not (
        (hands.root / "big").stat().st_size > 1 << 20
    )
    forks = (
        "import os, time\ntry:\n  for _ in range(40): os.fork() or time.sleep(9)\nexcept OSError: time.sleep(1); raise"
    )
    assert hands.python(forks).limit == "processes"
    assert hands.python("import time; time.sleep(60)", timeout_s=0.3).limit == "time"


@needs_root_and_landlock
def test_nothing_is_left_when_worker_or_launcher_is_killed(place: Path) -> None:
    """Each is killed with no chance to clean up, and so is the process that keeps launchers ready."""
    code = (
        "import sys; from pathlib import Path\n"
        "from sandbox.contract import Request, SessionState\n"
        "from sandbox.jail import probe\nfrom sandbox.sessions.session import open_session\n"
        "probe._found = probe.Level('L2')\n"
        "with open_session(Path(sys.argv[1]), SessionState(), minimum='L2') as session:\n"
        "    session.execute(Request('run', {'command_line': 'python beat.py'}))\n"
    )
    beat = "import os, time\nif os.fork() == 0:\n  os.setsid()\nopen(f'beat-{os.getpid()}', 'w')\ntime.sleep(300)\n"
    for victim in ("worker", "warm", "launcher"):
        root = place / victim
        root.mkdir()
        (root / "beat.py").write_text(beat)
        environment = {**os.environ, "PYTHONPATH": str(_REPOSITORY)}
        worker = subprocess.Popen([sys.executable, "-c", code, str(root)], env=environment, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda at=root: len(list(at.glob("beat-*"))) == 2, what="two processes")  # type: ignore[misc]
            beating = [Path("/proc", each.name.removeprefix("beat-")) for each in root.glob("beat-*")]
            assert all(each.exists() for each in beating)
            warm = _children(worker.pid)[0]
            launcher = next(each for each in _children(warm) if _children(each))
            os.kill({"worker": worker.pid, "warm": warm, "launcher": launcher}[victim], signal.SIGKILL)
            wait_until(lambda left=beating: not any(each.exists() for each in left), what=f"the end ({victim})")  # type: ignore[misc]
        finally:
            worker.kill()
            worker.wait()


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@needs_root_and_landlock
def test_what_a_killed_launcher_left_under_a_uid_is_ended_before_the_uid_is_used_again(
    open_l2: OpenL2, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One that no session of another test process takes: they all take the first that is free.
    last = UIDS[-1 - int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))]
    monkeypatch.setattr(uids, "UIDS", range(last, last + 1))
    left = subprocess.Popen(["/bin/sleep", "60"], user=last, group=last, extra_groups=[], cwd="/")
    try:
        hands = open_l2()
        assert left.wait(timeout=60) == -signal.SIGKILL
        assert hands.python("import os; print(os.getuid())").data["stdout"].strip() == str(last)
    finally:
        left.kill()
        left.wait()


@needs_root_and_landlock
def test_a_uid_is_one_sessions_alone_until_its_last_copy_is_closed() -> None:
    first, lock = uids.claim()
    try:
        second, other = uids.claim()
        os.close(other)
        assert first != second
    finally:
        os.close(lock)
