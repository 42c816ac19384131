"""ScienceWorld for real, where it is installed (`make scienceworld`); what is said where it is not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agents.environments.guarding import EnvironmentDied
from agents.environments.interpreter import run
from agents.models import EnvironmentAction, EnvironmentRun
from agents.rules.grammar import parse
from agents.simulations import runs, scienceworld, working
from agents.simulations.scienceworld import ScienceWorld, ScienceWorldWorld, simulator
from agents.simulations.worlds import NoSuchVariation, WorldBusy, WorldUnusable
from tests.agents.simulations.test_runs import acted, again, dies_before, lose_the_worker
from tests.waiting import wait_until

ROOT = Path(__file__).parents[3]
_HOLDS_ONE = """
from agents.simulations.scienceworld import simulator
with simulator() as running:
    print(running._gateway.java_process.pid, flush=True)
    input()
"""


@pytest.fixture
def there() -> None:
    """Skipped where the package or Java is missing."""
    if missing := ScienceWorldWorld().missing():
        pytest.skip(missing)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked about does not."""
    with suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("there")
def test_water_melts_and_a_worker_that_died_is_replaced(
    started: Callable[..., EnvironmentRun], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = started(environment="scienceworld", task="melt")
    with monkeypatch.context() as patch:
        dies_before(12, patch)
        with pytest.raises(KeyboardInterrupt):
            working.work(run.pk)
    before = acted(run)
    lose_the_worker(run)
    again(run)
    assert (run.outcome, run.score) == ("over", 1.0)
    assert acted(run)[:11] == before
    assert "kitchen" in EnvironmentAction.objects.filter(run=run, number=3).get().percept


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("there")
def test_a_person_acts_in_it(started: Callable[..., EnvironmentRun]) -> None:
    run = started(environment="scienceworld", task="melt", share=0, fallback="person")
    again(run)
    assert "open door to kitchen" in (run.asked or {})["actions"]
    runs.answer(run, "open door to kitchen", number=1, by=run.by)
    again(run)
    assert (run.state, (run.asked or {})["number"]) == ("waiting", 2)


@pytest.mark.usefixtures("there")
def test_there_is_one_in_a_process_and_it_always_ends() -> None:
    found: list[int] = []

    def fails() -> None:
        with simulator() as running:
            found.append(running._gateway.java_process.pid)
            assert is_alive(found[0])
            with pytest.raises(WorldBusy), simulator():
                pass
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert not is_alive(found[0])


@pytest.mark.usefixtures("there")
def test_one_that_hangs_is_ended_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scienceworld, "_ENDS_S", 0.5)
    with simulator() as running:
        process = running._gateway.java_process
        os.kill(process.pid, signal.SIGSTOP)
    assert not is_alive(process.pid)


def test_what_was_done_is_not_lost_where_even_a_killed_process_takes_its_time() -> None:
    class Process:
        stdin = stdout = stderr = None
        killed = False

        def wait(self, _seconds: float) -> None:
            raise subprocess.TimeoutExpired("java", _seconds)

        def kill(self) -> None:
            self.killed = True

    process = Process()
    scienceworld._end(SimpleNamespace(_gateway=SimpleNamespace(java_process=process), close=lambda: None))
    assert process.killed


@pytest.mark.usefixtures("there")
def test_java_does_not_outlive_a_worker_that_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDS_ONE], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        java = int(worker.stdout.readline())
        assert is_alive(java)
        worker.kill()
    wait_until(lambda: not is_alive(java), what="that Java has ended")


@pytest.mark.usefixtures("there")
def test_its_variations_are_those_that_are_written_down() -> None:
    with simulator() as running:
        assert set(running.get_task_names()) == set(ScienceWorldWorld().tasks())
        for task in ("melt", "find-animal", "inclined-plane-friction-named-surfaces", "power-component"):
            splits = scienceworld.variations_of(running, task)
            found = {split: list(numbers) for split, numbers in ScienceWorldWorld().variations(task).items()}
            assert found == {"train": splits["train"], "dev": splits["dev"]}
            assert len(splits["test"]) == scienceworld._COUNTS[task][2]


@pytest.mark.usefixtures("there")
def test_test_variations_are_not_begun() -> None:
    with ScienceWorldWorld().running() as begin, pytest.raises(NoSuchVariation):
        begin("melt", 21)


WAITING = """RULE wait for the stars
IF your task is to wait for the stars
THEN: WAIT UNTIL the stars are green AT MOST 3 steps
"""


@pytest.mark.usefixtures("there")
def test_a_rule_that_waits_waits_by_the_shortest_wait_of_the_simulator() -> None:
    with ScienceWorldWorld().running() as begin:
        kitchen = begin("melt", 0)
        assert isinstance(kitchen, ScienceWorld)
        assert ScienceWorld.wait_action in kitchen.actions()
        before = kitchen._info["moves"]
        ended = run(kitchen, "wait for the stars", parse(WAITING))
        assert [(action.text, action.percept.accepted) for action in ended.actions] == [("wait1", True)] * 3
        assert ended.reason == "waited_in_vain"
        # Each costs a move for the action and one for the time that passes.
        assert kitchen._info["moves"] - before == 6


class Recorded:
    """What the simulator answers, without the simulator; `done` are the actions that it was asked for."""

    def __init__(self, answer: str) -> None:
        self.answer, self.done = answer, list[str]()

    def load(self, _task: str, _variation: int, _simplifications: str) -> None:
        """Nothing is to be loaded."""

    def reset(self) -> tuple[str, dict[str, Any]]:
        """The beginning."""
        return "", self._info("")

    def step(self, action: str) -> tuple[str, int, bool, dict[str, Any]]:
        """The answer to any action."""
        self.done.append(action)
        return self.answer, 0, False, self._info(self.answer)

    def _info(self, _said: str) -> dict[str, Any]:
        return {"taskDesc": "wait for the stars", "look": "This room is called the kitchen.", "inv": "", "score": 0}


@pytest.mark.parametrize(
    ("answer", "waits", "reason"),
    [
        ("You decide to wait for 1 iterations.", 3, "waited_in_vain"),
        ("No known action matches that input.", 1, "action_refused"),
    ],
)
def test_the_same_without_the_simulator(answer: str, waits: int, reason: str) -> None:
    simulator = Recorded(answer)
    ended = run(ScienceWorld(simulator, "melt", 0), "wait for the stars", parse(WAITING))
    assert (simulator.done, ended.reason) == (["wait1"] * waits, reason)


def test_without_the_package_it_says_so_and_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scienceworld, "is_installed", lambda: False)
    assert "the package scienceworld" in ScienceWorldWorld().missing()
    with pytest.raises(WorldUnusable, match="make scienceworld"), simulator():
        pass


def test_one_that_does_not_start_leaves_room_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise OSError("no memory")

    monkeypatch.setattr(scienceworld, "is_installed", lambda: True)
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/java")
    monkeypatch.setattr(scienceworld, "_started", broken)
    for _ in range(2):
        with pytest.raises(EnvironmentDied), simulator():
            pass
