"""Programs that try to get out. Each gets through outside, or it would prove nothing."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.sandbox.escapes import trial
from tests.sandbox.escapes.attempts import ROWS
from tests.sandbox.escapes.attempts.row import HELD, Place
from tests.sandbox.escapes.trial import Jail, Outcome

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="attempts name system calls by number"),
    pytest.mark.xdist_group("escapes"),  # one process makes them all, so that they are made once
]
_TOGETHER = [number for number, row in enumerate(ROWS) if not row.alone]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with trial.host(tmp_path_factory.mktemp("host")) as place:
        yield place


@pytest.fixture(scope="module")
def outside(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Mapping[int, Outcome]:
    found = trial.outside(tmp_path_factory.mktemp("outside"), place, range(len(ROWS)))
    for path in Path(place.outside).iterdir():
        path.unlink()  # what was planted from outside shall not count within
    return found


@pytest.fixture(scope="module")
def together(
    place: Place, outside: Mapping[int, Outcome], tmp_path_factory: pytest.TempPathFactory
) -> Mapping[int, Outcome]:
    with trial.jail(tmp_path_factory.mktemp("together") / "workspace", place) as jail:
        return jail.together(_TOGETHER)


@pytest.fixture(scope="module")
def tight(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Jail]:
    with trial.jail(tmp_path_factory.mktemp("tight") / "workspace", place, trial.TIGHT) as jail:
        yield jail


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda number: ROWS[number].title)
def test_an_attempt_works_outside_and_is_held_inside(
    number: int, outside: Mapping[int, Outcome], request: pytest.FixtureRequest
) -> None:
    row, bare = ROWS[number], outside[number]
    if row.needs and not bare.through and not (row.needs == "root" and os.geteuid() == 0):
        pytest.skip(f"not provable here: needs {row.needs}")
    assert bare.started
    assert bare.through, f"the attempt proves nothing: {bare}"
    jail: Jail | None = request.getfixturevalue("tight") if row.alone else None
    if jail is None:
        held, limit = request.getfixturevalue("together")[number], None
    else:
        held, result = jail.alone(number)
        limit = result.limit
    assert held.started, held
    assert held.can_do_what_is_allowed, held
    expected = row.expect["L3"]
    if expected == HELD:
        assert held.has_ended, held
        assert not held.through, held
    else:
        assert limit == expected, held


@pytest.mark.skipif(os.geteuid() != 0, reason="some attempts work outside for root only")
def test_a_hundred_attempts_are_proved_with_no_more_than_six_of_a_kind(outside: Mapping[int, Outcome]) -> None:
    proved = [row for number, row in enumerate(ROWS) if outside[number].through]
    assert len(proved) >= 100
    assert max(Counter(row.kind for row in proved).values()) <= 6
    assert len({row.title for row in ROWS}) == len(ROWS)
