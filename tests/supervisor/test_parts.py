"""What the parts of a start are started with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mindx_web.supervisor.configuration import Configuration, ConfigurationError
from mindx_web.supervisor.data_folder import DataFolder
from mindx_web.supervisor.parts import own_parts

ROOT = Path(__file__).parents[2]


def test_the_server_itself_believes_no_forwarded_address(tmp_path: Path) -> None:
    """Which proxies are believed is the application's to say; the server would believe everybody on the loopback."""
    parts = own_parts(Configuration.from_environment({"MINDX_DATA": str(tmp_path)}), DataFolder(tmp_path))
    assert "--no-proxy-headers" in next(part.argv() for part in parts if part.name == "web")
    assert '"--no-proxy-headers"' in (ROOT / "Dockerfile").read_text()


def test_the_supervisor_needs_no_package() -> None:
    """It stays as long as mindX runs; the clients of database and broker alone would be 20 MB of it."""
    line = [sys.executable, "-S", "-c", "import mindx_web.supervisor.__main__"]
    done = subprocess.run(line, cwd=ROOT, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("port", ["0", "65536", "70000", "80 80", "-1", "http", "٣"])
def test_what_is_no_port_is_refused(port: str) -> None:
    with pytest.raises(ConfigurationError, match="from 1 to 65535"):
        Configuration.from_environment({"MINDX_PORT": port})
