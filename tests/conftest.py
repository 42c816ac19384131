"""What every test stands on: a data folder of its own, an embedded Postgres and, for those who ask, a Valkey.

The environment is set when this file is imported, before Django reads its settings; the servers start with the first
test that needs them. Under xdist each process has its own servers, so nothing is shared between two tests at one time;
what all of them need alike is made once and copied (tests/prepared.py).
"""

from __future__ import annotations

import gc
import itertools
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import hypothesis
import pytest
from django.conf import settings

from mindx_web.supervisor.postgres import OWNER, EmbeddedPostgres
from mindx_web.supervisor.valkey import EmbeddedValkey
from tests.prepared import MIGRATED, Prepared, migrate, provision
from tests.waiting import wait_until

pytest_plugins = ["tests.cast", "tests.bucket", "tests.whole.started"]

_TESTS = Path(__file__).parent
_ROOT = Path(tempfile.mkdtemp(prefix="mindx-test-"))
_IS_ONE_OF_SEVERAL = "PYTEST_XDIST_WORKER" in os.environ
if not _IS_ONE_OF_SEVERAL:
    os.environ["TESTS_PREPARED"] = str(_ROOT / "prepared")  # for xdist's child processes, which start after this
_PREPARED = Prepared(Path(os.environ["TESTS_PREPARED"]))
# Nothing of a test's cluster outlives the test run, so it never waits for the disk.
_HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "32MB"}
_POSTGRES = EmbeddedPostgres(_ROOT / "postgres", _ROOT / "sockets" / "postgres", _PREPARED.passwords(), settings=_HASTY)
_VALKEY = EmbeddedValkey(_ROOT / "valkey", _ROOT / "sockets" / "valkey", secrets.token_hex(8))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # What a shell starts in the background ignores interrupts, and so would everything that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
for _name in [name for name in os.environ if name.startswith("MINDX_")]:
    del os.environ[_name]  # a test must not depend on what its shell happens to hold
os.environ.update(
    DJANGO_SETTINGS_MODULE="mindx_web.settings",
    MINDX_TESTING="1",
    MINDX_GOALS_PER_MINUTE="0",  # the tests of the limit switch it on
    MINDX_HOLD_S="0",  # the tests of the hold switch it on
    MINDX_DB_SILENCE_S="0",  # a whole test is one transaction, and may wait for something else in it
    MINDX_DATA=str(_ROOT / "data"),
    MINDX_SECRET_KEY="a key for tests only, long enough for every check of its length",
    MINDX_APPROVAL_KEY="another key for tests only, long enough for every check of its length",
    DATABASE_URL=_POSTGRES.url(OWNER),
    REDIS_URL=_VALKEY.url(),
)
(_ROOT / "data").mkdir(mode=0o700)
_PREPARED.lend(_ROOT / "data")
# Read now, then forgotten: with the variable in the environment pytest-django would load the settings in xdist's
# child processes before this file runs there, and they would all share this process's servers.
assert os.environ["MINDX_SECRET_KEY"] == settings.SECRET_KEY
del os.environ["DJANGO_SETTINGS_MODULE"]


# Laws, not times: a shared machine may be slow at any moment. The same examples in each run, so that a red one is the
# change's doing; `make test-deep` looks for new ones.
hypothesis.settings.register_profile("search", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("same", hypothesis.settings.get_profile("search"), derandomize=True)
hypothesis.settings.load_profile("same")

# What is imported and collected lives as long as the process: looking through it again and again for what nobody needs
# is a tenth of a run.
gc.set_threshold(50_000, 20, 100)


_begun: list[threading.Thread] = []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Who runs all tests in several processes needs the cluster as soon as these have collected them: all would wait
    for the first one to make it.
    """
    config = session.config
    if config.getoption("numprocesses", None) and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        _begun.append(threading.Thread(target=_PREPARED.make, args=("postgres", _make_cluster), name="the cluster"))
        _begun[0].start()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Several processes collect the same files at once: one compiles a file, and the others read what it made."""
    if not (_IS_ONE_OF_SEVERAL and isinstance(collector, pytest.Module)):
        return (yield)
    with _PREPARED.first(str(collector.path.relative_to(_TESTS)).replace(os.sep, ".")):
        return (yield)


_folders: dict[tuple[pytest.Collector, Path], pytest.Collector] = {}


@pytest.hookimpl(wrapper=True)
def pytest_collect_directory(
    path: Path, parent: pytest.Collector
) -> Generator[None, pytest.Collector | None, pytest.Collector | None]:
    """One node for each folder. pytest looks into a folder again for each file of it that its arguments name, and makes
    new nodes for the folders within; it gives a conftest's fixtures to the first node of its folder only, so that
    `tests/review/one.py tests/test_docs.py tests/review/other.py` found none of them for the last.
    """
    made = yield
    return None if made is None else _folders.setdefault((parent, path), made)


def pytest_collection_finish() -> None:
    """Leave what stands now out of every later look."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)  # xdist writes the groups into the names after it
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """The longest tests begin early, so that no process is left alone with one; a file's tests share one Chromium, and
    those that ask a model the client library, which takes five seconds of processor time to load.
    """
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    for item in items:
        needed = getattr(item, "fixturenames", ())
        if "chromium" in needed:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
        elif "provider" in needed and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("models"))
    # Hypothesis looks through all our code for numbers and words that may matter, and keeps what it found.
    with _PREPARED.first("constants"):
        return (yield)


def pytest_unconfigure() -> None:
    """Remove everything this process wrote."""
    for thread in _begun:
        thread.join()
    shutil.rmtree(_ROOT, ignore_errors=True)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder that MINDX_DATA names in this process."""
    return _ROOT / "data"


@pytest.fixture(scope="session")
def prepared() -> Prepared:
    """What the processes of this run have in common."""
    return _PREPARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """A running Postgres with pgvector. Ordinary tests use `db`; this is for tests about roles and servers."""
    if _IS_ONE_OF_SEVERAL:
        _PREPARED.copy("postgres", _POSTGRES.folder, _make_cluster)
    with _running(_POSTGRES) as server:
        if not _IS_ONE_OF_SEVERAL:
            provision(server)  # a copy that nobody shares would only take longer
        yield server


def _make_cluster(folder: Path) -> None:
    made = EmbeddedPostgres(folder, _ROOT / "sockets" / "prepared", _POSTGRES.passwords, settings=_HASTY)
    with _running(made) as server:
        provision(server)
        migrate(server)


@pytest.fixture(scope="session")
def lend_cluster() -> Callable[[Path], None]:
    """`lend_cluster(data)`: the tables of a new mindX, made once in a run."""
    if not _IS_ONE_OF_SEVERAL:
        return lambda _: None  # what nobody shares is made by the start itself
    return lambda data: _PREPARED.lend_cluster(data, _make_cluster)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    postgres: EmbeddedPostgres, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """Called by pytest-django before it makes the test database: the server must answer by then.

    Of a copied database it applies what migrations the copy lacks, which is none.
    """
    from django.db import connection

    if _IS_ONE_OF_SEVERAL:
        connection.settings_dict["TEST"]["TEMPLATE"] = MIGRATED


@pytest.fixture(scope="session", autouse=True)
def _emptied_quickly() -> Iterator[None]:
    from django.test import TransactionTestCase

    from tests.emptied import Emptying

    with pytest.MonkeyPatch.context() as patch:
        emptying = Emptying(vars(TransactionTestCase)["_fixture_teardown"])
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda test: emptying(test))
        yield


@pytest.fixture(scope="session", autouse=True)
def _embedded_once() -> Iterator[None]:
    from library.language.sentence_model import SentenceModel
    from tests.embedded import EmbeddedOnce

    with pytest.MonkeyPatch.context() as patch:
        once = EmbeddedOnce(SentenceModel.embed, lambda tell: _PREPARED.told("shipped", tell))
        patch.setattr(SentenceModel, "embed", lambda model, texts: once(model, texts))
        yield


@pytest.fixture(scope="session", autouse=True)
def _passwords_quickly() -> Iterator[None]:
    """Passwords are hashed and compared as ever, in fewer rounds: those that a thief would have to take are the most
    of what making a person costs.
    """
    from django.contrib.auth.hashers import PBKDF2PasswordHasher

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PBKDF2PasswordHasher, "iterations", 1_000)
        yield


@pytest.fixture(scope="session")
def valkey() -> Iterator[EmbeddedValkey]:
    """A running Valkey at the address that the settings already hold."""
    with _running(_VALKEY) as server:
        yield server


@pytest.fixture
def without_guard(db: None) -> Callable[[str, str], AbstractContextManager[None]]:
    """`with without_guard(table, trigger):` what only the owner of the database can do: write past that trigger.

    One transaction: whatever happens inside, the guard stands again for the tests after.
    """
    from django.db import connection, transaction

    @contextmanager
    def off(table: str, trigger: str) -> Iterator[None]:
        settle = "SET CONSTRAINTS ALL IMMEDIATE"  # a table with deferred checks pending cannot be altered
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"{settle}; ALTER TABLE {table} DISABLE TRIGGER {trigger}")
            yield
            cursor.execute(f"{settle}; ALTER TABLE {table} ENABLE TRIGGER {trigger}")

    return off


@pytest.fixture
def until() -> Callable[..., None]:
    """`until(condition, within=45, what="…")`: wait for a condition, fail with `what` when it does not come."""
    return wait_until


Server = TypeVar("Server", EmbeddedPostgres, EmbeddedValkey)


@contextmanager
def _running(server: Server) -> Iterator[Server]:
    server.prepare()
    log_path = _ROOT / f"{type(server).__name__}.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            server.argv(), env=server.environment, cwd="/", stdout=log, stderr=log, start_new_session=True
        )
    try:
        wait_until(
            lambda: process.poll() is not None or server.answers(),
            within=120,
            what=f"{type(server).__name__} answering",
        )
        assert process.poll() is None, log_path.read_text()
        yield server
    finally:
        process.send_signal(server.stop_signal)
        process.wait(timeout=60)


@pytest.fixture(autouse=True)
def _calm_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What AGInt decides after a failure must not depend on how busy the machine is that the tests run on."""
    from agents.bdi.recovery.agint import Machine

    monkeypatch.setattr("agents.recovery.whole_agent.machine_now", lambda: Machine(10.0, 30.0, 40.0))


@pytest.fixture(autouse=True)
def _first_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every eighth claim of a process takes the oldest goal: no test may depend on how many came before it."""
    monkeypatch.setattr("agents.record.lease._claims", itertools.count())


@pytest.fixture(autouse=True)
def _made_tools_end_with_their_test() -> Iterator[None]:
    """What a test activated is rolled back in Postgres, and must not stay in use in this process for the next one."""
    from agents.components import made_tools
    from agents.toolkit import registry

    yield
    registry.put_to_use([])
    made_tools._stamp = ""
