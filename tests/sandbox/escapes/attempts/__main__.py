"""`python -m attempts FACTS STEP ROW…`: makes attempts and says on standard output how each one went.

FACTS is the Place as JSON. STEP is `all` (each row in a child of its own, its later look behind it), `first` or
`later` (in this very process). ROWs are numbers of the table.
"""

# ruff: noqa: PTH103, PTH109
# The system's own calls, as an attacker makes them.
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from . import ROWS
from .row import Place, Row, Step

_MOST_S = 20


def main(facts: str, step: str, numbers: list[int]) -> None:
    with open(facts) as file:
        place = Place(**json.load(file))
    if place.level == "L2":
        place = replace(place, guard=os.getppid())  # no number is known beforehand in the host's own /proc
    top = os.getcwd()
    for number in numbers:
        row = ROWS[number]
        here = replace(place, planted=f"{place.outside}/{number}")
        os.makedirs(f"{top}/rows/{number}", exist_ok=True)
        os.chdir(f"{top}/rows/{number}")
        if step == "first":
            _first(number, row, here)
        elif step == "later":
            _report(number, row.later, here)
        else:
            _apart(number, row, here)


def _apart(number: int, row: Row, place: Place) -> None:
    guard = None
    if place.guard == 0:
        environment = {"SECRET": place.marker}
        guard = subprocess.Popen(["/bin/sleep", "60"], env=environment, stdout=subprocess.DEVNULL)
        _until_it_is_there(guard.pid)
        place = replace(place, guard=guard.pid)
    _in_child(lambda: _first(number, row, place))
    if row.later is not None:
        _in_child(lambda: _report(number, row.later, place))
    if guard is not None:
        guard.kill()
        guard.wait()


def _until_it_is_there(pid: int) -> None:
    """Its parent goes on before the kernel has laid out the new program: its environment reads as empty until then."""
    deadline = time.monotonic() + 10
    while not Path(f"/proc/{pid}/environ").read_bytes() and time.monotonic() < deadline:
        pass


def _in_child(work: Callable[[], None]) -> None:
    pid = os.fork()
    if pid == 0:
        signal.alarm(_MOST_S)
        work()
        os._exit(0)
    os.waitpid(pid, 0)


def _first(number: int, row: Row, place: Place) -> None:
    _say("STARTED", number)
    try:
        _say("CONTROL" if row.control(place) else "LAME", number)
    except Exception as error:
        _say("LAME", number, repr(error))
    _report(number, row.attempt, place)


def _report(number: int, step: Step | None, place: Place) -> None:
    said = ""
    try:
        through = bool(step and step(place))
    except Exception as error:
        through, said = False, repr(error)
    _say("THROUGH" if through else "STOPPED", number, said)


def _say(*words: object) -> None:
    # One write for a line, at the start of a line: children and floods share this output.
    os.write(1, ("\n" + " ".join(map(str, words)) + "\n").encode("ascii", "backslashreplace"))


main(sys.argv[1], sys.argv[2], [int(each) for each in sys.argv[3:]])
