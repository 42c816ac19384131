"""The form of the prompt: a line and what stands beside it, as it was sent and as it is shown again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from agents.hands.command_reading import Reading
from agents.record.errors import CommandRefused
from agents.toolkit import hosts as host_words


@dataclass(frozen=True)
class Typing:
    """What stands in the form. `agreed` is the line that was shown with its hosts; `shown` the one to be agreed to."""

    text: str = ""
    hosts: str = ""
    timeout: str = ""
    autonomous: bool = False
    agreed: str = ""
    problem: str = ""
    shown: Reading | None = None

    @classmethod
    def of(cls, data: Mapping[str, str]) -> Typing:
        """The form as it was sent."""
        return cls(
            data.get("text", ""),
            data.get("hosts", ""),
            data.get("timeout_s", ""),
            data.get("autonomous") == "on",
            data.get("agreed", ""),
        )

    @property
    def entries(self) -> list[str]:
        """The hosts beside the line, as people say them: `example.org and the package index`."""
        return host_words.entries_of(self.hosts)

    @property
    def seconds(self) -> int | None:
        """The time beside the line. Raises CommandRefused for what is no whole number."""
        said = self.timeout.strip()
        if not said:
            return None
        if not (said.isascii() and said.isdigit() and len(said) < 10):
            raise CommandRefused("A time limit is a whole number of seconds.")
        return int(said)

    @property
    def is_open(self) -> bool:
        """Whether the fields beside the line hold something, so that they have to be seen."""
        return bool(self.hosts or self.timeout)

    def to_be_agreed(self, reading: Reading) -> Typing:
        """The form with everything in its line, to be sent again by who agrees to it."""
        return replace(self, text=reading.text, hosts="", timeout="", shown=reading)

    @property
    def may_reach(self) -> str:
        """The hosts of the line to be agreed to, in words."""
        return host_words.in_words(self.shown.hosts) if self.shown else ""
