"""Steps reach what was approved with them and nothing else, in the real jail; from a goal's words to its result."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from agents.bdi.outcome.network import network_of
from agents.bdi.plans import document as documents
from agents.cycle import cycle
from agents.execution import workplace as desks
from agents.goals import replanning
from agents.models import Attempt, Goal, IntentPlan
from agents.pages.goals.goal_page import GoalPage
from agents.recovery import recovery_learning
from agents.states import GoalState, IntentState
from review.deciding import decisions
from sandbox.contract import Limits, SessionState
from sandbox.jail import probe
from sandbox.jail.probe import Level
from sandbox.sessions.session import Session, open_session
from tests.agents.execution.conftest import give_up, run, write
from tests.loopback import Host, host, index_pages, wheel

if TYPE_CHECKING:
    from django.test import Client

    from people.models import User

pytestmark = pytest.mark.django_db(transaction=True)
ASK = """\
import sys
from urllib.request import urlopen

try:
    print(urlopen(sys.argv[1], timeout=10).status)
except OSError as error:
    print("closed", file=sys.stderr)
    sys.exit(int(sys.argv[2]))
"""


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recovery_learning._USUAL, "retry_delay_seconds", 0.0)


@pytest.fixture
def service() -> Iterator[Host]:
    """A host that has /status."""
    with host({"/status": b"well"}) as found:
        yield found


def may_reach(command_line: str, *hosts: str) -> dict[str, Any]:
    step = run(command_line)
    return {**step, "params": {**step["params"], "hosts": list(hosts)}}


def results(plan: IntentPlan) -> list[dict[str, Any]]:
    return [dict(intent.result or {}) for intent in plan.intents.order_by("position")]


def texts(plan: IntentPlan) -> list[str]:
    return list(Goal.objects.get(pk=plan.goal_id).log_lines.values_list("text", flat=True))


# --- the reference's example ----------------------------------------------------------------------------------------
def test_a_goal_in_plain_english_installs_a_package_and_asks_a_host(
    make_goal: Callable[..., Goal],
    owner: User,
    reviewer: User,
    client_of: Callable[[User], Client],
    service: Host,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    call_command("load_starters", verbosity=0)
    made = wheel(tmp_path)
    with host(index_pages(made)) as index:
        monkeypatch.setenv("MINDX_PACKAGE_INDEX", f"{index.address}/simple/")
        goal = make_goal(
            owner,
            "Create a Python project named 'api_client', set up a virtual environment, install 'httpx', and create a "
            f"script to ping {service.address}/status and run it.",
        )
        cycle.work(goal.pk)
        plan = goal.intent_plans.get()
        page = client_of(reviewer).get(plan.get_absolute_url()).content.decode()
        bar = page[page.index("bound-reach") :]
        assert f"<code>{service.name}</code>, the package index (<code>{index.address}/simple/</code>)" in bar
        decisions.approve(plan, by=reviewer, digest=plan.digest, via="api")
        cycle.work(goal.pk)
        goal.refresh_from_db()
        assert goal.state == GoalState.ACHIEVED, texts(plan)[-8:]
        assert service.asked == ["/status"]
    hosts = [spec.hosts for spec in documents.read(bytes(plan.document)).intents]
    assert hosts == [(), (), (), (), ("packages",), (), (service.name,)]
    install, ask = results(plan)[4], results(plan)[6]
    (download,) = network_of(install).downloads
    sha256 = hashlib.sha256(made.read_bytes()).hexdigest()
    assert (download.file, download.sha256) == (made.name, sha256)
    assert ask["stdout"] == "200\n"
    (reached,) = network_of(ask).hosts
    assert (reached.host, reached.connections) == (service.name, 1)
    shown = client_of(owner).get(goal.get_absolute_url()).content.decode()
    assert f'title="{sha256}"' in shown
    assert any(sha256 in text for text in texts(plan))


# --- refused, and planned again -------------------------------------------------------------------------------------
def test_a_host_that_was_not_approved_is_refused_named_and_offered(
    approved: Callable[..., IntentPlan], owner: User, reviewer: User, service: Host
) -> None:
    plan = approved([write("ask.py", ASK), run(f"python ask.py {service.address}/status 3")])
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.MANUAL
    give_up(plan.goal_id, owner)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.FAILED
    assert service.asked == []
    attempt = Attempt.objects.get(intent__intent_plan=plan, outcome="failed")
    assert attempt.failure_class == "PERMISSION_ERROR"
    assert service.name in attempt.reason
    named = [text for text in texts(plan) if text == f"{service.name} was asked for and not approved"]
    assert len(named) == 1
    lacking = GoalPage(goal, owner).lacking
    assert lacking is not None
    assert lacking.added == (service.name,)

    again = replanning.plan_again_with_access(goal, by=owner)
    assert again.goal_id != goal.pk
    decisions.approve(again, by=reviewer, digest=again.digest, via="api")
    cycle.work(again.goal_id)
    assert Goal.objects.get(pk=again.goal_id).state == GoalState.ACHIEVED
    assert service.asked == ["/status"]


def test_pip_without_the_index_is_refused_and_the_index_is_offered(
    approved: Callable[..., IntentPlan], owner: User
) -> None:
    steps = [
        {"tool": "simple_coder", "command": "create_venv", "params": {}},
        {"tool": "simple_coder", "command": "activate_venv", "params": {}},
        may_reach("pip install --retries 0 httpx"),
    ]
    plan = approved(steps)
    cycle.work(plan.goal_id)
    give_up(plan.goal_id, owner)
    goal = Goal.objects.get(pk=plan.goal_id)
    attempt = Attempt.objects.get(intent__intent_plan=plan, outcome="failed")
    assert attempt.failure_class == "PERMISSION_ERROR"
    assert "pypi.org" in attempt.reason
    lacking = GoalPage(goal, owner).lacking
    assert lacking is not None
    assert lacking.added == ("packages",)


# --- each step its own ----------------------------------------------------------------------------------------------
def test_what_one_step_may_reach_the_next_one_may_not(approved: Callable[..., IntentPlan], service: Host) -> None:
    ask = f"python ask.py {service.address}/status 0"
    within, also = may_reach(ask, service.name), may_reach(ask, "packages", service.name)
    plan = approved([write("ask.py", ASK), within, run(ask), also, run(ask)])
    cycle.work(plan.goal_id)
    found = results(plan)[1:]
    assert [one["stdout"] for one in found] == ["200\n", "", "200\n", ""]
    assert [network_of(one).refused_names for one in found] == [(), (service.name,), (), (service.name,)]
    assert texts(plan).count(f"{service.name} was asked for and not approved") == 1
    assert service.asked == ["/status", "/status"]
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED


def test_clean_up_reaches_what_was_approved_for_it(approved: Callable[..., IntentPlan], service: Host) -> None:
    ask = f"python ask.py {service.address}/status 0"
    plan = approved([write("ask.py", ASK), run("false")], cleanup=[run(ask), may_reach(ask, service.name)])
    cycle.work(plan.goal_id)
    _, _, without, within = plan.intents.order_by("position")
    assert (without.state, within.state) == (IntentState.SUCCEEDED, IntentState.SUCCEEDED)
    assert service.asked == ["/status"]


def test_a_jail_gets_the_hosts_of_the_approved_bytes_and_another_only_where_they_differ(
    approved: Callable[..., IntentPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, ...]] = []

    def noted(root: Path, state: SessionState, limits: Limits, **more: Any) -> AbstractContextManager[Session]:
        seen.append(more["hosts"])
        return open_session(root, state, limits, **more)

    monkeypatch.setattr(desks, "open_session", noted)
    plan = approved([
        run("true"),
        write("a"),
        may_reach("true", "B.example", "a.example"),
        may_reach("true", "a.example", "b.example"),
        write("b"),
    ])  # fmt: skip
    cycle.work(plan.goal_id)
    assert Goal.objects.get(pk=plan.goal_id).state == GoalState.ACHIEVED
    assert seen == [(), ("a.example", "b.example"), ()]


# --- where no host can be let in ------------------------------------------------------------------------------------
@pytest.mark.parametrize("level", ["L2", "L1"])
def test_a_plan_with_hosts_waits_below_the_full_level_and_says_what_to_do(
    approved: Callable[..., IntentPlan], service: Host, monkeypatch: pytest.MonkeyPatch, settings: Any, level: str
) -> None:
    settings.SANDBOX_MIN = level
    monkeypatch.setattr(probe, "_found", Level(level, {"L3": "user namespaces are switched off"}))
    plan = approved([may_reach(f"python ask.py {service.address}/status 3", service.name)])
    cycle.work(plan.goal_id)
    goal = Goal.objects.get(pk=plan.goal_id)
    assert goal.state == GoalState.RECOVERING
    assert goal.reason.startswith("sandbox_unavailable: hosts can be let in at level L3 only")
    assert f"the best that holds here is {level}" in goal.reason
    assert "user namespaces are switched off. Remove the reason, or do without hosts" in goal.reason
    assert goal.wake_at is not None
    assert plan.intents.get().state == IntentState.PENDING
    assert service.asked == []
