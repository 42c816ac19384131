"""A pseudo-terminal for a program that needs one.

The program gets it as its controlling terminal: it leads a session of its own and opens the terminal itself, between
fork and exec. Nothing is echoed and no line end is changed, so the output is exactly what the program wrote.
"""

from __future__ import annotations

import errno
import os
import struct
import time

from .tree import Refused

_ROWS, _COLUMNS = 24, 80
# From asm-generic/ioctls.h: unlock the other end, tell its number, tell of events before each read.
_UNLOCK, _NUMBER, _PACKETS = 0x40045431, 0x80045430, 0x5420
_SESSION = 0x5429  # whose terminal it is: the process id of the session's first process
_FLUSHED_INPUT = 1
_MOST_LINES_AT_ONCE = 1 << 10
_END_OF_INPUT = b"\x04"


class Terminal:
    """The helper's end of a terminal, and the input still to be typed.

    A program that turns echoing off to ask for a password discards earlier input. So nothing is typed until the program
    waits: first one line, then, if it was read, more and more lines at once. A program that was seen to discard input
    gets one line at a time.
    """

    def __init__(self, stdin: bytes) -> None:
        """Raises Refused if the jail has no terminals."""
        import fcntl
        import termios

        try:
            self.master = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            reason = f"there is no terminal to be had in this jail ({os.strerror(error.errno or 0)})"
            raise Refused("PERMISSION_ERROR", reason) from error
        fcntl.ioctl(self.master, _UNLOCK, struct.pack("i", 0))
        number = struct.unpack("i", fcntl.ioctl(self.master, _NUMBER, bytes(4)))[0]
        fcntl.ioctl(self.master, _PACKETS, struct.pack("i", 1))
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("4H", _ROWS, _COLUMNS, 0, 0))
        modes = termios.tcgetattr(self.master)
        modes[1] &= ~termios.ONLCR
        modes[3] &= ~(termios.ECHO | termios.ECHONL | termios.ECHOCTL)
        termios.tcsetattr(self.master, termios.TCSANOW, modes)
        self.path = f"/dev/pts/{number}"
        # Kept open to see how much of the input was read, and so that the terminal does not hang up before its use.
        self._slave = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK)
        self._to_type = _lines(stdin)
        self._at_once = 1
        self._part = memoryview(b"")
        self.typed_at = time.monotonic()

    def was_taken_from(self, pid: int) -> bool:
        """Whether another session than this program's took it as its controlling terminal.

        Between its creation and the program's open, other programs in the jail could be faster. Ask once the program
        runs. False if it has already ended, and its session with it.
        """
        import fcntl

        try:
            owner = struct.unpack("i", fcntl.ioctl(self.master, _SESSION, bytes(4)))[0]
        except OSError as error:
            if error.errno == errno.ENOTTY:
                return False
            raise
        return bool(owner != pid)

    def read(self, most_bytes: int) -> bytes | None:
        """The program's output; None if there is none now, b"" if there can be no more."""
        while True:
            try:
                data = os.read(self.master, most_bytes)
            except BlockingIOError:
                return None
            except OSError as error:
                if error.errno == errno.EIO:
                    return b""
                raise
            if data[:1] in (b"", b"\0"):
                return data[1:]
            if data[0] & _FLUSHED_INPUT:
                self._at_once = 0

    @property
    def has_more(self) -> bool:
        """Whether something is still to be typed."""
        return bool(self._to_type or self._part)

    def type(self) -> None:
        """Types the next input if the earlier one was read. Call it while the program waits."""
        import fcntl
        import termios

        try:
            if not self._part:
                untaken = struct.unpack("i", fcntl.ioctl(self._slave, termios.FIONREAD, bytes(4)))[0]
                if untaken or not self._to_type:
                    return
                lines = max(self._at_once, 1)
                self._part = memoryview(b"".join(self._to_type[:lines]))
                del self._to_type[:lines]
                self._at_once = min(self._at_once * 2, _MOST_LINES_AT_ONCE)
            self.typed_at = time.monotonic()
            self._part = self._part[os.write(self.master, self._part) :]
        except BlockingIOError:
            return
        except OSError:
            self._to_type, self._part = [], memoryview(b"")  # nobody is there to read it

    def close(self) -> None:
        os.close(self._slave)
        os.close(self.master)


def _lines(stdin: bytes) -> list[bytes]:
    """What is typed one after the other; at last the end of the input, which within a line has to be said twice."""
    lines = stdin.splitlines(keepends=True)
    last = [] if not stdin or stdin.endswith((b"\n", b"\r")) else [_END_OF_INPUT]
    return [*lines, *last, _END_OF_INPUT]
