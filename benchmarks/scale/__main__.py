"""`make bench-scale`: what one ordinary goal costs the running application, from its submission to what is learned.

Each goal is a sentence that a rule plans: a folder, a program, a run of it in the jail and one more program. These four
steps are tried in a dry run, looked at by a person (the plan's page, with a session), approved by the API, executed
in an L3 jail, and the goal's page is looked at once more. Goals come in batches, so that each figure has a median and a
spread; what the idle application uses in the same time is subtracted. Nothing of the product is replaced.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.durable.application import application, held
from benchmarks.scale.counters import Used, used

if TYPE_CHECKING:
    import httpx

RULE = """RULE write and run a report
IF your task is to make the report {name}
THEN:
  create the folder {name}
  write "print(sum(range(1000)))\\n" to the file {name}/report.py
  run python {name}/report.py
  run ls -l {name}
"""
_WAIT_S = 60.0


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__)
    parser.add_argument("--batches", type=int, default=6, help="batches of goals (default 6)")
    parser.add_argument("--goals", type=int, default=6, help="goals in a batch, one after another (default 6)")
    parser.add_argument(
        "--idle", type=float, default=30.0, help="seconds of looking at the idle application (default 30)"
    )
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # servers and folders go with us
    os.environ["MINDX_HOLD_S"] = "0"
    with application() as supervisor:
        data = Path(os.environ["MINDX_DATA"])
        with _Clients() as (api, page):
            for number in range(3):
                _goal(api, page, f"warm{number}")
            before = used(supervisor, data)
            time.sleep(asked.idle)
            idle = used(supervisor, data).minus(before)
            batches, seconds = [], []
            for batch in range(asked.batches):
                before = used(supervisor, data)
                seconds += [_goal(api, page, f"r{batch}x{number}") for number in range(asked.goals)]
                batches.append(used(supervisor, data).minus(before).without(idle))
            at_rest = held(supervisor, 3.0)
        sys.stdout.write(_table(batches, idle, asked.goals) + _times(seconds) + f"\n\n{at_rest}\n")


class _Clients:
    """An API client with a token, and a browser's with a session, both of one admin."""

    def __enter__(self) -> tuple[httpx.Client, httpx.Client]:
        import httpx
        from django.conf import settings
        from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
        from django.core.management import call_command

        from agents.components import rules
        from library.components import services
        from people.models import User
        from people.sessions import SessionStore

        services.load_starters(rules.starters([("scale.rule", RULE)]))
        user = User.objects.get(username="admin")
        session = SessionStore()
        session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
        session[BACKEND_SESSION_KEY] = "people.backends.SealedPeople"
        session.save()
        said = _Lines()
        scopes = ("goals:read", "goals:write", "review:read", "review:decide")
        call_command("token", "admin", *(word for one in scopes for word in ("--scope", one)), stdout=said)
        token = said.text.strip().splitlines()[-1]
        base = f"http://127.0.0.1:{settings.PORT}/"
        self._api = httpx.Client(base_url=base + "api/v1/", headers={"Authorization": f"Bearer {token}"}, timeout=30)
        self._page = httpx.Client(base_url=base, cookies={"sessionid": str(session.session_key)}, timeout=30)
        return self._api, self._page

    def __exit__(self, *_: object) -> None:
        self._api.close()
        self._page.close()


class _Lines:
    """Takes what a command writes."""

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        """Nothing waits."""


def _goal(api: httpx.Client, page: httpx.Client, name: str) -> tuple[float, float, float]:
    """One goal from its sentence to what is learned: seconds until it can be approved, of the approval, and to its end.

    This process looks into the database, whose session of ours is not counted, so that waiting costs the web nothing.
    """
    from agents.models import Goal, ShadowRun

    began = time.monotonic()
    number = api.post("goals", json={"text": f"Make the report {name}"}).raise_for_status().json()["id"]
    goals = Goal.objects.filter(pk=number)
    _wait(lambda: goals.filter(state="awaiting_review").exists(), lambda: goals.values_list("state", flat=True).first())
    tried = ShadowRun.objects.filter(intent_plan__goal=number, state="done")
    _wait(tried.exists, lambda: "its dry run")
    ready = time.monotonic()
    plan = goals.get().intent_plans.get()
    _seen(page.get(f"review/{plan.pk}/"))
    approved = time.monotonic()
    api.post(f"intent-plans/{plan.pk}/approve", json={"digest": plan.digest}).raise_for_status()
    answered = time.monotonic()
    _wait(goals.filter(state="achieved").exists, lambda: goals.values_list("state", flat=True).first())
    ended = time.monotonic()
    _wait(goals.exclude(learned_at=None).exists, lambda: "its experience")
    _seen(page.get(f"goals/{number}/"))
    return ready - began, answered - approved, ended - approved


def _seen(answer: httpx.Response) -> None:
    if answer.status_code != 200:
        raise RuntimeError(f"{answer.url} answered {answer.status_code}")


def _wait(done: Callable[[], bool], what: Callable[[], Any]) -> None:
    until = time.monotonic() + _WAIT_S
    while not done():
        if time.monotonic() > until:
            raise RuntimeError(f"waited {_WAIT_S:g} s; it stands at {what()}")
        time.sleep(0.02)


def _table(batches: list[Used], idle: Used, goals: int) -> str:
    lines = [
        f"One ordinary goal, {len(batches)} batches of {goals}, what the idle application uses subtracted:",
        "",
        "| what | a goal: median (from – to) | idle, a second |",
        "|---|---|---|",
    ]
    for name in batches[0].of:
        each = [batch.of[name] / goals for batch in batches]
        shown = f"{_figure(statistics.median(each))} ({_figure(min(each))} – {_figure(max(each))})"
        lines.append(f"| {name} | {shown} | {_figure(idle.of[name] / idle.at_s)} |")
    return "\n".join(lines) + "\n"


def _times(seconds: list[tuple[float, float, float]]) -> str:
    until, answer, ran = ([each[which] for each in seconds] for which in range(3))
    said = [
        f"{what}: {statistics.median(each):.2f} s in the middle ({min(each):.2f} – {max(each):.2f}), n={len(each)}"
        for what, each in (
            ("submission → can be approved", until),
            ("the request that approves", answer),
            ("approval → achieved", ran),
        )
    ]
    return "\n" + "\n".join(said)


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    main()
