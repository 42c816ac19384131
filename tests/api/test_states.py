"""`states`: a modular run over the API: started, stepped, edited, given other limits, answered, and refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import ModularRun
from agents.modular import working
from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
MODULES = {
    "prompter": {"name": "plain"},
    "generator": {"name": "person"},
    "discriminator": {"name": "first"},
    "actor": {"name": "plain"},
    "toolkit": {"name": "notes"},
}
ApiOf = Callable[[User], Any]


@pytest.fixture
def waiting(owner: User, api_of: ApiOf) -> dict[str, Any]:
    """The newest state of a run that waits for its person, of three steps at most."""
    api = api_of(owner)
    begun = api.post("states", {"task": "Keep a note", "modules": MODULES, "limits": {"steps": 3}})
    assert begun.status_code == 201, begun.content
    working.work()
    (run,) = api.get("states").json()["items"]
    told = api.get(f"states/{run['newest']}").json()
    assert (told["run_state"], [one["kind"] for one in told["waits_for"]]) == ("waiting", ["person"])
    return dict(told)


def newest(api: Any) -> dict[str, Any]:
    (run,) = api.get("states").json()["items"]
    return dict(api.get(f"states/{run['newest']}").json())


def test_a_limit_that_ended_a_run_is_raised_and_the_run_goes_on(
    waiting: dict[str, Any], owner: User, api_of: ApiOf
) -> None:
    api = api_of(owner)
    assert api.post(f"states/{waiting['id']}/answer", {"content": "thinking"}).status_code == 202
    working.work()
    ended = newest(api)
    assert (ended["run_state"], ended["document"]["state"]["outcome"]) == ("ended", "limit")
    assert api.patch(f"states/{ended['id']}", {"limits": {"steps": 3}}).status_code == 422
    assert api.patch(f"states/{ended['id']}", {"limits": {"steps": 0}}).status_code == 422
    assert api.patch(f"states/{ended['id']}", {"limits": {"days": 3}}).status_code == 422
    told = api.patch(f"states/{ended['id']}", {"limits": {"steps": 30}})
    assert told.status_code == 200
    made = told.json()
    assert (made["run_state"], made["kind"], made["by"]) == ("ready", "edit", owner.username)
    assert made["document"]["state"]["limits"] == {**ended["document"]["state"]["limits"], "steps": 30}
    working.work()
    assert newest(api)["run_state"] == "waiting"


def test_an_edit_is_a_branch_and_waits_for_its_person(waiting: dict[str, Any], owner: User, api_of: ApiOf) -> None:
    api = api_of(owner)
    edit = {"node": 1, "content": "Keep two notes", "limits": {"steps": 40}}
    made = api.patch(f"states/{waiting['id']}", edit).json()
    assert (made["run_state"], made["document"]["state"]["task"]) == ("paused", "Keep two notes")
    assert made["document"]["state"]["limits"]["steps"] == 40
    # The old state is there as it was, and goes on no more.
    assert api.get(f"states/{waiting['id']}").json()["document"] == waiting["document"]
    assert api.post(f"states/{waiting['id']}/step").status_code == 409
    assert api.post(f"states/{made['id']}/step").status_code == 202


def test_what_cannot_be_is_refused_and_changes_nothing(
    waiting: dict[str, Any], owner: User, outsider: User, reviewer: User, api_of: ApiOf
) -> None:
    address = f"states/{waiting['id']}"
    for stranger, code in ((outsider, 404), (reviewer, 403)):
        other = api_of(stranger)
        assert other.patch(address, {"limits": {"steps": 30}}).status_code == code
        assert other.patch(address, {"node": 1, "content": "x"}).status_code == code
        assert other.post(f"{address}/step").status_code == code
        assert other.post(f"{address}/answer", {"content": "x"}).status_code == code
    api = api_of(owner)
    for wrong in (
        {"node": 99, "content": "x"},
        {"node": 1, "option": 4},
        {"node": 1, "modules": {"prompter": {"name": "nothing"}}},
        {"node": 1, "modules": {"engine": {"name": "plain"}}},
        {"node": 1, "next_step": "lunch"},
        {"node": 1, "next_step": "discriminator", "next_args": {"options": "x"}},
        {"node": 1, "next_step": "generator", "next_args": {"messages": 5}},
        {"node": 1, "next_step": "generator", "next_args": {"messages": ["x"]}},
    ):
        assert api.patch(address, wrong).status_code == 422, wrong
    assert api.post(f"{address}/answer", {"content": ""}).status_code == 409
    assert ModularRun.objects.get().at_step == waiting["number"]
