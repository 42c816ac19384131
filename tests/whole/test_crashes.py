"""Pulling the plug on the running system: a step counts once, an approval survives, a changed document never runs."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.supervisor.processes import descendants, holding
from tests.waiting import wait_until
from tests.whole.started import PASSWORD, Whole

pytestmark = pytest.mark.xdist_group("whole")


def _run(program: str, timeout_s: int = 60) -> dict[str, Any]:
    return {
        "tool": "simple_coder",
        "command": "run",
        "params": {"command_line": f"python -c '{program}'", "timeout_s": timeout_s},
    }


# Each try waits to be let go, so that the first is still there when its worker ends.
_APPEND = (
    'import pathlib, time; open("ledger", "ab").write(b"x"); print("appended", flush=True);'
    ' any(iter(lambda: pathlib.Path("go").exists() or time.sleep(0.05), True))'
)


def _let_go(whole: Whole, number: str) -> None:
    for checkout in (whole.running.data / "checkouts").glob(f"{number}-*"):
        (checkout / "go").touch()


def _kill_the_workers(whole: Whole) -> None:
    workers = {
        pid: line
        for pid, line in descendants(whole.running.process.pid).items()
        if "celery" in line and " worker" in line
    }
    assert workers
    for pid in workers:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def test_a_worker_killed_inside_a_step_leaves_exactly_one_byte(whole: Whole) -> None:
    number, plan = whole.plan_by_hand(_run(_APPEND))
    whole.approve(plan)
    wait_until(lambda: "appended" in whole.log(number), within=60, what="the step to have appended its byte")
    _kill_the_workers(whole)
    wait_until(lambda: whole.log(number).count("appended") == 2, within=90, what="the second try")
    _let_go(whole, number)
    goal = whole.wait_for(number, "achieved", "failed", "dropped", within=90)
    assert goal["state"] == "achieved", whole.log(number)
    assert whole.file(number, "ledger") == b"x"
    log = whole.log(number)
    assert log.count("appended") == 2
    assert any("lost with worker" in text for text in log)


def test_a_worker_told_to_stop_ends_its_step_in_time_and_the_next_one_begins_it_again(whole: Whole) -> None:
    number, plan = whole.plan_by_hand(_run(_APPEND))
    whole.approve(plan)
    wait_until(lambda: "appended" in whole.log(number), within=60, what="the step to have appended its byte")
    lines = descendants(whole.running.process.pid)
    workers = {pid for pid, line in lines.items() if "celery" in line and " worker" in line}
    (main,) = {pid for pid in workers if int(Path(f"/proc/{pid}/stat").read_text().split()[3]) not in workers}
    os.kill(main, signal.SIGTERM)
    wait_until(lambda: whole.log(number).count("appended") == 2, within=90, what="the second try")
    _let_go(whole, number)
    goal = whole.wait_for(number, "achieved", "failed", "dropped", within=90)
    assert goal["state"] == "achieved", whole.log(number)
    assert whole.file(number, "ledger") == b"x"
    log = whole.log(number)
    assert any("told to stop" in text for text in log), log
    assert not any("lost with worker" in text for text in log), "no lease had to run out"


def test_a_worker_killed_beside_a_started_program_takes_it_along_and_the_plan_does_not_go_on(whole: Whole) -> None:
    mark = f"beside-{time.monotonic_ns()}"
    beats = 'import sys, time; print("up", flush=True); [time.sleep(1) for _ in range(600)]'
    start = {"name": "idle", "command_line": f"python -c '{beats}' {mark}"}
    append = 'import time; open("ledger", "ab").write(b"x"); print("appended", flush=True); time.sleep(60)'
    number, plan = whole.plan_by_hand(
        {"tool": "simple_coder", "command": "start", "params": start},
        _run(append),
        cleanup=[{"tool": "simple_coder", "command": "write", "params": {"path": "tidy.txt", "content": "x"}}],
    )
    whole.approve(plan)
    wait_until(lambda: "appended" in whole.log(number), within=60, what="the step beside the program")
    assert holding(mark)
    _kill_the_workers(whole)
    wait_until(lambda: not holding(mark), what="the end of the started program")
    goal = whole.wait_for(number, "achieved", "failed", "dropped", "manual", within=90)
    log = whole.log(number)
    assert goal["state"] == "failed", log
    assert "programs_gone: step 2 was to run beside idle" in goal["reason"]
    # Neither was done again: what was started is of class `once`, and the step stood on it.
    assert log.count("appended") == 1
    assert not holding(mark)
    assert whole.file(number, "tidy.txt") == b"x"


def test_a_typed_command_whose_worker_is_killed_is_lost_and_changed_nothing(whole: Whole) -> None:
    goal = whole.api.post("goals", json={"text": "Reconcile the ledger by hand"}).raise_for_status().json()
    number = goal["id"]
    whole.wait_for(number, "manual")

    def type_in(text: str) -> str:
        answer = whole.api.post(f"goals/{number}/commands", json={"text": text})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    def ended(command: str) -> dict[str, Any]:
        def state() -> dict[str, Any]:
            found: dict[str, Any] = whole.api.get(f"goals/{number}/commands/{command}").raise_for_status().json()
            return found

        wait_until(lambda: state()["finished_at"] is not None, within=60, what=f"the end of command {command}")
        return state()

    program = 'import time; open("ledger", "w").write("x"); print("written", flush=True); time.sleep(60)'
    killed = type_in(f"run python -c '{program}'")
    wait_until(lambda: "written" in whole.log(number), within=60, what="the program to have written")
    _kill_the_workers(whole)
    lost = ended(killed)
    assert (lost["state"], lost["snapshot_after"]) == ("lost", "")
    assert "its worker died" in lost["reason"]
    assert ended(type_in("write note.txt after"))["state"] == "done"
    workspace = whole.api.get(f"workspaces/{goal['workspace']}/files").raise_for_status().json()
    assert [item["path"] for item in workspace["items"]] == ["note.txt"]


def test_an_approval_given_while_redis_is_away_runs_when_it_is_back(whole: Whole) -> None:
    number, plan = whole.plan_by_hand(_run('print("ran after all")'))
    with whole.redis_stopped():
        whole.approve(plan)
        page = httpx.get(f"{whole.address}/login/", timeout=30)
        assert page.status_code == 200
    assert whole.wait_for(number, "achieved", "failed", within=90)["state"] == "achieved"
    assert "ran after all" in whole.log(number)


def test_a_document_changed_after_its_approval_never_runs_and_the_page_says_why(whole: Whole) -> None:
    # The first step holds the plan open: whatever the workers have at hand, the second cannot begin before the change.
    waits = (
        'import pathlib, time; print("up", flush=True);'
        ' any(iter(lambda: pathlib.Path("go").exists() or time.sleep(0.05), True))'
    )
    number, plan = whole.plan_by_hand(_run(waits), _run('open("harmless", "w")'))
    whole.approve(plan)
    wait_until(lambda: "up" in whole.log(number), within=60, what="the first step")
    servers = json.loads((whole.running.data / "run" / "servers.json").read_text())
    with psycopg.connect(servers["migrate_url"], autocommit=True) as owner:
        owner.execute("ALTER TABLE agents_intentplan DISABLE TRIGGER intent_plan_immutable")
        owner.execute(
            "UPDATE agents_intentplan SET document = overlay(document placing 'H'::bytea"
            " from position('harmless'::bytea in document)) WHERE id = %s",
            [plan["id"]],
        )
        owner.execute("ALTER TABLE agents_intentplan ENABLE TRIGGER intent_plan_immutable")
    (checkout,) = (whole.running.data / "checkouts").glob(f"{number}-*")
    (checkout / "go").touch()
    goal = whole.wait_for(number, "failed", "achieved", within=90)
    assert goal["state"] == "failed"
    assert "refused_by_gate" in goal["reason"]
    workspace = whole.api.get(f"workspaces/{goal['workspace']}/files").raise_for_status().json()
    assert [item["path"] for item in workspace["items"]] == ["go"]
    with httpx.Client(base_url=whole.address, follow_redirects=True, timeout=30) as browser:
        login = browser.get("/login/")
        token = browser.cookies["csrftoken"]
        assert login.status_code == 200
        browser.post(
            "/login/",
            data={"username": "admin", "password": PASSWORD, "csrfmiddlewaretoken": token},
            headers={"Referer": whole.address},
        ).raise_for_status()
        page = browser.get(f"/goals/{number}/").raise_for_status().text
    assert "bytes have changed" in page


def test_the_application_cannot_change_what_was_decided(whole: Whole) -> None:
    servers = json.loads((whole.running.data / "run" / "servers.json").read_text())
    with psycopg.connect(servers["database_url"], autocommit=True) as application:
        for table in ("review_decision", "review_approval", "agents_transition", "agents_logline", "review_typedevent"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                application.execute(f"UPDATE {table} SET id = id")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                application.execute(f"DELETE FROM {table}")
