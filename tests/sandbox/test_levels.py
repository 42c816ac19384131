"""No jail, or one that does not hold, is an error with a reason; it is never quietly something less."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from sandbox.contract import SandboxUnavailable, SessionState
from sandbox.jail import bubblewrap, cell, launcher, probe
from sandbox.jail.interpreter import choose
from sandbox.session import Session, open_session


def test_this_machine_gives_the_full_level_and_a_canary_proved_it() -> None:
    found = probe.level(refresh=True)
    assert (found.name, dict(found.reasons)) == ("L3", {})
    assert probe.level() is found


def test_the_canary_names_a_wall_that_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the network wall taken away the host's loopback is reached, and the level says so."""
    whole = bubblewrap.arguments

    def without_network_wall(*given: object) -> list[str]:
        made = whole(*given)  # type: ignore[arg-type]
        walls = ["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup"]
        return [*walls, *(each for each in made if each != "--unshare-all")]

    monkeypatch.setattr(bubblewrap, "arguments", without_network_wall)
    found = probe._try()
    assert found.name == "L1"
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


def test_a_bubblewrap_that_fails_is_an_error_with_its_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("MINDX_BWRAP", str(broken))
    with pytest.raises(SandboxUnavailable, match="No permissions to create new namespace"), _opened(tmp_path):
        pass
    found = probe._try()
    assert found.name == "L1"
    assert "No permissions" in found.reasons["L3"]


def test_an_unknown_minimum_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="'L9'"), open_session(tmp_path, SessionState(), minimum="L9"):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user cannot start as root")
def test_the_launcher_refuses_to_start_a_jail_as_root() -> None:
    code = (
        "import os, sys; sys.path.append(sys.argv[1]); import launcher\n"
        "order = launcher.Order(['3', '1', '3', '', '', '', '/', '/bin/true'])\n"
        "launcher.start(order, 2)"
    )
    folder = Path(launcher.__file__).parent
    tried = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    assert "the jail would run as root" in tried.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root could be mistaken for it")
def test_a_jail_whose_launcher_kept_root_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cell, "_uids", lambda _: {0})
    with pytest.raises(SandboxUnavailable, match="it would run as root"), _opened(tmp_path):
        pass


def test_without_a_system_python_the_running_one_is_bound(tmp_path: Path) -> None:
    chosen = choose(system=str(tmp_path / "no-python"))
    assert os.access(chosen.program, os.X_OK)
    assert chosen.prefix is None or chosen.program.startswith(chosen.prefix)


def _opened(root: Path) -> AbstractContextManager[Session]:
    return open_session(root, SessionState())
