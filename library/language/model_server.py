"""One process of a machine runs the models for all others, which then need no memory for them.

Its clients (`model_client`) are processes of the same user. It reads no database.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

from library.errors import EmbeddingUnavailable, EntailmentUnavailable
from library.language import embeddings
from library.language.entailment import model as entailment
from library.language.entailment.judgement import shares_of
from library.language.model_protocol import (
    MAX_REQUEST_BYTES,
    NUMBERS,
    REASON,
    BadRequest,
    TooLong,
    numbers_of,
    read_request,
    receive_frame,
    send_frame,
)

logger = logging.getLogger(__name__)

# For so long the answers that are being computed at the end may take.
_LAST_ANSWERS_S = 5.0
_WAITING_CLIENTS = 128
# Trimming takes milliseconds, so not after each request.
_TRIM_AFTER_S = 2.0


def serve(address: Path) -> None:
    """Answer clients at this Unix socket until SIGTERM, and remove the socket.

    Runs in the main thread of a process that does nothing else, such as a fresh fork; loads each model when the first
    client asks it. The folder is made if it is not there, and must be of mode 700. A socket that an ended server left
    behind is replaced. Raises OSError when the address cannot be used: its path is at most 107 bytes long.
    """
    _give_back_what_is_large()
    listener = _listening(address)
    # Compared at the end: another server may have taken the address over meanwhile.
    ours = address.lstat()
    told = _told_by_sigterm(listener)
    clients = _Clients()
    threading.Thread(target=_trim, args=(clients,), name="trim", daemon=True).start()
    try:
        while not told.is_set():
            clients.attend(listener)
    finally:
        listener.close()
        with suppress(FileNotFoundError):
            if os.path.samestat(address.lstat(), ours):
                address.unlink()
        clients.dismiss()


def _listening(address: Path) -> socket.socket:
    address.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if address.parent.stat().st_mode & 0o077:
        # Others could connect, or put a socket of their own in this place.
        raise PermissionError(f"{address.parent} is open to other users; its mode must be 700.")
    address.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(address))
        listener.listen(_WAITING_CLIENTS)
    except BaseException:
        listener.close()
        raise
    return listener


def _told_by_sigterm(listener: socket.socket) -> threading.Event:
    """An event that SIGTERM sets; it also ends the wait for the next client."""
    told = threading.Event()

    def tell(*_: object) -> None:
        told.set()
        # Python would go on waiting after this handler, or begin to just after it.
        with suppress(OSError):  # closed already: told twice
            listener.shutdown(socket.SHUT_RDWR)

    signal.signal(signal.SIGTERM, tell)
    # A terminal sends these to all processes of a command. Who started this one tells it when no client needs it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return told


def _give_back_what_is_large() -> None:
    """Have glibc take memory for tensors from the system and give it back with them, and keep few arenas for threads.

    Its own thresholds grow with what is freed: after one batch of pages the process was three times what the model is.
    mallopt(3): M_MMAP_THRESHOLD is -3, M_ARENA_MAX -8.
    """
    libc = ctypes.CDLL(None)
    libc.mallopt(-3, 256 * 1024)
    libc.mallopt(-8, 2)


def _trim(clients: _Clients) -> None:
    """Give back what many small pieces took, a while after requests."""
    libc = ctypes.CDLL(None)
    while True:
        clients.have_asked.wait()
        time.sleep(_TRIM_AFTER_S)
        clients.have_asked.clear()
        libc.malloc_trim(0)


class _Clients:
    """A thread for each connection."""

    def __init__(self) -> None:
        self._lines: dict[threading.Thread, socket.socket] = {}
        # Since memory was given back last.
        self.have_asked = threading.Event()

    def attend(self, listener: socket.socket) -> None:
        """Wait for the next client and begin to answer it."""
        try:
            line, _ = listener.accept()
        except OSError as error:
            # Told to end; or out of file descriptors, of which clients that go will give some back.
            logger.debug("No client could be accepted: %s", error)
            time.sleep(0.05)
            return
        for thread in [one for one in self._lines if not one.is_alive()]:
            del self._lines[thread]
        thread = threading.Thread(
            target=_converse, args=[line, self.have_asked], name="client of the models", daemon=True
        )
        self._lines[thread] = line
        thread.start()

    def dismiss(self) -> None:
        """Take no more requests; those that have come are answered, if they do not take too long."""
        for line in self._lines.values():
            with suppress(OSError):  # closed already
                line.shutdown(socket.SHUT_RD)
        until = time.monotonic() + _LAST_ANSWERS_S
        for thread in self._lines:
            thread.join(max(0.0, until - time.monotonic()))


def _converse(line: socket.socket, have_asked: threading.Event) -> None:
    """Answer one client until it goes."""
    with line:
        try:
            while (request := receive_frame(line, MAX_REQUEST_BYTES)) is not None:
                send_frame(line, _answer(request))
                have_asked.set()
        except TooLong as error:
            logger.warning("A client of the models is sent away: %s", error)
        except OSError as error:
            logger.debug("A client of the models went away: %s", error)


def _answer(content: bytes) -> bytes:
    try:
        return NUMBERS + _numbers(content)
    except (BadRequest, EmbeddingUnavailable, EntailmentUnavailable) as error:
        return REASON + str(error).encode("utf-8", "replace")


def _numbers(content: bytes) -> bytes:
    request = read_request(content)
    if request.model == "sentences":
        return numbers_of("sentences", embeddings.embed_here(request.rows))
    return numbers_of("pairs", map(shares_of, entailment.judge_here(request.rows)))
