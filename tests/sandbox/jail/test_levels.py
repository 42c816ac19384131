"""No jail, or one that does not hold, is an error with a reason; it is never quietly something less."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from agents.toolkit.registry import REGISTRY
from sandbox.contract import DEFAULT_LIMITS, Request, SandboxUnavailable, SessionState
from sandbox.jail import bubblewrap, cell, landlock, launcher, launching, probe, seccomp, uids
from sandbox.jail.interpreter import choose
from sandbox.places import JAIL_UID, templates_folder
from sandbox.sessions.session import Session, open_session


@pytest.fixture(autouse=True)
def _kept_as_it_was() -> Iterator[None]:
    """What these tests make the probe find is not what the next ones shall go by."""
    probe.level()
    found = probe._found
    yield
    probe._found = found


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that every uid can pass, with the data in a closed one below it, as a container's volume would be."""
    made = Path(tempfile.mkdtemp(prefix="mindx-levels-"))
    made.chmod(0o755)
    (made / "data").mkdir(mode=0o700)
    (made / "data" / "work").mkdir(mode=0o700)
    monkeypatch.setenv("MINDX_DATA", str(made / "data"))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def no_namespaces(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """A machine whose bubblewrap cannot make namespaces."""
    broken = place / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("MINDX_BWRAP", str(broken))


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a jail a uid of its own")


def test_this_machine_gives_the_full_level_and_a_canary_proved_it() -> None:
    found = probe.level(refresh=True)
    assert (found.name, dict(found.reasons)) == ("L3", {})
    assert probe.level() is found


@pytest.mark.usefixtures("place")
def test_the_canary_names_a_wall_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the network wall taken away the host's loopback is reached, and the level says so."""
    whole = bubblewrap.arguments

    def without_network_wall(*given: object) -> list[str]:
        made = whole(*given)  # type: ignore[arg-type]
        walls = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup"]
        return [*walls, *(each for each in made if each != "--unshare-all")]

    monkeypatch.setattr(bubblewrap, "arguments", without_network_wall)
    found = probe._try()
    assert found.name == ("L2" if os.geteuid() == 0 else "L1")
    assert found.reasons["L3"] == "the jail does not hold: the host's loopback can be reached"


def test_a_jail_without_a_filter_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = bubblewrap.arguments

    def without_filter(*given: object) -> list[str]:
        made = whole(*given)  # type: ignore[arg-type]
        place = made.index("--seccomp")
        return made[:place] + made[place + 2 :]

    monkeypatch.setattr(bubblewrap, "arguments", without_filter)
    with pytest.raises(SandboxUnavailable, match="no system call filter is active"), _opened(tmp_path):
        pass


def test_a_missing_bubblewrap_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MINDX_DATA", str(tmp_path / "data"))
    with pytest.raises(SandboxUnavailable, match="apt-get install bubblewrap"), _opened(tmp_path):
        pass
    monkeypatch.setenv("MINDX_BWRAP", str(tmp_path / "nothing"))
    with pytest.raises(SandboxUnavailable, match="MINDX_BWRAP names"), _opened(tmp_path):
        pass


def test_a_bubblewrap_unpacked_in_the_data_folder_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As root the data folder is closed to the jail's uid, so the launcher has to bind the program too."""
    system = bubblewrap.find()
    unpacked = tmp_path / "data" / "bwrap" / "usr" / "bin" / "bwrap"
    unpacked.parent.mkdir(parents=True)
    unpacked.write_bytes(system.read_bytes())
    unpacked.chmod(0o755)
    (tmp_path / "data").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MINDX_DATA", str(tmp_path / "data"))
    assert bubblewrap.find() == unpacked
    (tmp_path / "root").mkdir()
    with open_session(tmp_path / "root", SessionState()) as session:
        assert session.level == "L3"


@pytest.mark.usefixtures("no_namespaces")
def test_a_bubblewrap_that_fails_is_an_error_with_its_words_and_nothing_less_is_taken_instead(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="No permissions to create new namespace"), _opened(tmp_path):
        pass
    probe.level(refresh=True)
    with pytest.raises(SandboxUnavailable, match=r"no jail of level L3 or better.*No permissions.*MINDX_SANDBOX_MIN"):
        open_session(tmp_path, SessionState()).__enter__()


@needs_root
@pytest.mark.usefixtures("no_namespaces")
def test_without_namespaces_the_level_is_l2_where_it_is_accepted(place: Path) -> None:
    found = probe.level(refresh=True)
    assert found.name == "L2"
    assert "No permissions" in found.reasons["L3"]
    with open_session(place / "data" / "work", SessionState(), minimum="L2") as session:
        result = session.execute(Request("run", {"command_line": "python -c 'print(6 * 7)'"}))
    assert (result.level, result.status, result.data["stdout"]) == ("L2", "SUCCESS", "42\n")


@needs_root
@pytest.mark.usefixtures("no_namespaces")
def test_at_l2_code_is_looked_at_too_where_it_really_lies(place: Path) -> None:
    work = place / "data" / "work"
    (work / "in").mkdir()
    (work / "in" / "a.py").write_text("import os\nx = eval('1')\n")
    probe.level(refresh=True)
    asked = REGISTRY.command("system_analyzer", "analyze").requests({"path": "a.py"})
    with open_session(work, SessionState(), minimum="L2") as session:
        assert session.execute(Request("cd", {"path": "in"})).ok
        result = session.execute(asked[0])
    assert (result.level, result.status) == ("L2", "SUCCESS"), result
    report = result.data["report"]
    assert [(one["path"], one["code"]) for one in report["security"]["top"]] == [("in/a.py", "S307")]
    assert {one["name"] for one in report["unused"]["top"]} == {"os", "x"}


def _without_landlock(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(landlock, "kernel_abi", lambda: 0)
    return "Landlock's ABI is 0"


def _with_the_first_landlock(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(landlock, "kernel_abi", lambda: 1)
    return "Landlock's ABI is 1"


def _without_filter(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(seccomp, "ARCHITECTURES", {})
    return "no system call filter for this architecture"


@needs_root
@pytest.mark.usefixtures("no_namespaces")
@pytest.mark.parametrize("take", [_without_landlock, _with_the_first_landlock, _without_filter])
def test_each_wall_of_l2_taken_away_lowers_the_level_and_what_wants_more_is_refused(
    monkeypatch: pytest.MonkeyPatch, place: Path, take: Callable[[pytest.MonkeyPatch], str]
) -> None:
    why = take(monkeypatch)
    found = probe.level(refresh=True)
    assert found.name == "L1"
    assert why in found.reasons["L2"]
    with (
        pytest.raises(SandboxUnavailable, match=f"no jail of level L2 or better.*{why}"),
        open_session(place / "data" / "work", SessionState(), minimum="L2"),
    ):
        pass


@needs_root
@pytest.mark.usefixtures("no_namespaces")
@pytest.mark.parametrize(
    ("wall", "leaks"),
    [
        ("all files", {"Landlock is not active"}),
        ("files", {"files of the host can be read", "the host's open folders can be written"}),
        ("sockets", {"sockets of the host's network can be made"}),
    ],
)
def test_the_canary_of_l2_names_a_wall_that_does_not_hold(
    monkeypatch: pytest.MonkeyPatch, wall: str, leaks: set[str]
) -> None:
    if wall == "sockets":
        monkeypatch.setattr(seccomp, "_NOT_WHEN_SHARED", frozenset())
    else:
        open_folder = "/" if wall == "all files" else tempfile.gettempdir()
        whole = bubblewrap.readable
        monkeypatch.setattr(bubblewrap, "readable", lambda python: [*whole(python), open_folder])
        code = "from sandbox.jail import landlock; landlock.READ_AND_RUN = landlock.ALL; warm."
        monkeypatch.setattr(launching, "_CODE", launching._CODE.replace("warm.", code))
    kept: dict[str, Any] = {}  # apart, so that what was started with other code serves no other test
    monkeypatch.setattr(launching, "_warm", kept)
    found = probe._try()
    for warm in kept.values():
        warm.end()
    assert found.name != "L2"
    assert all(each in found.reasons["L2"] for each in leaks), found.reasons["L2"]


@needs_root
@pytest.mark.usefixtures("no_namespaces")
def test_no_uid_left_for_a_jail_alone_leaves_no_level_at_all(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    monkeypatch.setattr(uids, "UIDS", range(0))
    found = probe.level(refresh=True)
    assert (found.name, set(found.reasons)) == ("", {"L1", "L2", "L3"})
    for minimum in ("L1", "L2", "L3"):
        with (
            pytest.raises(SandboxUnavailable, match="nothing holds here"),
            open_session(place / "data" / "work", SessionState(), minimum=minimum),
        ):
            pass


@pytest.mark.usefixtures("no_namespaces")
def test_l1_takes_file_commands_and_refuses_programs_by_its_name(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "kernel_abi", lambda: 0)
    probe.level(refresh=True)
    root = place / "data" / "work"
    (root / "out").symlink_to("/etc/hostname")
    with open_session(root, SessionState(), minimum="L1") as session:
        for command, params in [("run", {"command_line": "python x.py"}), ("create_venv", {"venv_name": "v"})]:
            refused = session.execute(Request(command, params))
            assert (refused.error_class, refused.level) == ("PERMISSION_ERROR", "L1")
            assert "level L1: file commands only" in refused.reason
        assert session.execute(Request("write", {"path": "a", "content": "b"})).ok
        assert session.execute(Request("read", {"path": "a"})).data["content"] == "b"
        assert not session.execute(Request("read", {"path": "out"})).ok
    assert (root / "a").stat().st_uid != 0 or os.geteuid() != 0


def test_the_canary_of_l1_names_a_helper_that_follows_links_or_runs_programs(
    monkeypatch: pytest.MonkeyPatch, place: Path
) -> None:
    monkeypatch.setattr(probe, "_refuses_to_read", lambda *_: False)
    assert probe._file_leaks() == ["links out of the workspace are followed"]


@needs_root
def test_an_ordinary_user_is_refused_l2_and_told_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    with pytest.raises(SandboxUnavailable, match="a uid of its own, which only root can give"):
        cell.Cell(tmp_path, tmp_path, DEFAULT_LIMITS, "L2")


@needs_root
def test_a_folder_closed_to_the_jails_uid_is_named_with_what_to_do(tmp_path: Path, place: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(SandboxUnavailable, match=r"is closed to the jail's uid.*chmod o\+x"):
        cell.Cell(tmp_path, place, DEFAULT_LIMITS, "L2")


@needs_root
def test_only_folders_of_our_own_data_are_opened_and_only_to_the_jails_own_group(place: Path) -> None:
    (place / "theirs").mkdir(mode=0o700)
    cell.Cell(place / "data" / "work", templates_folder(), DEFAULT_LIMITS, "L2").end()
    data = (place / "data").stat()
    assert (data.st_mode & 0o777, data.st_uid, data.st_gid) == (0o710, 0, JAIL_UID)
    assert (place / "theirs").stat().st_mode & 0o777 == 0o700


def test_an_unknown_minimum_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="'L9'"), open_session(tmp_path, SessionState(), minimum="L9"):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user cannot start as root")
def test_the_launcher_refuses_to_start_a_jail_as_root() -> None:
    code = (
        "import os, sys; sys.path.append(sys.argv[1]); import launcher\n"
        "order = launcher.Order(['3', '', '', '', '', '/', '/bin/true'])\n"
        "launcher.start(order, 2, 3, grouped=False)"
    )
    folder = Path(launcher.__file__).parent
    tried = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert "the jail would run as root" in tried.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could be mistaken for it")
def test_a_jail_whose_launcher_kept_root_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(launching, "uids_of", lambda _: {0})
    with pytest.raises(SandboxUnavailable, match="it would run as root"), _opened(tmp_path):
        pass


def test_without_a_system_python_the_running_one_is_bound(tmp_path: Path) -> None:
    chosen = choose(system=str(tmp_path / "no-python"))
    assert os.access(chosen.program, os.X_OK)
    assert chosen.prefix is None or chosen.program.startswith(chosen.prefix)


def _opened(root: Path) -> AbstractContextManager[Session]:
    return open_session(root, SessionState())
