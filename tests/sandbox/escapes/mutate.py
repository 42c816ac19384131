"""`make mutate-sandbox`: each guard switched off in a copy, and what then gets through. Not part of the tests.

Prints the table of docs/sandbox.md, whole guards first: with all of them on nothing may get through, or a row would
prove nothing. With words, only the guards are tried whose names hold one of them. Ends with 1 when nothing got through
without some guard, when what is tried did not end, or when a guard's text is no longer in the code.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.contract import SandboxUnavailable
from sandbox.jail import probe
from tests.sandbox.escapes import trial
from tests.sandbox.escapes.attempts import ROWS
from tests.sandbox.escapes.attempts.row import HELD, Place
from tests.sandbox.escapes.guards import FILES_TEST, GATE_TEST, GUARDS, Guard

_REPOSITORY = Path(__file__).resolve().parents[3]
_PARTS = ("sandbox", "tests", "mindx_web", "people", "library", "agents", "review", "templates")
_HANGS_S, _MOST_S = 60, 400
_HANGS = f"a command that does not end within {_HANGS_S} s"
_MOST_SHOWN = 3


_EVERY = Guard("none", "", (), tuple({row.kind for row in ROWS}))


def main() -> int:
    # Whatever a shell starts in the background ignores it, and so would every helper here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    chosen = [guard for guard in GUARDS if not sys.argv[1:] or any(word in guard.name for word in sys.argv[1:])]
    place = Path(tempfile.mkdtemp(prefix="mindx-mutate-"))
    without_effect = 0
    try:
        place.chmod(0o755)
        copy = place / "copy"
        for part in _PARTS:
            shutil.copytree(_REPOSITORY / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(_REPOSITORY / "pyproject.toml", copy / "pyproject.toml")
        if not sys.argv[1:] and (found := _through(_EVERY, copy)):
            _say(f"With every guard on this gets through: {' · '.join(found)}")
            return 1
        _say("| without | first to get through |\n|---|---|")
        for guard in chosen:
            try:
                found = _without(guard, copy)
            except subprocess.TimeoutExpired:
                found = []
                sys.stderr.write(f"{guard.name}: what is tried did not end within {_MOST_S} s\n")
            without_effect += not found
            _say(f"| {guard.name} | {' · '.join(found[:_MOST_SHOWN]) or '**nothing**'} |")
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return 1 if without_effect else 0


def _without(guard: Guard, copy: Path) -> list[str]:
    path = copy / guard.file
    whole = path.read_text()
    text = whole
    for old, new in guard.changes:
        if old not in text:
            sys.stderr.write(f"{guard.name}: {guard.file} no longer holds {old!r}\n")
            return []
        text = text.replace(old, new)
    path.write_text(text)
    try:
        return _failing(guard, copy) if guard.tests else _through(guard, copy)
    finally:
        path.write_text(whole)


def _through(guard: Guard, copy: Path) -> list[str]:
    """What gets through in a process of its own, which has the changed code and a data folder to itself."""
    code = "import sys; from tests.sandbox.escapes.mutate import attempt; attempt(sys.argv[1:])"
    return _lines(guard, [sys.executable, "-c", code, *guard.kinds], copy, "THROUGH ")


def _failing(guard: Guard, copy: Path) -> list[str]:
    """The tests that fail without it, in the words of their rows or of their names."""
    path, *words = guard.tests.split(" ", 2)
    line = [sys.executable, "-m", "pytest", "-q", f"--maxfail={_MOST_SHOWN}", "-p", "no:randomly", path, *words]
    titles = [_title(path, each.split("::", 1)[-1].split(" - ")[0]) for each in _lines(guard, line, copy, "FAILED ")]
    return list(dict.fromkeys(titles))


def _title(path: str, test: str) -> str:
    if test == _HANGS:
        return test
    name, _, row = test.partition("[")
    # A row's own title says more than the name of the test that all rows share.
    if path in (FILES_TEST, GATE_TEST) and row:
        return row.rstrip("]")
    return f"`{Path(path).name}`: {name.removeprefix('test_').replace('_', ' ')}"


def _lines(guard: Guard, line: list[str], copy: Path, mark: str) -> list[str]:
    """What is behind a mark in the output of a program in the copy. Raises TimeoutExpired when it does not end."""
    environment = {**os.environ, "MINDX_DATA": str(copy.parent / "data"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.Popen(
        line, cwd=copy, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip
    try:
        out, _ = done.communicate(timeout=_HANGS_S if guard.hangs else _MOST_S)
    except subprocess.TimeoutExpired:
        done.kill()
        done.communicate()
        if not guard.hangs:
            raise
        return [_HANGS]
    return [each.removeprefix(mark) for each in out.splitlines() if each.startswith(mark)]


def attempt(kinds: list[str]) -> None:
    """Makes the attempts of some kinds in jails, and says which got through, until enough did."""
    # Not below /tmp, which the launcher covers: a host folder that is let in by mistake shall really be seen.
    place = Path(tempfile.mkdtemp(prefix="attempts-", dir="/var/tmp"))
    place.chmod(0o755)
    # The canary would refuse most of these jails before anybody could try them; the session's own look stays.
    probe._found = probe.Level("L3")
    try:
        with trial.host(place / "host") as host:
            _attempt([number for number, row in enumerate(ROWS) if row.kind in kinds], place, host)
    except SandboxUnavailable as unavailable:
        _say(f"THROUGH every session is refused: {unavailable}")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _attempt(numbers: list[int], place: Path, host: Place) -> None:
    with trial.jail(place / "together", host) as jail:
        asked = [number for number in numbers if not ROWS[number].alone]
        found = jail.together(asked)
        for number in asked:
            # One after the other: behind the one that took the jail along nothing was tried, and it may say nothing.
            if number not in found or not (found[number].through or found[number].has_ended):
                _say(f"THROUGH {ROWS[number].title} (and the jail ended)")
                break
            if found[number].through:
                _say(f"THROUGH {ROWS[number].title}")
    shown = 0
    with trial.jail(place / "tight", host, trial.TIGHT) as jail:
        for number in [each for each in numbers if ROWS[each].alone]:
            outcome, result = jail.alone(number)
            expected = ROWS[number].expect["L3"]
            if outcome.through if expected == HELD else result.limit != expected:
                _say(f"THROUGH {ROWS[number].title}")
                shown += 1
                if shown == _MOST_SHOWN:
                    return


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
