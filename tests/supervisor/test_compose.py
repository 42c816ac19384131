"""compose.yaml and Dockerfile, as far as they can be read without a Docker engine."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("prepare", "web", "worker")


@pytest.mark.parametrize("name", OURS)
def test_every_command_starts_something_that_exists(name: str) -> None:
    command = SERVICES[name].get("command", ["python", "-m", "uvicorn"])
    assert command[0] == "python"
    if command[1] == "-m":
        assert importlib.util.find_spec(command[2]) is not None
    else:
        assert (ROOT / command[1]).is_file()
        assert command[2] in get_commands()


def test_web_and_worker_stand_apart_and_wait_for_the_preparation() -> None:
    for name in ("web", "worker"):
        assert SERVICES[name]["depends_on"]["prepare"] == {"condition": "service_completed_successfully"}
    assert SERVICES["prepare"]["depends_on"]["postgres"] == {"condition": "service_healthy"}


def test_only_the_preparation_holds_the_owners_password() -> None:
    for name in ("web", "worker"):
        assert "MINDX_MIGRATE_URL" not in SERVICES[name]["environment"]
        assert "OWNER" not in str(SERVICES[name]["environment"])
    assert "mindx_owner" in SERVICES["prepare"]["environment"]["MINDX_MIGRATE_URL"]


def test_every_dependency_volume_and_bound_file_is_there() -> None:
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (ROOT / source).is_file() if source.startswith("./") else source in COMPOSE["volumes"]


def test_only_the_web_part_is_published_and_only_on_loopback() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:${MINDX_PORT:-8000}:8000"]}


def test_no_password_is_in_a_command_line() -> None:
    for service in SERVICES.values():
        assert not re.search(r"(?<!\$)\$\{?MINDX\w*(PASSWORD|KEY)", str(service.get("command", "")))


def test_the_script_makes_every_secret_that_compose_demands_and_never_twice(tmp_path: Path) -> None:
    demanded = set(re.findall(r"\$\{(\w+):\?", (ROOT / "compose.yaml").read_text()))
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(ROOT / "scripts" / "compose_env.sh", tmp_path / "scripts")
    subprocess.run([script], check=True, capture_output=True)
    made = (tmp_path / ".env").read_text()
    values = dict(line.split("=") for line in made.splitlines())
    assert set(values) == demanded
    assert len(set(values.values())) == len(values)
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    subprocess.run([script], check=True, capture_output=True)
    assert (tmp_path / ".env").read_text() == made


def test_the_image_installs_the_lock_and_what_it_copies_exists() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert "--require-hashes --no-deps -r requirements.txt" in text
    for sources in re.findall(r"^COPY (.+) \S+$", text, flags=re.MULTILINE):
        assert all((ROOT / source).exists() for source in sources.split())
    assert re.search(r"^USER mindx$", text, flags=re.MULTILINE)


def test_every_lock_line_is_exact_and_hashed_and_torch_is_not_among_them() -> None:
    for name in ("requirements.txt", "requirements-test.txt"):
        text = (ROOT / name).read_text()
        packages = re.findall(r"^([a-z0-9._-]+)(?:\[[a-z,]+\])?==\S+ \\\n    --hash=sha256:", text, flags=re.MULTILINE)
        entries = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
        assert len(packages) == len(entries) > 50
        assert not {"torch", "sentence-transformers"} & set(packages)
        assert "://" not in text


@pytest.mark.parametrize("script", sorted((ROOT / "scripts").glob("*.sh")), ids=lambda path: path.name)
def test_every_script_can_be_run_and_parses(script: Path) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", script], check=True)


def test_every_variable_that_compose_hands_on_is_one_that_mindx_reads() -> None:
    read = "".join(path.read_text() for path in [*ROOT.glob("mindx_web/**/*.py"), *ROOT.glob("scripts/*")])
    for name in OURS:
        for variable in SERVICES[name]["environment"]:
            # Amazon's own words are read by boto3.
            assert f'"{variable}"' in read or variable.startswith("AWS_"), variable


def test_no_service_fills_a_disk_with_its_log_and_every_one_comes_back() -> None:
    for name, service in SERVICES.items():
        assert service["logging"]["options"]["max-size"], name
        assert service["restart"] == ("no" if name == "prepare" else "unless-stopped")


def test_postgres_has_time_for_its_last_checkpoint() -> None:
    assert SERVICES["postgres"]["stop_grace_period"] == "60s"
