"""Finding bubblewrap, and the command line that makes a jail of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.contract import SandboxUnavailable
from sandbox.jail.bundle import start_of
from sandbox.jail.interpreter import Interpreter
from sandbox.places import data_folder

STAGED = "staged:"  # before a path of the command line that the launcher may have to bind elsewhere first
WORKSPACE = "/workspace"
INSIDE = "/opt/mindx"
INNER_UID = 1000
_TMP_BYTES = 256 << 20
_SHM_BYTES = 64 << 20
_ROOT_LINKS = ("bin", "lib", "lib32", "lib64", "sbin")
_ETC = ("alternatives", "ssl/certs")
_ETC_COPIED = ("ld.so.cache", "localtime", "mime.types")
# Read by programs such as pip, which ignore a missing file but fail at an unreadable one.
_ETC_SHARED = ("nsswitch.conf", "os-release", "debian_version", "redhat-release", "alpine-release", "lsb-release")
_ETC_TEXTS = {
    "passwd": f"mindx:x:{INNER_UID}:{INNER_UID}:mindX:/tmp:/bin/sh\n",
    "group": f"mindx:x:{INNER_UID}:\n",
    "hosts": "127.0.0.1 localhost mindx\n::1 localhost mindx\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


@dataclass(frozen=True)
class Bind:
    """A folder or file of the host that the jail sees at `target`.

    It may be below folders that the jail's uid cannot traverse, so a root launcher first binds it to a reachable
    place.
    """

    source: str
    target: str
    writable: bool = False


def find() -> Path:
    """The bubblewrap to use: MINDX_BWRAP, on PATH, or unpacked under the data folder. Raises SandboxUnavailable."""
    named = os.environ.get("MINDX_BWRAP")
    if named:
        if os.access(named, os.X_OK):
            return Path(named).resolve()
        raise SandboxUnavailable(f"MINDX_BWRAP names {named}, which is no program that can be run")
    on_path = shutil.which("bwrap")
    if on_path:
        return Path(on_path).resolve()
    data = data_folder()
    for unpacked in (data / "bwrap" / "usr" / "bin" / "bwrap", data / "bin" / "bwrap"):
        if os.access(unpacked, os.X_OK):
            return unpacked
    raise SandboxUnavailable(
        "bubblewrap was not found. Install it (apt-get install bubblewrap), or unpack it without root "
        f"(apt-get download bubblewrap && dpkg -x bubblewrap_*.deb {data / 'bwrap'}), or name it in MINDX_BWRAP"
    )


def binds(root: Path, helper: Path, templates: Path, interpreter: Interpreter) -> list[Bind]:
    """The folders of the host that a jail uses, besides /usr and a few files of /etc."""
    wanted = [
        Bind(str(root), WORKSPACE, writable=True),
        Bind(str(helper / "inside"), f"{INSIDE}/inside"),
        Bind(str(templates), f"{INSIDE}/environments"),
    ]
    if interpreter.prefix is not None:
        wanted.append(Bind(interpreter.prefix, interpreter.prefix))
    return wanted


def arguments(
    bound: Sequence[Bind], seccomp: int, files: Mapping[str, int], channel: int, python: Interpreter
) -> list[str]:
    """Bubblewrap's arguments. Numbers are inherited descriptors."""
    made = ["--unshare-all", "--unshare-user", "--unshare-cgroup", "--die-with-parent", "--new-session", "--as-pid-1"]
    made += ["--uid", str(INNER_UID), "--gid", str(INNER_UID), "--hostname", "mindx", "--clearenv"]
    made += ["--cap-drop", "ALL", "--seccomp", str(seccomp)]
    made += ["--ro-bind", "/usr", "/usr"]
    for name in _ROOT_LINKS:
        place = Path("/") / name
        if place.is_symlink():
            made += ["--symlink", str(place.readlink()), str(place)]
        elif place.is_dir():
            made += ["--ro-bind", str(place), str(place)]
    for name in _ETC:
        made += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for name, descriptor in files.items():
        # Plain files of the root folder, which is made read-only below: a mount for each would take a third of a
        # millisecond.
        made += ["--perms", "0444", "--file", str(descriptor), f"/etc/{name}"]
    made += ["--proc", "/proc", "--dev", "/dev"]
    made += ["--size", str(_SHM_BYTES), "--perms", "1777", "--tmpfs", "/dev/shm"]  # noqa: S108 - the jail's own
    made += ["--size", str(_TMP_BYTES), "--perms", "1777", "--tmpfs", "/tmp"]  # noqa: S108 - the jail's own
    for bind in bound:
        made += ["--bind" if bind.writable else "--ro-bind", STAGED + bind.source, bind.target]
    # What bubblewrap makes itself (the root folder, /dev) is memory without a size, so nothing may write there.
    made += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return [*made, "--", python.program, "-I", "-S", "-c", start_of(INSIDE, f"main({channel})")]


def readable(interpreter: Interpreter) -> list[str]:
    """What a jail without mounts of its own may read and run of the host: what one with them is shown."""
    folders = [
        "/usr",
        *(f"/{name}" for name in _ROOT_LINKS),
        *(f"/etc/{name}" for name in (*_ETC, *_ETC_COPIED, *_ETC_SHARED)),
    ]
    return folders if interpreter.prefix is None else [*folders, interpreter.prefix]


def etc_files() -> dict[str, bytes]:
    """Small files of /etc that the jail has for its own: copies, and what keeps it from seeing accounts of the host."""
    found = {name: text.encode() for name, text in _ETC_TEXTS.items()}
    for name in _ETC_COPIED:
        with suppress(OSError):
            found[name] = Path("/etc", name).read_bytes()
    return found
