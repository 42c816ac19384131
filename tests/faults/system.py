"""What these tests do to a running mindX: find its worker processes, end or stop them, look into its database."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import psycopg
import redis

from tests.faults.ledger import Ledger
from tests.supervisor.processes import children, dismiss, lives, name_of, workers_of
from tests.supervisor.running import ROOT
from tests.waiting import wait_until
from tests.whole.started import Whole

ENDED = ("achieved", "failed", "dropped")
PATIENCE_S = 120.0


def servers(whole: Whole) -> dict[str, str]:
    """The addresses of its servers."""
    found: dict[str, str] = json.loads((whole.running.data / "run" / "servers.json").read_text())
    return found


@contextmanager
def owner(whole: Whole) -> Iterator[psycopg.Connection]:
    """A connection as the role that owns the tables; each statement commits."""
    with closing(psycopg.connect(servers(whole)["migrate_url"], autocommit=True)) as connection:
        yield connection


@contextmanager
def superuser(whole: Whole) -> Iterator[psycopg.Connection]:
    """A connection that may look at every session and end it."""
    password = (whole.running.data / "secrets" / "pg_superuser_password").read_text().strip()
    address = servers(whole)["migrate_url"].rpartition("@")[2]
    with closing(
        psycopg.connect(f"postgres://postgres:{quote(password, safe='')}@{address}", autocommit=True)
    ) as connection:
        yield connection


def rows(whole: Whole, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a question to the database answers."""
    with owner(whole) as connection:
        return connection.execute(statement.encode(), values).fetchall()


def broker(whole: Whole) -> redis.Redis:
    """Its Redis."""
    return redis.Redis.from_url(servers(whole)["redis_url"], socket_timeout=30)


# -- processes ----------------------------------------------------------------------------------------------------
def masters(whole: Whole) -> list[int]:
    """The worker parts that the supervisor keeps: one process, whose children do the work."""
    found = children(whole.running.process.pid)
    return [pid for pid, line in found.items() if " worker " in line and "launch.py" not in line]


def hands(*of: int) -> list[int]:
    """The processes that do the work, of these workers."""
    return [pid for master in of for pid in workers_of(master)]


def beside_worker(name: str, *of: int) -> list[int]:
    """The scheduler, the pool or the model server ("mindx-…") of these workers."""
    return [pid for master in of for pid in children(master) if name_of(pid) == name]


def end(pid: int) -> bool:
    """SIGKILL; False when it was gone already."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return True
    return False


def end_all_hands(whole: Whole) -> int:
    """SIGKILL for every process that does work; the worker puts new ones in their place. How many there were."""
    return sum(end(pid) for pid in hands(*masters(whole)))


def gone(pid: int) -> None:
    """Wait until the process has ended."""
    wait_until(lambda: not lives(pid), what=f"the end of process {pid}")


@contextmanager
def stopped(*pids: int, also: Iterable[int] = ()) -> Iterator[None]:
    """SIGSTOP now, SIGCONT at the end; those of `also` may have ended since somebody looked."""
    others = tuple(also)
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        for pid in others:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in (*pids, *others):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def part(whole: Whole, word: str) -> int:
    """The process of a part of the supervisor; waits for it while it starts."""
    wait_until(lambda: whole.running.part(word), within=PATIENCE_S, what=f"{word} running")
    pid = whole.running.part(word)
    assert pid is not None
    return pid


def own_environment(whole: Whole, **more: str) -> dict[str, str]:
    """The environment of another process of this mindX."""
    return {**whole.running.environment, **more}


@contextmanager
def beside(whole: Whole, *words: str, ready: str, prefix: Sequence[str] = (), **environment: str) -> Iterator[int]:
    """Another Celery process of this mindX, on the same servers and data folder; yields its number when it is ready."""
    log = whole.running.data / "log" / f"beside-{time.monotonic_ns()}.log"
    line = [*prefix, sys.executable, "-m", "celery", "-A", "mindx_web", *words, "--loglevel", "INFO"]
    # What is waited for may be printed, and a file gets that only when there is much of it.
    given = own_environment(whole, PYTHONUNBUFFERED="1", **environment)
    with log.open("wb") as said:
        process = subprocess.Popen(line, cwd=ROOT, env=given, stdout=said, stderr=said, start_new_session=True)
    try:
        wait_until(
            lambda: ready in log.read_text(errors="replace") or process.poll() is not None, within=180, what=str(words)
        )
        assert process.poll() is None, log.read_text(errors="replace")
        yield process.pid
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGCONT)
        dismiss(process)


@contextmanager
def more_hands(whole: Whole, number: int, **environment: str) -> Iterator[int]:
    """A second worker with so many processes, as another machine would run it; yields its number."""
    words = ["worker", "--hostname", f"faults-{time.monotonic_ns()}@here", "--concurrency", str(number)]
    with beside(whole, *words, "--without-gossip", "--without-mingle", ready=" ready.", **environment) as pid:
        yield pid


def passed(seconds: float) -> None:
    """Let so much time go by: the time itself is the fault here."""
    until = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() >= until, within=seconds + 5, what="the clock")


def pause(whole: Whole, verb: str) -> None:
    """`pause` or `resume` every agent."""
    for (agent,) in rows(whole, "SELECT id FROM agents_agent ORDER BY id"):
        whole.api.post(f"agents/{agent}/{verb}").raise_for_status()


# Goals that a rule plans, each with files of its own; submitted by the product's own service.
_SUBMIT = """
from agents.goals import goals
from people.models import User
admin = User.objects.get(username="admin")
for number in range({number}):
    goals.submit(by=admin, text="{text} %d" % number, paced=False)
"""


def submitted(whole: Whole, number: int, text: str = "Create a Python project named thing") -> None:
    """So many more goals."""
    whole.running.manage("shell", "-c", _SUBMIT.format(number=number, text=text))


# -- plans --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Written:
    """A goal with a plan that awaits review; `letters` are what its steps append, one each."""

    goal: str
    plan: dict[str, Any]
    letters: str
    prefix: str

    def key(self, position: int) -> str:
        """What the ledger knows the step under."""
        return f"{self.prefix}.{position}"


def written(whole: Whole, book: Ledger, letters: str = "ab") -> Written:
    """A plan by hand of one step a letter; each appends its letter and visits the ledger."""
    prefix = f"p{time.monotonic_ns()}"
    steps = [book.step(f"{prefix}.{number}", letter) for number, letter in enumerate(letters, start=1)]
    goal, plan = whole.plan_by_hand(*steps)
    return Written(goal, plan, letters, prefix)


def finished(whole: Whole, plan: Written) -> None:
    """Wait until the plan's goal has ended and its experience is kept: after that no worker touches it."""
    whole.wait_for(plan.goal, *ENDED, "manual", within=PATIENCE_S)
    wait_until(
        lambda: rows(whole, "SELECT 1 FROM agents_goal WHERE id = %s AND learned_at IS NOT NULL", int(plan.goal)),
        within=PATIENCE_S,
        what=f"the experience of goal {plan.goal}, which is {whole.goal(plan.goal)['state']}",
    )


def begun(book: Ledger, key: str, times: int = 1) -> None:
    """Wait until the step has begun so often."""
    wait_until(lambda: len(book.of(key)) >= times, within=PATIENCE_S, what=f"visit {times} of {key}")


def worker_of(whole: Whole, goal: str) -> int | None:
    """The process that has the lease on the goal now."""
    found = rows(
        whole,
        "SELECT lease_owner FROM agents_goal WHERE id = %s AND lease_until > clock_timestamp() AND lease_owner <> ''",
        int(goal),
    )
    number = found[0][0].rpartition("-")[2] if found else ""
    return int(number) if number.isdigit() and lives(int(number)) else None


def lost_tries(whole: Whole, goal: str, position: int) -> int:
    """How many tries of a step were lost so far."""
    found = rows(
        whole,
        "SELECT count(*) FROM agents_attempt attempt JOIN agents_intent intent ON intent.id = attempt.intent_id"
        " JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id"
        " WHERE plan.goal_id = %s AND intent.position = %s AND attempt.outcome = 'lost'",
        int(goal),
        position,
    )
    return int(found[0][0])


def started_at(whole: Whole, goal: str, position: int, number: int) -> float | None:
    """When a try began, by the database's clock, which is this machine's."""
    found = rows(
        whole,
        "SELECT extract(epoch FROM attempt.started)::float8 FROM agents_attempt attempt"
        " JOIN agents_intent intent ON intent.id = attempt.intent_id"
        " JOIN agents_intentplan plan ON plan.id = intent.intent_plan_id"
        " WHERE plan.goal_id = %s AND intent.position = %s AND attempt.number = %s",
        int(goal),
        position,
        number,
    )
    return found[0][0] if found else None
