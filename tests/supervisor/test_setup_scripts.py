"""What set-up says where a part cannot be had."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# As Debian's apt-get, which waits for another one only when it is told how long.
_LOCKED = """#!/bin/bash
case "$*" in *DPkg::Lock::Timeout=*) ;; *) echo "E: Could not get lock" >&2; exit 100 ;; esac
[ "$1" = update ] || { echo "E: Unable to locate package bubblewrap" >&2; exit 100; }
"""


def _program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def test_set_up_waits_for_another_apt_and_says_what_apt_said(tmp_path: Path) -> None:
    for name in ("apt-get", "id"):
        _program(tmp_path, name, _LOCKED if name == "apt-get" else "#!/bin/bash\necho 0\n")
    for name in ("bash", "dirname", "cat"):
        (tmp_path / name).symlink_to(Path("/bin") / name if name != "dirname" else Path("/usr/bin/dirname"))
    done = subprocess.run(
        [ROOT / "scripts" / "bubblewrap.sh"],
        env={"PATH": str(tmp_path), "MINDX_DATA": str(tmp_path / "data")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "mindX starts, but reports the sandbox as unavailable" in done.stderr
    assert "apt-get said: E: Unable to locate package bubblewrap" in done.stderr


@pytest.mark.parametrize("script", ["bubblewrap.sh", "chromium.sh"])
def test_every_call_of_apt_as_root_waits_for_another_one(script: str) -> None:
    text = (ROOT / "scripts" / script).read_text().replace("\\\n", " ")
    calls = [line for line in text.splitlines() if "apt-get install -y" in line or "apt-get update -qq -o" in line]
    assert calls
    assert all("DPkg::Lock::Timeout" in line for line in calls)


def test_a_script_that_takes_long_says_so_and_is_not_outlived() -> None:
    script = "set -euo pipefail; . scripts/speak.sh; speak still bubblewrap; read -r"
    with subprocess.Popen(
        ["bash", "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as slow:
        assert slow.stdout is not None
        assert re.fullmatch(r"still: bubblewrap, [4-9] s\n", slow.stdout.readline())
        slow.kill()
        slow.wait()
        slow.stdout.read()  # returns when nobody is left who could write
