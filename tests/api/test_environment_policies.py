"""`environments/policies`: operators train, stop and reset what was learned for a task; everybody else may look."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import EnvironmentPolicy
from agents.simulations import learned_policies, training
from people.journal import Event
from review.models import AuditEntry
from review.reading.journal_lines import sentence

pytestmark = pytest.mark.django_db(transaction=True)
_ASKED = {"environment": "house", "task": "bring", "episodes": 2, "share": 25}


@pytest.fixture(autouse=True)
def _no_memory() -> None:
    training._last.clear()


def journal() -> list[tuple[str, str]]:
    """Who did what, the oldest first."""
    rows = AuditEntry.objects.filter(event=Event.TRAINING).order_by("pk")
    return [(row.by.username if row.by else "", sentence(row.event, row.subject, row.data)) for row in rows]


def test_a_policy_is_trained_stopped_and_reset_by_a_program_and_the_journal_tells_by_whom(
    api_of: Any, operator: Any
) -> None:
    caller = api_of(operator)
    made = caller.post("environments/policies", _ASKED)
    assert (made.status_code, made.json()["state"], made.json()["episodes_left"]) == (202, "waiting", 2)
    address = f"environments/policies/{made.json()['id']}"
    training.work(int(made.json()["id"]))
    found = caller.get(address).json()
    assert (found["state"], found["episodes"], found["unusable"], found["by"]) == ("stopped", 2, "", operator.username)
    assert [one["number"] for one in found["played"]] == [1, 2]
    page = caller.get(f"{address}?limit=1").json()
    assert ([one["number"] for one in page["played"]], page["next"]) == ([1], 1)
    assert [one["number"] for one in caller.get(f"{address}?after=1").json()["played"]] == [2]

    assert caller.post(f"{address}/train", {"episodes": 7}).json()["episodes_left"] == 7
    assert caller.post(f"{address}/reset").status_code == 409
    assert caller.post(f"{address}/stop").json()["state"] == "stopped"
    forgotten = caller.post(f"{address}/reset").json()
    assert (forgotten["episodes"], forgotten["generation"], forgotten["digest"]) == (0, 1, "")
    assert caller.get(address).json()["played"] == []
    (listed,) = caller.get("environments/policies").json()
    assert (listed["id"], listed["environment"], listed["task"]) == (forgotten["id"], "house", "bring")

    *trained, stopped, reset = [said for by, said in journal() if by == operator.username]
    policy = "the policy for bring in the environment house"
    assert trained == [
        f"had {policy} trained for 2 episodes, with 25 % of the rules",
        f"had {policy} trained for 7 episodes, with 0 % of the rules",
    ]
    assert stopped == f"stopped the training of {policy}"
    assert reset.startswith(f"reset {policy}: ")
    assert "episodes 2 → 0" in reset


def test_who_may_not_train_may_look_and_change_nothing(api_of: Any, operator: Any, owner: Any, reviewer: Any) -> None:
    policy = learned_policies.train("house", "bring", episodes=1, share=0, by=operator)
    address = f"environments/policies/{policy.pk}"
    for person in (owner, reviewer):
        caller = api_of(person)
        assert caller.get(address).json()["state"] == "waiting"
        assert caller.post("environments/policies", _ASKED).status_code == 403
        for act in ("train", "stop", "reset"):
            assert caller.post(f"{address}/{act}").status_code == 403
    policy.refresh_from_db()
    assert (policy.state, policy.episodes_left, len(journal())) == ("waiting", 1, 1)


def test_what_was_refused_is_not_in_the_journal(api_of: Any, operator: Any) -> None:
    caller = api_of(operator)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"task": "x"}, "task"),
        ({"episodes": 501}, "episodes"),
        ({"environment": "x"}, "environment"),
    ]
    for wrong, field in cases:
        answer = caller.post("environments/policies", {**_ASKED, **wrong})
        assert (answer.status_code, answer.json()["errors"][0]["field"].split(".")[-1]) == (422, field)
    policy = learned_policies.train("house", "bring", episodes=1, share=0, by=operator)
    assert caller.post(f"environments/policies/{policy.pk}/train", {}).status_code == 409
    assert len(journal()) == 1


def test_there_is_no_such_policy(api_of: Any, operator: Any) -> None:
    for missing in ("7", "x", "99999999999999999999"):
        assert api_of(operator).get(f"environments/policies/{missing}").status_code == 404
        assert api_of(operator).post(f"environments/policies/{missing}/stop").status_code == 404


def test_a_damaged_policy_says_so_and_can_only_be_reset(api_of: Any, operator: Any) -> None:
    policy = learned_policies.train("house", "bring", episodes=1, share=0, by=operator)
    training.work(policy.pk)
    EnvironmentPolicy.objects.update(data=b"junk")
    caller, address = api_of(operator), f"environments/policies/{policy.pk}"
    assert "damaged" in caller.get(address).json()["unusable"]
    assert caller.post(f"{address}/train").status_code == 409
    assert caller.post(f"{address}/reset").json()["unusable"] == ""
