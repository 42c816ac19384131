"""What the jail's processes have on the host's disks: files with a name, deleted ones still held, and what hides.

The walk over the folders finds what has a name. The processes' own folders in /proc tell of files that were deleted
(or never had a name) and are still open, in any thread, for a thread can have descriptors of its own; or that run.
What neither can look into is no finding but a suspicion, with as much as it could hide at most.
"""

# ruff: noqa: PTH110, PTH116, PTH208
# The helper starts with every session, without pathlib.
from __future__ import annotations

import os
import stat

from .census import others, state_of, tasks
from .place import Place
from .tree import quietly

TYPE_CHECKING = False  # importing typing costs a session's start 3 ms
if TYPE_CHECKING:
    from collections.abc import Mapping

    Limits = Mapping[str, int]

_BOUNDLESS = 1 << 62
_BLOCK_BYTES = 512
_MEMORY = ("/tmp", "/dev/shm")  # noqa: S108 - the jail's own, with sizes of their own


class Holdings:
    """Bytes and files that were counted, and how many more could be where nobody can look."""

    def __init__(self, place: Place, limits: Limits) -> None:
        self.size_bytes = 0
        self.files = 0
        self.hidden_bytes = 0
        self.hidden_files = 0
        self._limits = limits
        self._folders = tuple(f"{folder}/" for folder in place.on_disk)
        disks = {os.stat(folder).st_dev for folder in place.on_disk}
        self._memory = {os.stat(folder).st_dev for folder in _MEMORY if os.path.exists(folder)} - disks
        self._held: set[tuple[int, int]] = set()
        self._inodes: set[int] = set()  # a mapping names some file systems by another device than its file does
        self._sockets: set[int] = set()

    @property
    def over(self) -> bool:
        return self.size_bytes > self._limits["workspace_bytes"] or self.files > self._limits["workspace_files"]

    def hide(self, files: int) -> None:
        """Notes that as many files, none larger than the limit, could be where this cannot look."""
        self.hidden_files += files
        self.hidden_bytes += files * self._limits["file_bytes"]

    def walk(self, top: str) -> None:
        """Counts what has a name below `top`. A folder that is closed, moved away or too deep hides what is in it."""
        waiting = [top]
        while waiting and not self.over:
            above = waiting.pop()
            try:
                folder = quietly(above)
                try:
                    with os.scandir(folder) as entries:
                        for entry in entries:
                            self._count(entry, above, waiting)
                finally:
                    os.close(folder)
            except OSError:
                self.hide(_BOUNDLESS)

    def _count(self, entry: os.DirEntry[str], above: str, waiting: list[str]) -> None:
        self.files += 1
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder:
            waiting.append(f"{above}/{entry.name}")
        try:
            self.size_bytes += entry.stat(follow_symlinks=False).st_blocks * _BLOCK_BYTES
        except OSError:
            self.hide(1)

    def look_into(self, process: str) -> None:
        """Counts the deleted files that a process holds. One that made itself unreadable hides all it may have."""
        for task in tasks(process):
            try:
                for number in os.listdir(f"{task}/fd"):
                    self._descriptor(task, number)
                self._note(os.stat(f"{task}/exe"))
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended
            except OSError:
                # One that has ended and is still listed closed its descriptors before, and cannot be read either.
                if state_of(task) not in "ZX":
                    self.hide(self._limits["descriptors"])

    def look_at_maps(self, process: str) -> None:
        """Notes deleted files that are mapped and not open: the mapping does not say how large they are."""
        for task in tasks(process):
            try:
                with open(f"{task}/maps", "rb") as file:
                    lines = file.read().splitlines()
            except OSError:
                continue  # it has ended, or is unreadable, which `look_into` has noted
            for line in lines:
                if line.endswith(b" (deleted)"):
                    self._mapped(line.split(None, 5))
            if lines:
                return  # its threads share one memory; one that has ended shows none

    def _mapped(self, words: list[bytes]) -> None:
        *_, inode, path = words
        if not os.fsdecode(path).startswith(self._folders) or int(inode) in self._inodes:
            return
        self._inodes.add(int(inode))
        self.hide(1)

    def _descriptor(self, task: str, number: str) -> None:
        try:
            state = os.stat(f"{task}/fd/{number}")
            if stat.S_ISSOCK(state.st_mode):
                self._socket(f"{task}/fdinfo/{number}", state.st_ino)
            else:
                self._note(state)
        except FileNotFoundError:
            return  # closed meanwhile

    def _note(self, state: os.stat_result) -> None:
        """Counts a file without a name once, if it is the jail's own and on a disk."""
        key = (state.st_dev, state.st_ino)
        if state.st_nlink or key in self._held or state.st_dev in self._memory or state.st_uid != os.getuid():
            return
        self._held.add(key)
        self._inodes.add(state.st_ino)
        self.files += 1
        self.size_bytes += state.st_blocks * _BLOCK_BYTES

    def _socket(self, path: str, inode: int) -> None:
        """Notes descriptors that were sent to a socket and not received: until then no process has them."""
        if inode in self._sockets:
            return
        self._sockets.add(inode)
        with open(path, "rb") as file:
            _, _, count = file.read().partition(b"scm_fds:")
        if count:
            self.hide(int(count.split(None, 1)[0]))


def holdings(place: Place, limits: Limits) -> Holdings:
    """Everything of the jail on the disks as it is now; less than everything once it is over a limit."""
    found = Holdings(place, limits)
    for folder in place.on_disk:
        found.walk(folder)
    processes = others()
    for process in processes:
        if not found.over:
            found.look_into(process)
    for process in processes:
        found.look_at_maps(process)
    return found
