"""Under which user an embedded server runs, and how the command line gets it there."""

from __future__ import annotations

import functools
import os
import pwd
import signal
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from . import launch


class OutOfReach(Exception):
    """A server's own user cannot reach its files, and this machine does not let us show them to it elsewhere."""


@dataclass(frozen=True)
class ServiceUser:
    """A uid that a server runs under; `uid` None means: as we are (an ordinary user cannot change it)."""

    uid: int | None
    gid: int | None

    @property
    def number(self) -> int:
        """The uid that files of this user have."""
        return os.geteuid() if self.uid is None else self.uid

    def own(self, folder: Path) -> None:
        """Make the folder (mode 700) and everything directly needed in it belong to this user."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        if self.uid is not None and self.gid is not None and folder.stat().st_uid != self.uid:
            os.chown(folder, self.uid, self.gid)


AS_WE_ARE = ServiceUser(None, None)


def database_user() -> ServiceUser:
    """`nobody` when we are root: Postgres refuses to run as root, and initdb wants a name in the password file."""
    if os.geteuid() != 0:
        return AS_WE_ARE
    nobody = pwd.getpwnam("nobody")
    return ServiceUser(nobody.pw_uid, nobody.pw_gid)


def broker_user() -> ServiceUser:
    """A uid without a name when we are root: neither the database's nor one that a jail runs under."""
    return ServiceUser(65040, 65040) if os.geteuid() == 0 else AS_WE_ARE


@dataclass(frozen=True)
class Launch:
    """How to start one server: its user, the folders it writes to and the folder of its program."""

    user: ServiceUser
    program_folder: Path
    folders: dict[str, Path]
    death_signal: signal.Signals
    private: bool = True  # a worker is not: it starts jails, and shows them its files under another uid

    def seen(self, name: str) -> Path:
        """The path under which the server sees the folder `name` ("program" for the program's own)."""
        real = self.program_folder if name == "program" else self.folders[name]
        return Path(launch.STAGE, name) if self._staged else real

    def argv(self, program: list[str]) -> list[str]:
        """The command line that ends as `program`, whose paths are those of `seen`."""
        line = [sys.executable, "-I", "-S", launch.__file__]
        line += ["--parent", str(os.getpid()), "--death-signal", str(int(self.death_signal))]
        if self.private:
            line.append("--private")
        if self.user.uid is not None:
            line += ["--uid", str(self.user.uid), "--gid", str(self.user.gid)]
        if self._staged:
            line += ["--bind-read-only", str(self.program_folder), "program"]
            for name, folder in self.folders.items():
                line += ["--bind", str(folder), name]
        return [*line, "--", *program]

    def check_reach(self) -> None:
        """Raises OutOfReach when a folder above ours is closed and we cannot go around it."""
        if self.user.uid is None or self._staged:
            return
        for folder in (self.program_folder, *self.folders.values()):
            for parent in folder.parents:
                if not parent.stat().st_mode & stat.S_IXOTH:
                    raise OutOfReach(
                        f"{parent} is closed to other users, and this machine does not let root make a mount namespace"
                        f" (a container without CAP_SYS_ADMIN?), so a server with a user of its own cannot reach"
                        f" {folder}. Open it (chmod o+x {parent}), use another folder, or start mindX as an ordinary"
                        f" user."
                    )

    @property
    def _staged(self) -> bool:
        # A lower uid cannot pass a parent folder with mode 700 (root's home, for one); our own uid can.
        return self.user.uid is not None and can_stage()


@functools.cache
def can_stage() -> bool:
    """Whether this machine lets us make a mount namespace (a container may not)."""
    line = [sys.executable, "-I", "-S", launch.__file__, "--parent", str(os.getpid()), "--death-signal", "9"]
    probe = [*line, "--bind-read-only", "/usr", "program", "--", "/bin/true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0
