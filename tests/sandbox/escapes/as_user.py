"""The attempts once more as an ordinary user, which is how most people start mindX.

`python -m tests.sandbox.escapes.as_user FOLDER` makes them and prints JSON; it runs under that user's uid.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from sandbox.places import templates_folder
from sandbox.sessions.environments import prepare
from tests.sandbox.escapes import trial
from tests.sandbox.escapes.trial import Tried

_REPOSITORY = Path(__file__).resolve().parents[3]
_PARTS = ("sandbox", "tests/sandbox/escapes")
_UID = 61_101  # no account is needed
_SYSTEM_PYTHON = "/usr/bin/python3"  # the test's own may lie in root's home
_MOST_S = 240
POSSIBLE = os.access(_SYSTEM_PYTHON, os.X_OK)


def tries(folder: Path) -> dict[int, Tried]:
    """Makes all attempts below `folder` at L3, outside and in jails, under a uid that is nobody's; needs root."""
    home = folder / "home"
    for part in _PARTS:
        shutil.copytree(_REPOSITORY / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
    # Made here, by a Python that is the same: making one takes seconds and is tried elsewhere.
    templates = templates_folder() / prepare()
    shutil.copytree(templates, home / "data" / "sandbox" / "environments" / templates.name, symlinks=True)
    for path in [home, *home.rglob("*")]:
        os.chown(path, _UID, _UID, follow_symlinks=False)
    home.chmod(0o700)
    done = subprocess.run(
        [_SYSTEM_PYTHON, "-m", "tests.sandbox.escapes.as_user", str(home)],
        cwd=home,
        env={"PATH": os.environ["PATH"], "MINDX_DATA": str(home / "data")},
        user=_UID,
        group=_UID,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=_MOST_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {int(number): Tried.from_json(each) for number, each in json.loads(done.stdout).items()}


def main() -> None:
    place = Path(sys.argv[1]) / "work"
    place.mkdir()
    bare = trial.without_a_jail(place / "bare")
    told = {number: each.to_json() for number, each in trial.tries(place, "L3", bare).items()}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
