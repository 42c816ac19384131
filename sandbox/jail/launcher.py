"""The process between a session and its jail.

Forked by `warm.py` for a session, with a socket to it and a command line for bubblewrap. When it is root it stages
what the jail needs in a mount namespace of its own and becomes the jail's uid, so that neither bubblewrap nor anything
in the jail ever runs as root. Then it waits. When the jail ends, when the session closes its socket, or when a process
that it serves is gone (perhaps killed), it makes sure that no process is left.

Standard library only, and little of it: starting quickly is part of a session's start.
"""

# ruff: noqa: PTH102, S108, SIM105
# Starting quickly forbids pathlib and contextlib; /tmp is covered by a mount of its own.
from __future__ import annotations

import ctypes
import os
import select
import stat

from sandbox.jail import network

TYPE_CHECKING = False  # importing typing costs a start 3 ms
if TYPE_CHECKING:
    from collections.abc import Sequence

PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38
MS_NODEV, MS_NOSUID, MS_BIND, MS_REC, MS_PRIVATE = 4, 2, 4096, 16384, 1 << 18
CLONE_NEWNS = 0x00020000
STAGE = "/tmp"
MOST_SAID_BYTES = 1 << 14
MARK = "staged:"  # prefix of a path in the command line that has to be staged
NO_ENTRANCE = "-"  # instead of addresses, for a jail without hosts whose network is watched
SIGINT, SIGKILL, SIGPIPE, SIGTERM = 2, 9, 13, 15
libc = ctypes.CDLL(None, use_errno=True)


class Order:
    """The order of the session's process, parsed."""

    def __init__(self, words: list[str]) -> None:
        channel, uid, cpus, group_shares_cpu, entrances, self.root, *self.arguments = words
        self.channel = int(channel)
        self.uid = int(uid) if uid else None
        self.group_shares_cpu = bool(group_shares_cpu)
        self.cpus = [int(each) for each in cpus.split(",")] if cpus else []
        self.wants_network = bool(entrances)
        self.entrances = [_place(each) for each in entrances.split(",") if each not in ("", NO_ENTRANCE)]


def _place(text: str) -> tuple[str, int]:
    address, _, port = text.partition(":")
    return address, int(port)


def check(result: int, what: str) -> None:
    if result != 0:
        failure = ctypes.get_errno()
        raise OSError(failure, f"{what}: {os.strerror(failure)}")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    check(
        libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode()),
        f"mount {source} on {target}",
    )


def stage(sources: list[str]) -> list[str]:
    """Binds each source to a place that any uid can reach, in a mount namespace nobody else sees."""
    check(libc.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    # Opened before the stage covers /tmp: a source may lie below it.
    opened = [os.open(source, os.O_PATH | os.O_CLOEXEC) for source in sources]
    mount("mindx-stage", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=64k")
    staged = []
    for number, descriptor in enumerate(opened):
        place = f"{STAGE}/{number}"
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            os.mkdir(place, 0o755)
        else:
            os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o755))
        mount(f"/proc/self/fd/{descriptor}", place, "", MS_BIND)
        os.close(descriptor)
        staged.append(place)
    return staged


def hand_over(root: int, uid: int) -> None:
    """Gives the workspace to the jail's uid. A file with a second name is not changed: that name may be elsewhere.

    Keeps two descriptors open at a time and does not recurse: a tree may be deeper than either allows. Leftovers of a
    killed session may still move folders meanwhile, so nothing is found by a path, and the way up is checked.
    """
    if os.fstat(root).st_uid != uid:
        os.chown(root, uid, uid)
    here = _enter(".", root)
    waiting = _hand_over_entries(here, uid)
    above: list[tuple[tuple[int, int], list[str]]] = []  # which folder it is, and the folders in it that wait
    try:
        while waiting or above:
            if waiting:
                there = _enter(waiting.pop(), here)
                above.append((_identity(here), waiting))
                here = _exchange(here, there)
                waiting = _hand_over_entries(here, uid)
            else:
                expected, waiting = above.pop()
                here = _exchange(here, _enter("..", here))
                if _identity(here) != expected:
                    raise PermissionError("a folder of the workspace was moved while it was given to the jail")
    finally:
        os.close(here)


def _hand_over_entries(folder: int, uid: int) -> list[str]:
    """Gives what lies in one folder to the uid; the names of the folders there."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            state = entry.stat(follow_symlinks=False)
            is_folder = stat.S_ISDIR(state.st_mode)
            if state.st_uid != uid and (is_folder or state.st_nlink == 1):
                os.chown(entry.name, uid, uid, dir_fd=folder, follow_symlinks=False)
            if is_folder:
                folders.append(entry.name)
    return folders


def _enter(name: str, folder: int) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        # Without a trace: a dry run tells by the times what programs opened.
        return os.open(name, flags | os.O_NOATIME, dir_fd=folder)
    except PermissionError:
        return os.open(name, flags, dir_fd=folder)


def _exchange(old: int, new: int) -> int:
    os.close(old)
    return new


def _identity(folder: int) -> tuple[int, int]:
    state = os.fstat(folder)
    return state.st_dev, state.st_ino


def become(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def start(order: Order, errors: int, session: int, *, grouped: bool) -> int:
    """Starts bubblewrap as the order says; its process id. The sockets of the jail's network go to the session."""
    arguments = order.arguments
    if order.uid is None:
        arguments = [each.removeprefix(MARK) for each in arguments]
    else:
        sources = [each.removeprefix(MARK) for each in arguments if each.startswith(MARK)]
        places = dict(zip(sources, stage(sources), strict=True))
        arguments = [places[each.removeprefix(MARK)] if each.startswith(MARK) else each for each in arguments]
        workspace = os.open(places[order.root], os.O_RDONLY | os.O_DIRECTORY)
        hand_over(workspace, order.uid)
        os.close(workspace)
        become(order.uid)
    if 0 in os.getresuid():
        raise PermissionError("the jail would run as root, which is no jail")
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    if order.cpus and not (grouped and order.group_shares_cpu):
        os.sched_setaffinity(0, order.cpus)
    nothing = os.open("/dev/null", os.O_RDWR)
    told, tells = os.pipe()
    if order.wants_network:
        os.set_inheritable(tells, True)
        arguments[1:1] = ["--info-fd", str(tells)]
    jail = os.posix_spawn(
        arguments[0],
        arguments,
        {},  # what is here could be read in the jail's /proc
        file_actions=[
            (os.POSIX_SPAWN_DUP2, nothing, 0),
            (os.POSIX_SPAWN_DUP2, nothing, 1),
            (os.POSIX_SPAWN_DUP2, errors, 2),
        ],
        setsigmask=[],
        setsigdef=[SIGPIPE],
    )
    os.close(tells)
    if order.wants_network:
        _open_network(session, told, order.entrances)
    os.close(told)
    return jail


def _open_network(session: int, told: int, entrances: list[tuple[str, int]]) -> None:
    """Lets a child make the sockets of the jail's network meanwhile: a process that enters it cannot return."""
    text = b""
    while b"}" not in text:
        block = os.read(told, 1 << 12)
        if not block:
            return  # bubblewrap has failed and said why
        text += block
    inside = int(text.partition(b'"child-pid":')[2].partition(b",")[0])
    child = os.fork()
    if child == 0:
        try:
            network.hand_over(session, inside, entrances)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def watch(session: int, guards: Sequence[int], jail: int) -> None:
    """Returns when the jail has ended or should end: when the session hangs up, or a guarded process ends."""
    ended = os.pidfd_open(jail)
    poll = select.poll()
    for descriptor in (session, *guards, ended):
        poll.register(descriptor, select.POLLIN)
    poll.poll()
    os.close(ended)


def end(jail: int) -> int:
    """Kills the jail and returns its exit code once no descendant of this process is left.

    Killing bubblewrap kills the jail's process 1 (its parent-death signal), which takes the whole pid namespace
    with it; as the subreaper this process then gets every orphan, and kills and reaps those too.
    """
    code = 0
    for child in children() | {jail}:
        kill(child)
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return code
        if pid == jail:
            code = os.waitstatus_to_exitcode(status)
        for child in children():
            kill(child)


def children() -> set[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return {int(each) for each in file.read().split()}


def kill(pid: int) -> None:
    try:
        os.kill(pid, SIGKILL)
    except ProcessLookupError:
        pass


def main(session: int, words: list[str], guards: Sequence[int], grouped: bool) -> None:
    """Carries out an order for the session at the other end of a socket, as long as the processes that it serves live.

    `grouped`: this process, and so all of the jail, is in a control group of its own. Tells the session the jail's exit
    code, what failed here, and what bubblewrap said, each in a line of its own.
    """
    order = Order(words)
    check(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")
    errors, errors_write = os.pipe()
    os.set_blocking(errors, False)
    code, failure = "", ""
    try:
        jail = start(order, errors_write, session, grouped=grouped)
    except OSError as error:
        failure = str(error)
    else:
        os.close(order.channel)
        watch(session, guards, jail)
        code = str(end(jail))
    answer(session, code, failure, errors)


def answer(session: int, code: str, failure: str, errors: int) -> None:
    """Report the end to the session; `errors` is the pipe with the error messages of the started process."""
    try:
        said = os.read(errors, MOST_SAID_BYTES)
    except BlockingIOError:
        said = b""
    try:
        os.write(session, f"{code}\n{failure}\n".encode() + said)
    except OSError:
        pass
