"""The helper's loop: it makes itself untouchable, says hello, and answers one request after the other."""

# ruff: noqa: SIM105
# The helper starts with every session, without pathlib and contextlib; parts.py says what else and why.
from __future__ import annotations

import os
import resource

from . import libc
from .frames import Frames, pack
from .parts import company, deletions, environments, files, moving, programs, reading, searching, survey, temporary
from .place import Place
from .tree import Refused, Tree, shown

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .company import Company
    from .deletions import Deletions
    from .programs import Wish

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_SIGINT, _SIGKILL, _SIGTERM = 2, 9, 15
_RECEIVE_BYTES = 1 << 18
_MOST_DELETED = 20
_MOST_PENDING = 1024  # signals and timers that wait in the kernel, of all programs together
_CHANGING = ("mkdir", "write", "rm", "mv", "cp", "create_environment")


class Gone(Exception):
    """The session closed its end."""


class Helper:
    """Serves the session at the other end of a socket (a descriptor) until that end closes."""

    def __init__(self, channel: int, blame: int, place: Place) -> None:
        self._blame = blame
        self._place = place
        self._channel = channel
        self._frames = Frames()
        self._limits: dict[str, Any] = {}
        self._tree = Tree(place.workspace)
        self._company: Company | None = None  # there with the first program, as what it loads
        self._deletions: Deletions | None = None

    def serve(self) -> None:
        message, _ = self._receive()
        self._limits = message["limits"]
        _set_rlimits(self._limits)
        self._send(_facts())
        while True:
            message, body = self._receive()
            if message["do"] == "cancel":
                continue  # it came too late: what it meant had ended
            try:
                answer, content = self._done(message, body)
            except Refused as refused:
                answer, content = {"error_class": refused.error_class, "reason": str(refused)}, b""
            self._send({"end": True, **answer, "living": self._living}, content)

    @property
    def _living(self) -> list[str]:
        return [] if self._company is None else self._company.living

    def _programs(self) -> Company:
        if self._company is None:
            self._company = company.Company(self._place, self._blame, self._limits)
            self._deletions = deletions.Deletions(self._survey)
        return self._company

    def _let_go(self) -> None:
        if self._company is not None:
            self._company.let_go()

    def _done(self, message: dict[str, Any], body: bytes) -> files.Answer:
        """Carries a request out; where programs live on, it looks at files only while they are held still."""
        match message["do"]:
            case "hold_still":
                self._hold_still(message)
                return {}, b""
            case "let_go":
                self._let_go()
                return {}, b""
            case "start":
                return self._start(message, body)
            case "log":
                return self._programs().log(message["name"], message["from_byte"])
            case "stop":
                answer, content = self._programs().stop(message["name"])
                self._hold_still(message)
                self._let_go()
                return answer, content
            case "run":
                return self._run(message, body), b""
        self._hold_still(message)
        try:
            return self._answer(message, body)
        finally:
            if self._deletions is not None and message["do"] in _CHANGING:
                self._deletions.keep_up()
            self._let_go()

    def _hold_still(self, message: dict[str, Any]) -> None:
        """Raises Refused when a started program deleted what it may not have: then all of them have ended."""
        if self._company is None or self._deletions is None:
            return
        self._company.hold_still()
        gone = self._deletions.found(message.get("watch_deletions", False))
        if not self._company.living:
            self._deletions.forget()
        if gone:
            self._company.end_all()
            names = ", ".join(shown(path) for path in gone[:3]) + (f" and {len(gone) - 3} more" if gone[3:] else "")
            reason = f"a started program deleted {names}, which it did not create; autonomous mode is off, so all ended"
            raise Refused("PERMISSION_ERROR", reason)

    def _answer(self, message: dict[str, Any], body: bytes) -> files.Answer:
        path = os.fsencode(message.get("path", ""))
        if (plain := _BY_PATH.get(message["do"])) is not None:
            answer: files.Answer = getattr(files, plain)(self._tree, path)
            return answer
        match message["do"]:
            case "read":
                if "lines" in message:
                    return reading.read_lines(self._tree, path, self._limits["output_bytes"], *message["lines"])
                return reading.read_bytes(self._tree, path, self._limits["output_bytes"], *message["bytes"])
            case "write":
                return files.write_file(self._tree, path, body, message["mode"])
            case "find":
                return searching.find(self._tree, path, message["pattern"], message["kind"], message["newest"])
            case "grep":
                memory_bytes = self._limits["memory_bytes"]
                how = (message["text"], message["regular"], message["ignore_case"])
                return searching.grep(self._tree, path, *how, memory_bytes)
            case "mv":
                return moving.move(self._tree, path, *_transfer(message))
            case "cp":
                return moving.copy(self._tree, path, *_transfer(message), self._limits, self._survey)
            case "create_environment":
                return environments.create(self._tree, path, message["template"], self._place)
        raise Refused("INVALID_PARAMETERS", "the helper knows no such request")

    def _run(self, message: dict[str, Any], stdin: bytes) -> dict[str, Any]:
        if self._frames.next() is not None:
            # Read together with the request, so the channel would never tell of it: only a cancel comes meanwhile.
            return {"return_code": -_SIGKILL, "limit": "cancel"}
        self._hold_still(message)
        before = self._survey() if message["watch_deletions"] else None
        self._let_go()
        running = self._programs()
        ending: dict[str, Any] = self._in_folder(
            message,
            lambda: running.run(
                self._wish(message, stdin, terminal=message.get("terminal", False)),
                message["timeout_s"],
                self._channel,
                lambda stream, data: self._send({"out": stream}, data),
                self._cancelled,
            ),
        )
        running.hold_still()
        # Beside programs that live on, what came to be while they lived may be theirs to take away again.
        if self._deletions is not None:
            before = self._deletions.kept_of(before)
        told = self._clear_up(ending["limit"])
        ends_all = bool(told)
        told |= _aftermath(before, self._survey())
        if ends_all or told.get("deleted"):
            running.end_all()
        running.let_go()
        return ending | told

    def _start(self, message: dict[str, Any], stdin: bytes) -> files.Answer:
        running = self._programs()
        running.check_name(message["name"])
        self._hold_still(message)
        if self._deletions is not None:
            self._deletions.begin(message["watch_deletions"])
        running.let_go()
        answer: files.Answer = self._in_folder(
            message, lambda: running.start(message["name"], self._wish(message, stdin, together=True))
        )
        return answer

    def _in_folder(self, message: dict[str, Any], work: Callable[[], Any]) -> Any:
        folder = self._tree.open_folder(os.fsencode(message["cwd"]))
        try:
            os.fchdir(folder)
            return work()
        finally:
            os.close(folder)
            os.chdir("/")

    def _clear_up(self, limit: str | None) -> dict[str, Any]:
        """Blames whoever left too many temporary files, and removes these."""
        if limit != "inodes" and not temporary.are_too_many(self._place, self._limits):
            return {}
        temporary.remove_all(self._place)
        return {"limit": limit or "inodes"}

    def _wish(self, message: dict[str, Any], stdin: bytes, **how: bool) -> Wish:
        env = self._place.environment(message["env"])
        candidates = [[self._place.real(argv[0]), *argv[1:]] for argv in message["candidates"]]
        program, argv = programs.find_program(candidates, env)
        return programs.Wish(program, argv, env, stdin, **how)

    def _survey(self) -> survey.Survey:
        return survey.survey(
            os.fsencode(self._place.workspace), self._limits["workspace_bytes"], self._limits["workspace_files"]
        )

    def _cancelled(self) -> bool:
        message, _ = self._receive(attend=False)
        return bool(message["do"] == "cancel")

    def _send(self, message: dict[str, Any], body: bytes = b"") -> None:
        view = memoryview(pack(message, body))
        while view:
            view = view[os.write(self._channel, view) :]

    def _receive(self, *, attend: bool = True) -> tuple[dict[str, Any], bytes]:
        while True:
            frame = self._frames.next()
            if frame is not None:
                return frame
            if attend and self._company is not None:
                self._company.attend(self._channel)
            data = os.read(self._channel, _RECEIVE_BYTES)
            if not data:
                raise Gone
            self._frames.feed(data)


# Requests that name a path and nothing else, with the function of `files` that answers; by name, for it is loaded late.
_BY_PATH = {
    "ls": "list_folder",
    "mkdir": "make_folder",
    "check_folder": "check_folder",
    "check_environment": "check_environment",
    "rm": "remove",
}


def _transfer(message: dict[str, Any]) -> tuple[bytes, bool, bool]:
    """Where something goes, whether a file there may be overwritten, and whether the session may destroy files."""
    return os.fsencode(message["to"]), message["overwrite"], message["autonomous"]


def _aftermath(before: survey.Survey | None, after: survey.Survey) -> dict[str, Any]:
    """What a program did to the workspace that it may not have been meant to do."""
    if after.over_limit:
        return {"limit": "workspace"}
    told: dict[str, Any] = {"unfit": after.unfit} if after.unfit else {}
    gone = survey.deleted(before, after) if before is not None else []
    if gone:
        told |= {"deleted": [shown(path) for path in gone[:_MOST_DELETED]], "deleted_count": len(gone)}
    return told


def _set_rlimits(limits: dict[str, Any]) -> None:
    """Ceilings of single processes, for the helper and so for all it starts. Nobody here can raise them again."""
    for name, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_NOFILE, limits["descriptors"]),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_MEMLOCK, 8 << 20),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_SIGPENDING, _MOST_PENDING),
    ):
        _, hard = resource.getrlimit(name)
        lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (lowered, lowered))


def _facts() -> dict[str, Any]:
    """What the kernel says about this process, for the session to check before anything runs."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {
        "pid": os.getpid(),
        "seccomp": int(status["Seccomp"]),
        "no_new_privs": int(status["NoNewPrivs"]),
        "lists_root": _lists_root(),
        "capabilities": int(status["CapEff"], 16) | int(status["CapPrm"], 16) | int(status["CapInh"], 16),
    }


def _lists_root() -> bool:
    """Whether the host's own root folder is open, which only Landlock closes; a jail with mounts has its own."""
    try:
        os.listdir("/")  # noqa: PTH208 - without pathlib
    except PermissionError:
        return False
    return True


def _end_all(place: Place) -> None:
    company.kill_others(place)
    os._exit(1)


def main(descriptor: int, place: Place | None = None, blame: int | None = None) -> None:
    """Serves the session at `descriptor` until it hangs up.

    A jail without namespaces names its `place`, and `blame`, the descriptor of this process's own oom_score_adj,
    which Landlock keeps it from opening.
    """
    if blame is None:
        # Opened first: what follows makes this process's own files in /proc unwritable even for itself.
        blame = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    # Before anything else runs here: nobody may read this process's memory or descriptors.
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    # Process 1 ignores every signal from within that it does not handle, and Python handles just this one.
    libc.function("signal")(_SIGINT, None)
    place = place or Place()
    if os.getpid() != 1 and place.ends_all:
        # Orphans become children of process 1; where that is not this one, they are to come here all the same.
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # The launcher's death sends this. With no process namespace to end, what runs has to be ended by hand.
        import signal

        signal.signal(_SIGTERM, lambda *_: _end_all(place))
    os.set_inheritable(descriptor, False)
    os.set_inheritable(blame, False)
    os.umask(0o022)
    try:
        Helper(descriptor, blame, place).serve()
    except (Gone, BrokenPipeError, ConnectionResetError):
        pass
