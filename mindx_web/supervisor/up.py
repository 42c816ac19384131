"""The way of one start: servers, preparation, parts; then wait, then stop in reverse order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time

from mindx_web.supervisor import unfinished_restore

from .configuration import Configuration, ConfigurationError
from .data_folder import STARTING, STOPPING, DataFolder, Lock
from .keeper import Keeper, PartFailed, end_of
from .part import Part
from .parts import Servers, own_environment, own_parts, preparation
from .postgres import EmbeddedPostgres
from .prepared import forget_prepared, is_prepared, note_prepared
from .progress import STAGE, Progress
from .sockets import forget_short_folder

logger = logging.getLogger(__name__)

READY_WITHIN_S = 120.0


class Up:
    """One running mindX."""

    def __init__(self, configuration: Configuration, folder: DataFolder, lock: Lock) -> None:
        self.configuration = configuration
        self.folder = folder
        self._lock = lock
        self._progress = Progress(_say)
        self._keepers: list[Keeper] = []

    async def run(self) -> None:
        """Start everything, stay until a signal, stop everything. Raises PartFailed when the start fails."""
        told_to_stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
        starting = asyncio.create_task(self._start())
        stopping = asyncio.create_task(told_to_stop.wait())
        try:
            await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                await stopping
            self._lock.note(f"{self.configuration.public_url}{STOPPING}")
            _say("mindX is stopping")
        finally:
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
            await self._stop()

    async def _start(self) -> None:
        speaking = asyncio.create_task(self._progress.keep_speaking())
        began = time.monotonic()
        try:
            told = await self._start_everything()
        finally:
            speaking.cancel()
        self._lock.note(self.configuration.public_url)
        _say(f"mindX is ready: {self.configuration.public_url}  (after {time.monotonic() - began:.1f} s)")
        _say(told + f"Logs: {self.folder.log}   Ctrl-C stops everything")

    async def _start_everything(self) -> str:
        """Servers, preparation, web and worker; returns what people should read."""
        for name in ("secret_key", "approval_key"):
            self.folder.secret(name)
        servers = Servers.of(self.configuration, self.folder)
        self.folder.publish(servers.addresses())
        parts = servers.parts()
        if servers.postgres is not None and not servers.postgres.is_made:
            self._progress.begin("database")
        for part in parts:
            await asyncio.to_thread(part.prepare)  # here a reason not to start is one clear error
        await self._start_parts(parts)
        told = await self._make_ready(servers.postgres)
        await self._start_parts(own_parts(self.configuration, self.folder))
        return told

    async def _start_parts(self, parts: list[Part]) -> None:
        """Start the parts beside each other and come back when all are ready."""
        keepers = [Keeper(part, self.folder.log) for part in parts]
        self._keepers += keepers
        self._progress.wait_for(lambda: ", ".join(one.part.name for one in keepers if not one.has_been_ready))
        await asyncio.gather(*(keeper.start(within_s=READY_WITHIN_S) for keeper in keepers))

    async def _make_ready(self, postgres: EmbeddedPostgres | None) -> str:
        """Prepare the database where needed; returns what people should read. A given server is always prepared."""
        if postgres is None:
            return await self._prepare()
        if is_prepared(self.folder, postgres.folder):
            return ""
        forget_prepared(postgres.folder)
        told = await self._prepare()
        note_prepared(self.folder, postgres.folder)
        return told

    async def _prepare(self) -> str:
        """Roles, tables, starter content, first login; returns what people should read, which may hold a password."""
        self._progress.wait_for(lambda: "preparation")
        log = self.folder.log / "prepare.log"
        with log.open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *preparation(),
                env=own_environment(self.folder),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        try:
            told = await self._heard(process.stdout) if process.stdout else ""
            await process.wait()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        if process.returncode != 0:
            raise PartFailed(f"the preparation of the database failed.{end_of(log)}")
        return told

    async def _heard(self, preparation: asyncio.StreamReader) -> str:
        """Name the stages of a preparation as they begin, and return the rest of what it says."""
        told = ""
        async for line in preparation:
            text = line.decode(errors="replace")
            if text.startswith(STAGE):
                self._progress.begin(text.removeprefix(STAGE).strip())
            else:
                told += text
        return told

    async def _stop(self) -> None:
        for keeper in reversed(self._keepers):
            await keeper.stop()
        for note in self.folder.run.glob("*-sockets"):
            forget_short_folder(note)
        logger.info("everything has stopped")


def supervise(configuration: Configuration) -> None:
    """Run mindX until a signal. Raises AlreadyRunning, ConfigurationError, PartFailed, PostgresError."""
    folder = DataFolder(configuration.data)
    folder.make()
    lock = Lock(folder)
    lock.take(f"{configuration.public_url}{STARTING}")
    if reason := unfinished_restore.why_not_to_start(folder.root):
        raise ConfigurationError(reason)
    configuration.check_port()
    _log_to(folder)
    asyncio.run(Up(configuration, folder, lock).run())


def _say(text: str) -> None:
    """Tell the person at the terminal; that nobody reads it any more is no reason to stop."""
    with contextlib.suppress(OSError):
        print(text, flush=True)


def _log_to(folder: DataFolder) -> None:
    handlers = (logging.StreamHandler(), logging.FileHandler(folder.log / "supervisor.log"))
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", handlers=handlers, force=True
    )
