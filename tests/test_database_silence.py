"""A link that is cut without a word: what both ends are told to do when the database is reached over a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.supervisor.running import ROOT

OVER_TCP = "postgres://u:p@db.example.org:5432/mindx"


@pytest.mark.parametrize(
    ("url", "silence", "wanted"),
    [
        (OVER_TCP, "30", {"tcp_user_timeout": 30000, "keepalives_idle": 10}),
        (f"{OVER_TCP}?tcp_user_timeout=7", "30", {"tcp_user_timeout": 7, "keepalives_idle": 10}),
        (OVER_TCP, "0", {}),
        ("postgres://u:p@%2Frun%2Fpostgres:5432/mindx", "30", {}),
    ],
)
def test_silence_is_bounded_over_a_network_and_only_there(
    url: str, silence: str, wanted: dict[str, object], tmp_path: Path
) -> None:
    code = (
        "import json; from django.conf import settings;"
        "print(json.dumps(settings.DATABASES['default'].get('OPTIONS') or {}))"
    )
    ours = {
        "DJANGO_SETTINGS_MODULE": "mindx_web.settings",
        "DATABASE_URL": url,
        "MINDX_DB_SILENCE_S": silence,
        "MINDX_DATA": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **ours}, capture_output=True, text=True, check=True
    )
    options = json.loads(done.stdout)
    assert {name: options[name] for name in wanted} == wanted
    assert ("tcp_user_timeout=30000" in options.get("options", "")) == bool(wanted), "the server is told as well"
    assert bool(options) == bool(wanted)
