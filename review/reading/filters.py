"""A filter of the queue, as part of an address and in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from urllib.parse import urlencode

from review.risk.assessment import Level

LONGEST = 120
WORDS_MAX = 8
MINUTES_MAX = 525_600
ME, NOBODY = "me", "nobody"
# Minutes to choose from; an address may have any other number.
WAITS = ((60, "1 h"), (240, "4 h"), (1440, "1 day"), (4320, "3 days"), (10080, "1 week"))


@dataclass(frozen=True)
class Filters:
    """Conditions for waiting plans; "" means any. `longer` is a number of minutes."""

    words: str = ""
    risk: str = ""
    agent: str = ""
    by: str = ""
    workspace: str = ""
    does: str = ""
    longer: str = ""
    assigned: str = ""

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    @property
    def query(self) -> str:
        """Its form in an address, "" for no filter; always in the same order."""
        return urlencode({name: value for name, value in asdict(self).items() if value})

    @property
    def in_words(self) -> str:
        """What it lets through."""
        minutes = int(self.longer or 0)
        said = (
            self.words and f"“{self.words}” in the goal",
            self.risk and f"{self.risk} risk",
            self.agent and f"agent {self.agent}",
            self.by and f"goals of {self.by}",
            self.workspace and f"workspace {self.workspace}",
            self.does and f"with {self.does}",
            minutes and f"waiting longer than {dict(WAITS).get(minutes) or f'{minutes} min'}",
            self.assigned and f"assigned to {self.assigned}",
        )
        return ", ".join(part for part in said if part)

    def but(self, **other: str) -> Filters:
        """A copy with some other values."""
        return replace(self, **other)


EVERYTHING = Filters()


def read(given: Mapping[str, str]) -> tuple[Filters, dict[str, str]]:
    """The filter in an address, and problems by field; invalid parts are left out."""
    found = {field.name: str(given.get(field.name, "")).strip() for field in fields(Filters)}
    problems = {name: f"At most {LONGEST} characters." for name, value in found.items() if len(value) > LONGEST}
    problems |= {name: "A name cannot contain this character." for name, value in found.items() if "\0" in value}
    if len(found["words"].split()) > WORDS_MAX:
        problems["words"] = f"At most {WORDS_MAX} words."
    if found["risk"] not in ("", *Level):
        problems["risk"] = f"A risk is {', '.join(Level)}."
    minutes = found["longer"]
    if minutes and not (minutes.isascii() and minutes.isdigit() and len(minutes) < 9 and int(minutes) <= MINUTES_MAX):
        problems["longer"] = "A number of minutes, at most a year."
    return Filters(**{name: "" if name in problems else value for name, value in found.items()}), problems
