"""Faults against the real processes. Without `--faults` only the quick cases run, on the start that others share."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.ledger import Ledger, ledger
from tests.faults.table import Results, markdown
from tests.whole.started import Whole, started

LEASE_S = 2
_RESULTS = pytest.StashKey[Results]()
_UNTIL = pytest.StashKey[float]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `make faults`."""
    group = parser.getgroup("faults")
    group.addoption("--faults", action="store_true", help="run every case, not only the quick ones")
    group.addoption("--faults-seed", type=int, default=1, help="where and when faults strike")
    group.addoption("--faults-minutes", type=float, default=60, help="no case begins after so many minutes")
    group.addoption("--faults-faketime", help="where libfaketime.so.1 is, when Debian's package is not installed")
    group.addoption("--faults-results", type=Path, help="a file that gets a line of JSON for each case")


def _all_of_it(config: pytest.Config) -> bool:
    return bool(config.getoption("--faults", default=False))


def pytest_configure(config: pytest.Config) -> None:
    """Begin the table and the clock."""
    config.stash[_RESULTS] = Results(config.getoption("--faults-results", default=None))
    minutes = config.getoption("--faults-minutes", default=60)
    config.stash[_UNTIL] = time.monotonic() + 60 * minutes


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long cases to `make faults`."""
    if _all_of_it(config):
        return
    long = [item for item in items if item.get_closest_marker("faults")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin no case after the hour."""
    if item.get_closest_marker("faults") and time.monotonic() > item.config.stash[_UNTIL]:
        pytest.skip("the time of this run is over")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """The table."""
    results = config.stash.get(_RESULTS, None)
    if results is not None and results.cases and _all_of_it(config):
        terminalreporter.section(f"faults, seed {config.getoption('--faults-seed')}")
        terminalreporter.write_line(markdown(results.cases))


@pytest.fixture(scope="session")
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    """A running mindX: one of its own with a lease of two seconds for all of it, the shared one for the quick part."""
    if not _all_of_it(request.config):
        yield request.getfixturevalue("whole")
        return
    with started(tmp_path_factory.mktemp("faults") / "data", lease_s=LEASE_S) as found:
        # What failed in one case is learned from; how the next one ends must not depend on it.
        usual = {"name": "usual_order_up_to", "value": 1000}
        found.api.post("tuning", json={"kind": "recovery_setting", "values": usual}).raise_for_status()
        yield found


@pytest.fixture(scope="session")
def results(request: pytest.FixtureRequest) -> Results:
    """The table that the cases of this run go into."""
    return request.config.stash.get(_RESULTS, None) or Results(None)


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers by the seed of this run, the same for each test whatever ran before it."""
    return random.Random(f"{request.config.getoption('--faults-seed', default=1)} {request.node.name}")


@pytest.fixture
def book() -> Iterator[Ledger]:
    """An outside ledger."""
    with ledger() as found:
        yield found
