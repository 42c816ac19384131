"""One press settles a failure of a known cause: a delta is proposed, reviewed like any other, and then it works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from agents.bdi.plans import document as documents
from agents.bdi.recovery.strategies import MANUAL
from agents.cycle import cycle
from agents.hands import hand_items
from agents.models import Attempt, Goal, HandItem, IntentPlan, RecoveryPolicy
from agents.record.errors import NotPossibleNow
from agents.states import GoalState, PlanState
from people.models import User
from review.deciding import decisions
from tests.agents.execution.conftest import run, write
from tests.loopback import Host, host, index_pages, wheel

pytestmark = pytest.mark.django_db(transaction=True)
Approved = Callable[..., IntentPlan]
ASK = "import sys, urllib.request as u; open('got.txt', 'wb').write(u.urlopen(sys.argv[1], timeout=10).read())"


@pytest.fixture(autouse=True)
def _manual(operator: User, transactional_db: None) -> None:
    """Whatever fails as a program is a person's."""
    RecoveryPolicy.objects.create(failure_class="TOOL_EXECUTION_ERROR", number=1, pinned=str(MANUAL), by=operator)


@pytest.fixture
def service() -> Iterator[Host]:
    with host({"/status": b"well"}) as found:
        yield found


@pytest.fixture
def press(client_of: Callable[[User], Client], owner: User) -> Callable[[IntentPlan, str], IntentPlan]:
    """Work the plan until it waits for a person, press the only button that is offered, and give the revision."""

    def pressed(plan: IntentPlan, label: str) -> IntentPlan:
        cycle.work(plan.goal_id)
        (offered,) = hand_items.remedies(HandItem.objects.get(goal=plan.goal_id))
        client, address = client_of(owner), f"/goals/{plan.goal_id}/hand"
        button = f'name="remedy" value="{offered.name}">{label}</button>'
        page = client.get(address).content.decode()
        assert page.index(button) < page.index('id="hand-facts"'), "at any width it comes first"
        assert f'href="#hand-remedies">{label}</a>' in page
        assert f"“{label}” may settle it" in client.get(f"/goals/{plan.goal_id}/").content.decode()
        answer = client.post(address, {"answer": "remedy", "remedy": offered.name}, follow=True)
        revision = IntentPlan.objects.get(goal=plan.goal_id, state=PlanState.AWAITING_REVIEW)
        assert answer.redirect_chain == [(revision.get_absolute_url(), 302)], "where it is to be reviewed"
        stopped = revision.plan.evidence["delta"]["position"]
        assert f"stopped at step {stopped}, which failed" in answer.content.decode()
        tries = Attempt.objects.filter(intent__intent_plan__goal=plan.goal_id).count()
        cycle.work(plan.goal_id)
        now = Attempt.objects.filter(intent__intent_plan__goal=plan.goal_id).count()
        assert now == tries, "nothing runs that was not shown"
        return revision

    return pressed


def achieved(revision: IntentPlan, reviewer: User) -> bool:
    decisions.approve(revision, by=reviewer, digest=revision.digest)
    cycle.work(revision.goal_id)
    return Goal.objects.get(pk=revision.goal_id).state == GoalState.ACHIEVED


def test_a_step_that_took_too_long_gets_more_time(approved: Approved, press: Any, reviewer: User) -> None:
    step = run("sleep 3")
    plan = approved([write("a.txt"), {**step, "params": {**step["params"], "timeout_s": 2}}])
    revision = press(plan, "More time")
    (spec,) = documents.read(bytes(revision.document)).intents
    assert (spec.params["timeout_s"], spec.params["command_line"]) == (4, "sleep 3")
    delta = revision.plan.evidence["delta"]
    assert (delta["kind"], delta["why"].rpartition("; ")[2]) == ("recovery", "olga chose “More time”")
    assert achieved(revision, reviewer)


def test_a_host_that_was_refused_is_approved(
    approved: Approved, press: Any, reviewer: User, service: Host, file_of: Any
) -> None:
    plan = approved([write("ask.py", ASK), run(f"python ask.py {service.address}/status")])
    revision = press(plan, "Approve this host")
    assert documents.read(bytes(revision.document)).hosts == (service.name,)
    assert service.asked == []
    assert achieved(revision, reviewer)
    assert file_of(revision, "got.txt") == b"well"


def test_a_module_that_is_missing_is_installed(
    approved: Approved,
    press: Any,
    reviewer: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file_of: Any,
    client_of: Callable[[User], Client],
) -> None:
    code = "import ledgerly\nopen('total.txt', 'w').write(ledgerly.TOTAL)\n"
    made = wheel(tmp_path, "ledgerly", "1.0", "TOTAL = '42'\n")
    with host(index_pages(made)) as index:
        monkeypatch.setenv("MINDX_PACKAGE_INDEX", f"{index.address}/simple/")
        plan = approved([write("main.py", code), run("python main.py"), run("cat total.txt")])
        revision = press(plan, "Install ledgerly")
        steps = documents.read(bytes(revision.document)).intents
        lines = [(spec.command, spec.params.get("command_line", "")) for spec in steps]
        assert lines == [
            ("create_venv", ""),
            ("activate_venv", ""),
            ("run", "pip install ledgerly"),
            ("run", "python main.py"),
            ("run", "cat total.txt"),
        ]
        assert [spec.hosts for spec in steps] == [(), (), ("packages",), (), ()]
        assert (
            "from the remedy “Install ledgerly”"
            in client_of(reviewer).get(revision.get_absolute_url()).content.decode()
        )
        assert achieved(revision, reviewer)
    assert file_of(revision, "total.txt") == b"42"


def test_in_the_environment_of_the_plan_where_there_is_one(approved: Approved, press: Any) -> None:
    env = [
        {"tool": "simple_coder", "command": name, "params": {"venv_name": "env"}}
        for name in ("create_venv", "activate_venv")
    ]
    revision = press(approved([*env, run("python -c 'import ledgerly'")]), "Install ledgerly")
    steps = documents.read(bytes(revision.document)).intents
    assert [spec.command for spec in steps] == ["activate_venv", "run", "run"], "the session ended, and stands again"
    assert steps[0].params["venv_name"] == "env"


def test_what_is_not_offered_changes_nothing(approved: Approved, owner: User) -> None:
    plan = approved([run("python -c 'raise SystemExit(3)'"), write("b.txt")])
    cycle.work(plan.goal_id)
    item = HandItem.objects.get()
    assert hand_items.remedies(item) == ()
    with pytest.raises(NotPossibleNow, match="not offered"):
        hand_items.remedy(item, "more_time", by=owner)
    item.refresh_from_db()
    assert item.answered_at is None


def test_the_api_lists_them_and_takes_the_answer(approved: Approved, owner: User, api_of: Any, service: Host) -> None:
    plan = approved([write("ask.py", ASK), run(f"python ask.py {service.address}/status")])
    cycle.work(plan.goal_id)
    api, address = api_of(owner), f"goals/{plan.goal_id}/hand"
    (one,) = api.get(address).json()["remedies"]
    assert one["name"] == "approve_hosts"
    assert service.name in one["says"]
    assert api.post(address, {"action": "fix", "remedy": one["name"]}).status_code == 422
    answered = api.post(address, {"action": "remedy", "remedy": one["name"]}).json()
    revision = IntentPlan.objects.get(pk=answered["intent_plan"])
    assert documents.read(bytes(revision.document)).hosts == (service.name,)
