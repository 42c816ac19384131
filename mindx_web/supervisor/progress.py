"""What a start says while it lasts: a line when a stage begins, and a line whenever nothing was said for seconds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

# Whoever sees nothing new for five seconds wonders whether it still works; a busy machine is late by some tenths.
SILENT_S = 4.0
# Begins the lines by which `manage.py prepare` names the stage that it begins.
STAGE = "preparing: "


class Progress:
    """The stage that a start is in. A start that is quick at everything says nothing through this."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said_at = time.monotonic()
        self.wait_for(lambda: "start")

    def begin(self, stage: str) -> None:
        """Name a stage that takes long on a slow machine."""
        self.wait_for(lambda: stage)
        self._tell(f"{STAGE}{stage}")

    def wait_for(self, stage: Callable[[], str]) -> None:
        """From now on this is what takes so long, if it does; asked anew for each line."""
        self._stage, self._began_at = stage, time.monotonic()

    async def keep_speaking(self) -> None:
        """Break every silence with what is waited for and for how long it has been; runs until it is cancelled."""
        while True:
            await asyncio.sleep(self._said_at + SILENT_S - time.monotonic())
            now = time.monotonic()
            if now - self._said_at >= SILENT_S:
                self._tell(f"still: {self._stage()}, {now - self._began_at:.0f} s")

    def _tell(self, text: str) -> None:
        self._said_at = time.monotonic()
        self._say(text)
