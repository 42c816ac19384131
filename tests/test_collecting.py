"""Which tests a run finds must not depend on the order in which files are named."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_a_file_above_between_two_of_a_folder_leaves_that_folders_fixtures_alone() -> None:
    """Only planned, not run: a fixture that cannot be found is an error there too."""
    named = [
        "tests/review/queue/test_queue_filters.py",
        "tests/test_groups.py",
        "tests/review/queue/test_queue_order.py",
    ]
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TESTS_"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--setup-plan", *named],
        cwd=ROOT,
        env=ours,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, "not found" in done.stdout) == (0, False), done.stdout[-2000:]
