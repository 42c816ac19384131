"""Where the helper works.

A jail with mounts of its own has the constant paths that sessions speak of; one without has the host's, and what a
session says is translated to them.
"""

from __future__ import annotations

import os

WORKSPACE = "/workspace"
TEMPLATES = "/opt/mindx/environments"
TMP = "/tmp"  # noqa: S108 - the jail's own


class Place:
    """The folders of one helper, as paths, and the uid that is its jail's alone where there is such a one."""

    def __init__(
        self, workspace: str = WORKSPACE, templates: str = TEMPLATES, tmp: str = TMP, uid: int | None = None
    ) -> None:
        self.workspace, self.templates, self.tmp, self.uid = workspace, templates, tmp, uid

    @property
    def ends_all(self) -> bool:
        """Whether `kill(-1)` reaches this jail's processes and no others; without that no program may be started."""
        own = self.uid is not None and self.uid > 0 and os.getresuid() == (self.uid, self.uid, self.uid)
        return os.getpid() == 1 or own

    @property
    def on_disk(self) -> list[str]:
        """The folders whose contents count as the jail's on the host's disks; a mount of its own has its own size."""
        return [self.workspace] if self.tmp == TMP else [self.workspace, self.tmp]

    def real(self, path: str) -> str:
        """`path`, as a session says it, where it really is."""
        for said, real in ((WORKSPACE, self.workspace), (TEMPLATES, self.templates), (TMP, self.tmp)):
            if path == said or path.startswith(said + "/"):
                return real + path[len(said) :]
        return path

    def environment(self, env: dict[str, str]) -> dict[str, str]:
        """`env` with its paths where they really are: single ones, and those of PATH."""
        return {name: ":".join(self.real(part) for part in value.split(":")) for name, value in env.items()}
