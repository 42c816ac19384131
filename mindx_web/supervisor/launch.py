"""Become a server process: die with the parent, take a lower uid, see only what is bound.

Runs as a script of its own (`python -I -S launch.py … -- PROGRAM ARGS`) so that the parent needs no `preexec_fn`,
and ends in `exec`: the server keeps the process id that the parent knows. Standard library only.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
CLONE_NEWNS = 0x00020000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18

# A folder every Debian has, whose parents everyone may pass. The private tmpfs on it is seen by this process alone.
STAGE = "/mnt"

_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> None:
    """Do what the arguments ask, then replace this process with the program."""
    options = _parser().parse_args(arguments)
    if options.bind or options.bind_read_only:
        _stage(options.bind, options.bind_read_only)
    if options.uid is not None:
        os.setgroups([])
        os.setresgid(options.gid, options.gid, options.gid)
        os.setresuid(options.uid, options.uid, options.uid)
    # After the uid change: the kernel forgets the death signal when credentials change.
    _check(_libc.prctl(PR_SET_PDEATHSIG, options.death_signal, 0, 0, 0), "prctl(PR_SET_PDEATHSIG)")
    if options.private:
        os.umask(0o077)
        _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(PR_SET_NO_NEW_PRIVS)")
    if os.getppid() != options.parent:
        sys.exit("the parent ended before this process was ready")
    os.execv(options.program[0], options.program)  # noqa: S606  # there is no shell, which is the point


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    parser.add_argument("--parent", type=int, required=True, help="process id that must still be our parent")
    parser.add_argument("--death-signal", type=int, required=True, help="signal we get when the parent ends")
    parser.add_argument("--private", action="store_true", help="files for us alone, and never more rights than now")
    parser.add_argument("--uid", type=int)
    parser.add_argument("--gid", type=int)
    parser.add_argument("--bind", nargs=2, action="append", default=[], metavar=("FOLDER", "NAME"))
    parser.add_argument("--bind-read-only", nargs=2, action="append", default=[], metavar=("FOLDER", "NAME"))
    parser.add_argument("program", nargs="+")
    return parser


def _stage(writable: list[list[str]], read_only: list[list[str]]) -> None:
    """Show the folders as STAGE/NAME in a mount namespace of our own, whatever the modes of their parents."""
    os.umask(0o022)
    _check(_libc.unshare(CLONE_NEWNS), "unshare(CLONE_NEWNS)")
    _mount("none", "/", None, MS_REC | MS_PRIVATE)
    # Opened before the stage covers anything, so that folders below the stage itself can be bound too.
    opened = {name: os.open(folder, os.O_PATH | os.O_DIRECTORY) for folder, name in [*writable, *read_only]}
    _mount("tmpfs", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=64k")
    for name, descriptor in opened.items():
        target = f"{STAGE}/{name}"
        Path(target).mkdir()
        _mount(f"/proc/self/fd/{descriptor}", target, None, MS_BIND)
        os.close(descriptor)
    for _, name in read_only:
        _mount("none", f"{STAGE}/{name}", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    arguments = (None if text is None else text.encode() for text in (source, target, kind))
    source_b, target_b, kind_b = arguments
    _check(_libc.mount(source_b, target_b, kind_b, flags, None if data is None else data.encode()), f"mount {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        sys.exit(f"{what}: {os.strerror(code)}")


if __name__ == "__main__":
    main(sys.argv[1:])
