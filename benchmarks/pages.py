"""`make bench-pages`: what pages cost when a hundred thousand goals and ten million log lines are there."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from benchmarks.asking import Cost, got, say
from benchmarks.servers import database

if TYPE_CHECKING:
    from benchmarks.many import Filled
    from people.models import User

MOST_QUERIES, MOST_MS = 6, 50.0


def main() -> None:
    """Fill a database of its own, measure, and say it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goals", type=int, default=100_000)
    parser.add_argument("--lines", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=50)
    asked = parser.parse_args()
    with database():
        from django.conf import settings
        from django.core.management import call_command

        logging.disable(logging.WARNING)
        settings.ALLOWED_HOSTS = ["testserver"]
        call_command("collectstatic", interactive=False, verbosity=0)
        _measure(asked.goals, asked.lines, asked.rounds)


def _measure(goals: int, lines: int, rounds: int) -> None:
    from agents.models import Agent
    from benchmarks import many
    from people.models import User
    from people.roles import Role

    started = time.perf_counter()
    reviewer = User.objects.create_user("reviewer", roles=[Role.REVIEWER])
    admin = User.objects.create_superuser("root")
    agent, _ = Agent.objects.get_or_create(name="mindx")
    filled = many.fill(agent, goals, lines)
    sys.stdout.write(
        f"{filled.goals:,} goals, {filled.lines:,} log lines, made in {time.perf_counter() - started:.0f} s;"
        f" {rounds} rounds, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n"
    )
    owner = User.objects.get(username="owner3")
    lists = _all(_lists(filled, reviewer, owner, admin), rounds)
    sys.stdout.write("\npages of one goal\n")
    _all(_of_a_goal(filled, reviewer), rounds)
    slow = [name for name, cost in lists.items() if cost.p95_ms > MOST_MS]
    many_queries = [name for name, cost in lists.items() if cost.queries > MOST_QUERIES]
    sys.stdout.write(
        f"\nlists of p95 above {MOST_MS:.0f} ms: {', '.join(slow) or 'none'};"
        f" of more than {MOST_QUERIES} queries: {', '.join(many_queries) or 'none'};"
        f" load {os.getloadavg()[0]:.1f}\n"
    )


def _all(pages: dict[str, tuple[Any, str]], rounds: int) -> dict[str, Cost]:
    return {
        name: say(name, rounds, lambda client=client, address=address: got(client, address))  # type: ignore[misc]
        for name, (client, address) in pages.items()
    }


def _client(user: User) -> Any:
    from django.test import Client

    client = Client()
    client.force_login(user, backend="people.backends.SealedPeople")
    return client


def _lists(filled: Filled, reviewer: User, owner: User, admin: User) -> dict[str, tuple[Any, str]]:
    """Name → who asks, and for what."""
    from library.memory import pages
    from review.queue import listing

    person, own, root = _client(reviewer), _client(owner), _client(admin)
    deep_memory = pages.find(user=reviewer, limit=filled.goals // 2).next.replace("+", "%2B")
    deep_queue = str(listing.Cursor.of(listing.waiting_for(reviewer)[filled.goals // 10])).replace("+", "%2B")
    return {
        "goals": (person, "/goals/"),
        "goals, far behind": (person, f"/goals/?after={filled.goals // 2}"),
        "goals, one's own": (own, "/goals/"),
        "goals that are open": (person, "/goals/?state=open"),
        "goals that are open, one's own": (own, "/goals/?state=open"),
        "goals that failed": (person, "/goals/?state=failed"),
        "goals that failed, one's own": (own, "/goals/?state=failed"),
        "goals in a state that none is in": (person, "/goals/?state=manual"),
        "goals by a word": (person, "/goals/?q=tidy"),
        "goals by a word that none has": (person, "/goals/?q=nowhere"),
        "the queue": (person, "/review/"),
        "the queue, far behind": (person, f"/review/?after={deep_queue}"),
        "experiences": (person, "/memory/"),
        "experiences, far behind": (person, f"/memory/?after={deep_memory}"),
        "experiences, one's own": (own, "/memory/"),
        "experiences of failures": (person, "/memory/?outcome=failure"),
        "experiences of an outcome none has": (person, "/memory/?outcome=partial_success"),
        "workspaces": (person, "/workspaces/"),
        "the overview": (person, "/"),
        "insights of the mind, 30 days": (root, "/insights/mind/"),
        "insights of the mind, 90 days": (root, f"/insights/mind/?from={_ago(89)}"),
        "insights of the mind, a year": (root, f"/insights/mind/?from={_ago(364)}"),
        "plannings": (root, "/insights/mind/plannings/"),
        "plannings, far behind": (root, f"/insights/mind/plannings/?from={_ago(89)}&after={_deep(45)}"),
        "plannings that came to none": (root, f"/insights/mind/plannings/?from={_ago(89)}&came=none"),
        "corrections": (root, "/insights/mind/corrections/"),
        "corrections by a model that failed": (
            root,
            f"/insights/mind/corrections/?from={_ago(89)}&origin=model&came=failed",
        ),
        "recoveries": (root, "/insights/mind/recoveries/"),
        "what helps against what": (root, "/recovery/"),
        "what was believed of it over time": (root, "/recovery/time/"),
        "failures": (root, "/recovery/failures/"),
        "failures of a class, far behind": (
            root,
            f"/recovery/failures/?failure_class=NETWORK_ERROR&after={filled.goals // 10}",
        ),
        "goals in the administration": (root, "/admin/agents/goal/"),
    }


def _ago(days: int) -> str:
    return f"{datetime.now(UTC) - timedelta(days=days):%Y-%m-%d}"


def _deep(days: int) -> str:
    """The place in a list of cases of what is so old."""
    return f"{_ago(days)}T00:00:00%2B00:00~1"


def _of_a_goal(filled: Filled, reviewer: User) -> dict[str, tuple[Any, str]]:
    """A goal of an ordinary log and one of a hundred megabytes."""
    person = _client(reviewer)
    page, big = f"/goals/{filled.goal}/", f"/goals/{filled.long_goal}/"
    return {
        "a goal": (person, page),
        "its plan": (person, f"{page}plans/"),
        "its attempts": (person, f"{page}attempts/"),
        "a goal of a 100 MB log": (person, big),
        "from its middle": (person, f"{big}?line={filled.long_lines // 2}"),
        "from its begin": (person, f"{big}?line=1"),
        "its first error": (person, f"{big}?error=first"),
        "one speaker": (person, f"{big}?source=stderr"),
        "a text in 100,000 lines": (person, f"{big}?find=nowhere+to+be+found"),
        "what is new": (person, f"{big}log?after={filled.long_lines - 100}"),
        "older lines by the script": (person, f"{big}log?before={filled.long_lines // 2}"),
    }


if __name__ == "__main__":
    main()
