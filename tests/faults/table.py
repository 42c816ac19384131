"""The table of cases. `python -m tests.faults.table RESULTS docs/reliability.md` puts a run's results into the page.

A case counts as survived as often as its fault really landed and everything held afterwards, and no oftener.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"


@dataclass
class Case:
    """A row. `landed`: how often the fault was seen to happen; `survived`: how often everything held after it."""

    name: str
    landed: int = 0
    survived: int = 0
    note: str = ""

    def held(self) -> None:
        """The fault landed once more, and everything holds."""
        self.survived += 1


class Results:
    """The cases of a run, kept in a file as they come: a run that is cut short keeps what it found."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.cases: list[Case] = []

    @contextmanager
    def case(self, name: str) -> Iterator[Case]:
        """Count one case; what it raises is its note."""
        found = Case(name)
        self.cases.append(found)
        try:
            yield found
        except BaseException as error:
            said = str(error).splitlines() or [type(error).__name__]
            found.note = f"{found.note}; failed: {said[0][:160]}"
            raise
        finally:
            found.note = found.note.removeprefix("; ")
            if self.path is not None:
                with self.path.open("a") as file:
                    file.write(json.dumps(asdict(found)) + "\n")


def markdown(cases: list[Case]) -> str:
    """The table as the page has it."""
    lines = ["| case | times | survived | figures |", "|---|---|---|---|"]
    lines += [f"| {case.name} | {case.landed} | {case.survived} | {case.note.replace('|', '/')} |" for case in cases]
    return "\n".join(lines)


def read(path: Path) -> list[Case]:
    """The newest row of each case, in the order of their first."""
    found: dict[str, Case] = {}
    for line in path.read_text().splitlines():
        case = Case(**json.loads(line))
        found[case.name] = case
    return list(found.values())


def main(results: str, page: str) -> None:
    """Put the table between the marks of the page."""
    text = Path(page).read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    Path(page).write_text(f"{before}{BEGIN}\n{markdown(read(Path(results)))}\n{END}{after}")


if __name__ == "__main__":
    main(*sys.argv[1:])
