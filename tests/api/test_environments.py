"""`environments`: runs are started, followed, answered and stopped by programs."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import EnvironmentRun
from agents.simulations import working

pytestmark = pytest.mark.django_db(transaction=True)


def started(caller: Any, **also: Any) -> dict[str, Any]:
    answer = caller.post("environments/runs", {"environment": "house", "task": "bring", "variation": 9, **also})
    assert answer.status_code == 201, answer.json()
    working.work(int(answer.json()["id"]))
    found: dict[str, Any] = caller.get(f"environments/runs/{answer.json()['id']}").json()
    return found


def test_the_environments_there_are(api_of: Any, owner: Any) -> None:
    found = {one["name"]: one for one in api_of(owner).get("environments").json()}
    assert found["house"]["missing"] == ""
    tasks = {task["name"]: task["variations"] for task in found["house"]["tasks"]}
    assert (set(tasks), tasks["tea"]["dev"]) == ({"bring", "tea"}, [2, 5, 8])
    melt = next(task for task in found["scienceworld"]["tasks"] if task["name"] == "melt")
    assert "test" not in melt["variations"]


def test_a_run_is_started_and_followed(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    run = started(caller)
    assert (run["state"], run["outcome"], run["score"], run["step"]) == ("ended", "over", 1.0, 3)
    assert run["rules"][0].keys() == {"name", "from", "version", "digest"}
    page = caller.get(f"environments/runs/{run['id']}/steps?limit=2").json()
    assert [one["action"] for one in page["items"]] == ["take key", "go to kitchen"]
    assert page["items"][0]["decisions"][0]["chosen"] == "bring a thing to the box"
    rest = caller.get(f"environments/runs/{run['id']}/steps?after={page['next']}").json()
    assert ([one["action"] for one in rest["items"]], rest["next"]) == (["put key in box"], None)
    assert [one["id"] for one in caller.get("environments/runs").json()["items"]] == [run["id"]]


def test_a_person_answers_by_a_program(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    run = started(caller, fallback="person", share=0)
    assert run["asks"]["number"] == 1
    assert "take key" in run["asks"]["actions"]
    address = f"environments/runs/{run['id']}/answer"
    wrong = caller.post(address, {"number": 1, "action": "take moon"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "action")
    assert caller.post(address, {"number": 7, "action": "take key"}).status_code == 409
    assert caller.post(address, {"number": 1, "action": "take key"}).status_code == 202
    working.work(int(run["id"]))
    assert caller.get(f"environments/runs/{run['id']}").json()["asks"]["number"] == 2


def test_pause_resume_and_stop(api_of: Any, owner: Any) -> None:
    caller = api_of(owner)
    run = started(caller, paused=True)
    address = f"environments/runs/{run['id']}"
    assert caller.post(f"{address}/resume", {"until": 2}).json()["state"] == "ready"
    working.work(int(run["id"]))
    found = caller.get(address).json()
    assert (found["state"], found["step"]) == ("paused", 2)
    assert caller.post(f"{address}/pause").status_code == 409
    assert caller.post(f"{address}/stop").json()["outcome"] == "stopped"
    assert caller.post(f"{address}/resume").status_code == 409


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"task": "x"}, "task"),
        ({"variation": 99}, "variation"),
        ({"agent": "nobody"}, "agent"),
        ({"share": 200}, "share"),
    ],
)
def test_what_cannot_be_started_names_its_field(api_of: Any, owner: Any, wrong: dict[str, Any], field: str) -> None:
    answer = api_of(owner).post("environments/runs", {"environment": "house", "task": "bring", **wrong})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].endswith(field)


def test_the_same_key_twice_is_one_run(api_of: Any, owner: Any) -> None:
    wanted = {"environment": "house", "task": "bring"}
    for _ in range(2):
        assert api_of(owner).post("environments/runs", wanted, Idempotency_Key="a").status_code == 201
    assert EnvironmentRun.objects.count() == 1


def test_runs_of_others_are_not_found_and_not_changed(api_of: Any, owner: Any, outsider: Any, reviewer: Any) -> None:
    run = started(api_of(owner), paused=True)
    for path in ("", "/steps"):
        assert api_of(outsider).get(f"environments/runs/{run['id']}{path}").status_code == 404
    for act in ("pause", "resume", "stop"):
        assert api_of(outsider).post(f"environments/runs/{run['id']}/{act}").status_code == 404
        assert api_of(reviewer).post(f"environments/runs/{run['id']}/{act}").status_code == 403
    assert api_of(outsider).get("environments/runs").json()["items"] == []
