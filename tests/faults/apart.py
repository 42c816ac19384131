"""mindX on three machines: servers and web on the hub, a worker on each of two others with an own data folder.

Nothing is shared but the network: Postgres, the broker and a bucket for snapshots.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import boto3
import httpx

from mindx_web.supervisor.postgres import APP, DATABASE, OWNER, EmbeddedPostgres, Passwords
from mindx_web.supervisor.valkey import EmbeddedValkey
from tests.bucket import KEYS
from tests.faults.network import HUB, Network
from tests.supervisor.processes import dismiss, workers_of
from tests.supervisor.running import ROOT, START_S, Running
from tests.waiting import wait_until
from tests.whole.started import PASSWORD, SCOPES, Whole

_POSTGRES_PORT, _VALKEY_PORT, _WEB_PORT = 5432, 6379, 8000
_MODE_OTHERS_MAY_PASS = 0o755


@dataclass
class Hub:
    """As much of a `Running` as the tests of faults ask: the data folder with the addresses, and an environment."""

    data: Path
    environment: dict[str, str]


@dataclass
class Machine:
    """A worker with its own data folder; `pid` is its first process."""

    name: str
    data: Path
    pid: int
    said: Path

    def hands(self) -> set[int]:
        """The processes that do the work."""
        return set(workers_of(self.pid))


class ListeningValkey(EmbeddedValkey):
    """One that other machines reach."""

    def prepare(self) -> None:
        super().prepare()
        file = self.folder / "valkey.conf"
        file.write_text(file.read_text().replace("port 0", f"port {_VALKEY_PORT}\nbind {HUB} 127.0.0.1"))


@contextmanager
def apart(folder: Path, net: Network, broker: str, lease_s: float) -> Iterator[tuple[Whole, dict[str, Machine]]]:
    """Start all of it; `broker` is empty for the Valkey. This thread is on the hub already."""
    folder.chmod(_MODE_OTHERS_MAY_PASS)
    with ExitStack() as stack:
        postgres = EmbeddedPostgres(
            folder / "postgres",
            folder / "pg",
            Passwords(*(secrets.token_hex(8) for _ in range(3))),
            settings={"listen_addresses": HUB},
        )
        valkey = ListeningValkey(folder / "valkey", folder / "vk", secrets.token_hex(8))
        postgres.prepare()
        with (postgres.data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 10.77.0.0/24 scram-sha-256\n")
        valkey.prepare()
        for server in (postgres, valkey):
            stack.enter_context(_process(server.argv(), dict(server.environment), folder / "servers.log", Path("/")))
            wait_until(server.answers, within=START_S, what="a server")
        postgres.provision()
        hub = Hub(folder / "hub", _environment(folder / "hub", postgres, valkey, broker, lease_s, stack))
        (hub.data / "run").mkdir(parents=True)
        (hub.data / "secrets").mkdir(mode=0o700)
        (hub.data / "secrets" / "pg_superuser_password").write_text(postgres.passwords.superuser)
        known = {"migrate_url": postgres.url(OWNER), "redis_url": hub.environment["REDIS_URL"]}
        (hub.data / "run" / "servers.json").write_text(json.dumps(known))
        _manage(hub.environment, "prepare", MINDX_MIGRATE_URL=_over_tcp(postgres, OWNER))
        celery = [sys.executable, "-m", "celery", "-A", "mindx_web"]
        web = [sys.executable, "-m", "uvicorn", "mindx_web.serve:application", "--host", HUB, "--port", str(_WEB_PORT)]
        web += ["--lifespan", "off", "--no-proxy-headers"]
        stack.enter_context(_process(web, hub.environment, folder / "web.log"))
        machines = {}
        for name in net.machines:
            said = folder / f"{name}.log"
            own = {**hub.environment, "MINDX_DATA": str(folder / name)}
            words = ["worker", "--hostname", f"{name}@{name}", "--concurrency", "2", "--loglevel", "INFO"]
            line = [*celery, *words, "--without-gossip", "--without-mingle"]
            with net.inside(name):
                pid = stack.enter_context(_process(line, own, said))
            machines[name] = Machine(name, folder / name, pid, said)
        token = _manage(hub.environment, "token", "admin", *(word for one in SCOPES for word in ("--scope", one)))
        api = stack.enter_context(
            httpx.Client(
                base_url=f"http://{HUB}:{_WEB_PORT}/api/v1/",
                headers={"Authorization": f"Bearer {token.strip().splitlines()[-1]}"},
                timeout=30,
                trust_env=False,
            )
        )
        wait_until(lambda: _ready(api, len(machines)), within=START_S, what=f"all parts; see {folder}")
        yield Whole(cast(Running, hub), _WEB_PORT, api, lease_s), machines


def _environment(
    data: Path, postgres: EmbeddedPostgres, valkey: EmbeddedValkey, broker: str, lease_s: float, stack: ExitStack
) -> dict[str, str]:
    ours = ("MINDX_", "DJANGO_", "DATABASE_URL", "REDIS_URL", "PYTEST_", "AWS_")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {
        **clean,
        **KEYS,
        "MINDX_DATA": str(data),
        "DATABASE_URL": _over_tcp(postgres, APP),
        "REDIS_URL": f"redis://:{valkey.password}@{HUB}:{_VALKEY_PORT}/0",
        "MINDX_BROKER_URL": broker,
        "MINDX_STORE_URL": stack.enter_context(_bucket()),
        "MINDX_SECRET_KEY": secrets.token_hex(32),
        "MINDX_APPROVAL_KEY": secrets.token_hex(32),
        "MINDX_PUBLIC_URL": f"http://{HUB}:{_WEB_PORT}",
        "MINDX_ADMIN_PASSWORD": PASSWORD,
        "MINDX_LEASE_S": str(lease_s),
        "MINDX_GOALS_PER_MINUTE": "0",
        "MINDX_DB_SILENCE_S": "6",
        "PYTHONUNBUFFERED": "1",
    }


def _over_tcp(postgres: EmbeddedPostgres, role: str) -> str:
    password = {OWNER: postgres.passwords.owner, APP: postgres.passwords.app}[role]
    return f"postgres://{role}:{password}@{HUB}:{_POSTGRES_PORT}/{DATABASE}"


@contextmanager
def _bucket() -> Iterator[str]:
    """A bucket on a server of the hub, as MINDX_STORE_URL names it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address=HUB, port=0, verbose=False)
    server.start()
    try:
        endpoint = f"http://{HUB}:{server.get_host_and_port()[1]}"
        session = boto3.session.Session(KEYS["AWS_ACCESS_KEY_ID"], KEYS["AWS_SECRET_ACCESS_KEY"], None, "us-east-1")
        session.client("s3", endpoint_url=endpoint).create_bucket(Bucket="snapshots")
        yield f"s3://snapshots/mindx?endpoint={endpoint}"
    finally:
        server.stop()


def _ready(api: httpx.Client, workers: int) -> bool:
    try:
        answer = api.get("health")
    except httpx.HTTPError:
        return False
    return answer.status_code == 200 and len(answer.json()["details"]["worker"]["workers"]) >= workers


def _manage(environment: Mapping[str, str], *words: str, **more: str) -> str:
    line = [sys.executable, "manage.py", *words]
    done: Any = subprocess.run(
        line, cwd=ROOT, env={**environment, **more}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


@contextmanager
def _process(line: list[str], environment: Mapping[str, str], log: Path, place: Path = ROOT) -> Iterator[int]:
    with log.open("ab") as said:
        process = subprocess.Popen(line, cwd=place, env=environment, stdout=said, stderr=said, start_new_session=True)
    try:
        yield process.pid
    finally:
        dismiss(process)
