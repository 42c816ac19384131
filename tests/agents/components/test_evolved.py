"""What evolution made of a copy becomes a candidate of the library: read, activated and taken back by people."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO

import pytest
from django.core.management import call_command
from django.test import Client

from agents.actors import firmware, lifecycle
from agents.components import candidates
from agents.coordinator import commanding
from agents.coordinator.commanding import Given
from agents.evolution.activation import deciding
from agents.mastermind.configs import Config
from agents.models import Agent, EvolvedCopy, Goal
from agents.record.errors import NotPossibleNow, NotYours
from agents.states import GoalState
from agents.workspaces import workspaces
from library.components import services as library
from library.errors import LibraryRefused
from library.models import ComponentVersion
from people.models import User

pytestmark = pytest.mark.django_db
Ended = Callable[..., EvolvedCopy]
RULE = "write a note"
WISH = "evolve scout agent: let people decide"


@pytest.fixture
def ended() -> Ended:
    """`ended(line, by, change)`: the goal of this line achieved, after `change` was made to the text of each file."""

    def made(line: str, by: User, change: Callable[[str], str], state: str = GoalState.ACHIEVED.value) -> EvolvedCopy:
        Agent.objects.get_or_create(name="mindx")
        answer = commanding.carry_out(Given(line, by, "terminal"))
        assert answer.is_done, answer.said
        goal = Goal.objects.get(pk=answer.goals[0])
        for path in [path.decode() for path in _paths(goal)]:
            with workspaces.open_file(goal.workspace, path)[0] as source:
                text = source.read().decode()
            goal.workspace.refresh_from_db()
            workspaces.put_file(goal.workspace, by=by, path=path, source=BytesIO(change(text).encode()))
        Goal.objects.filter(pk=goal.pk).update(state=state)
        goal = Goal.objects.get(pk=goal.pk)
        candidates.offer(goal)
        return EvolvedCopy.objects.get(goal=goal)

    return made


def _paths(goal: Goal) -> list[bytes]:
    from agents.workspaces.stores import store

    return [entry.path for entry in store().entries(goal.workspace.head) if entry.kind == "file"]


def same(text: str) -> str:
    return text


def careful(text: str) -> str:
    return json.dumps({**json.loads(text), "people_only": True})


def test_the_copy_of_an_agent_becomes_a_candidate_and_no_other_agent(operator: User, ended: Ended) -> None:
    agent = lifecycle.create("scout", Config(), by=operator)
    copy = ended(WISH, operator, careful)
    assert copy.version is not None
    assert (copy.version.version, copy.version.status) == ("1.1.0", "candidate")
    assert copy.version.changes == f"goal {copy.goal_id}: let people decide"
    assert copy.version.parent is not None
    agent.refresh_from_db()
    assert not agent.people_only
    assert set(Agent.objects.values_list("name", flat=True)) == {"scout", "mindx"}


def test_the_copy_of_a_rule_becomes_a_candidate_of_that_rule(operator: User, ended: Ended) -> None:
    call_command("load_starters", verbosity=0)
    copy = ended(
        f"evolve the rule {RULE}: say so", operator, lambda text: text.replace("(write|make", "(write|pen|make")
    )
    assert copy.version is not None, copy.said
    assert copy.version.status == "candidate"
    active = ComponentVersion.objects.get(component__kind="rule", component__name=RULE, status="active")
    assert copy.version.parent == active
    # The way forward and the way back are those of every rule.
    library.activate(copy.version, operator)
    library.activate(ComponentVersion.objects.get(pk=active.pk), operator)


def test_the_copy_of_firmware_becomes_a_candidate(operator: User, ended: Ended) -> None:
    library.activate(firmware.save("finance", "Be careful.", by=operator), operator)
    copy = ended("evolve the firmware finance: more", operator, lambda text: f"{text}Ask twice.\n")
    assert copy.version is not None, copy.said
    assert copy.version.body == "Be careful.\nAsk twice.\n"
    assert copy.version.status == "candidate"


def test_the_copy_of_a_tool_is_a_difference_that_nobody_activates(
    operator: User, ended: Ended, client_of: Callable[[User], Client]
) -> None:
    copy = ended("evolve the git tool", operator, lambda text: f"# <b>better</b>\n{text}" if "TOOL =" in text else text)
    assert copy.version is not None, copy.said
    assert copy.version.body.startswith("--- a/git_tool/tools/git_tool.py\n+++ b/git_tool/tools/git_tool.py\n@@")
    assert "+# <b>better</b>\n" in copy.version.body
    with pytest.raises(LibraryRefused, match="does not change its own code"):
        deciding.activate(copy.version, by=operator)
    page = client_of(operator).get("/tools/git_tool/").content.decode()
    assert "Candidate 1.0.0" in page
    assert "# &lt;b&gt;better&lt;/b&gt;" in page


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (same, "no file of it differs"),
        (lambda text: "{", "looks like JSON but is not valid"),
        (lambda text: json.dumps({**json.loads(text), "wings": 2}), "An agent has no setting “wings”"),
        (lambda text: json.dumps({**json.loads(text), "tools": ["fax"]}), "There is no tool “fax”"),
    ],
)
def test_a_copy_that_is_no_candidate_says_why(
    operator: User, ended: Ended, change: Callable[[str], str], said: str
) -> None:
    lifecycle.create("scout", Config(), by=operator)
    copy = ended("evolve scout agent: better", operator, change)
    assert copy.version is None
    assert said in copy.said
    assert copy.goal.log_lines.filter(text=copy.said).exists()
    assert not ComponentVersion.objects.filter(status="candidate").exists()


def test_a_goal_that_was_not_achieved_leaves_no_candidate(operator: User, ended: Ended) -> None:
    lifecycle.create("scout", Config(), by=operator)
    copy = ended("evolve scout agent: better", operator, lambda text: text.replace("false", "true"), "failed")
    assert (copy.version, "the goal is failed" in copy.said) == (None, True)


def test_what_a_submitter_made_better_is_kept_until_somebody_who_may_takes_it_in(
    owner: User, operator: User, ended: Ended
) -> None:
    lifecycle.create("scout", Config(), by=operator)
    copy = ended(WISH, owner, careful)
    assert (copy.version, copy.waits) == (None, True)
    assert copy.said == (
        "the copy of agent scout waits for a reviewer, an operator or a developer to take it into the library"
    )
    assert copy.goal.log_lines.filter(text=copy.said).exists()
    assert not ComponentVersion.objects.filter(status="candidate").exists(), "nobody with the role has looked at it"
    taken = candidates.take_in(copy, by=operator)
    assert taken.version is not None
    assert (taken.version.status, taken.version.created_by) == ("candidate", operator)
    assert taken.version.changes == f"goal {copy.goal_id} of {owner.username}: let people decide"
    assert json.loads(taken.version.body)["people_only"] is True
    copy.refresh_from_db()
    assert (copy.waits, copy.decided_by) == (False, operator)
    said = "the copy of agent scout is candidate 1.1.0 of the library; nothing uses it yet"
    assert copy.said == f"{operator.username} took it in: {said}"
    assert copy.goal.log_lines.filter(text=copy.said).exists()


def test_the_submitter_and_those_who_may_write_see_it_and_nobody_else_decides(
    owner: User, outsider: User, operator: User, reviewer: User, admin: User, ended: Ended
) -> None:
    lifecycle.create("scout", Config(), by=operator)
    copy = ended(WISH, owner, careful)
    for who, sees in ((owner, True), (reviewer, True), (operator, True), (admin, True), (outsider, False)):
        assert candidates.waiting_for(who).filter(pk=copy.pk).exists() is sees, who.username
    for nobody in (owner, outsider):
        with pytest.raises(NotYours):
            candidates.take_in(copy, by=nobody)
        with pytest.raises(NotYours):
            candidates.decline(copy, by=nobody, why="no")
    copy.refresh_from_db()
    assert copy.waits
    assert not ComponentVersion.objects.filter(status="candidate").exists()


def test_it_is_decided_once_and_a_refusal_says_why(owner: User, operator: User, reviewer: User, ended: Ended) -> None:
    lifecycle.create("scout", Config(), by=operator)
    copy = ended(WISH, owner, careful)
    with pytest.raises(NotPossibleNow, match="Say why"):
        candidates.decline(copy, by=reviewer, why="  ")
    candidates.decline(copy, by=reviewer, why="people decide anyway")
    for decide in (candidates.take_in, lambda copy, by: candidates.decline(copy, by=by, why="twice")):
        with pytest.raises(NotPossibleNow, match="decided already"):
            decide(copy, by=operator)
    copy.refresh_from_db()
    assert (
        copy.said == f"{reviewer.username} does not take the copy of agent scout into the library: people decide anyway"
    )
    assert (copy.version, bool(copy.proposed)) == (None, True)


def test_what_no_longer_fits_is_not_taken_in_and_waits_on(owner: User, operator: User, ended: Ended) -> None:
    agent = lifecycle.create("scout", Config(), by=operator)
    copy = ended(WISH, owner, careful)
    type(agent).objects.filter(pk=agent.pk).update(people_only=True)
    with pytest.raises(NotPossibleNow, match="It is not taken in: Nothing would change"):
        candidates.take_in(copy, by=operator)
    copy.refresh_from_db()
    assert (copy.waits, copy.decided_by) == (True, None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "{", "looks like JSON but is not valid"),
        (lambda text: text.replace("{", '{"\\u0000": 1,', 1), "An agent has no"),
        (lambda text: f"{text}\0", "cannot contain a null character"),
        (lambda text: f"{text}{' ' * 100_000}", "longer than 100,000 characters"),
    ],
)
def test_what_could_be_no_version_is_not_kept_for_anybody(
    owner: User, operator: User, ended: Ended, change: Callable[[str], str], said: str
) -> None:
    lifecycle.create("scout", Config(), by=operator)
    copy = ended(WISH, owner, change)
    assert said in copy.said
    assert not copy.proposed


def test_an_unsound_rule_is_not_kept_and_a_tools_difference_is(owner: User, operator: User, ended: Ended) -> None:
    call_command("load_starters", verbosity=0)
    copy = ended(f"evolve the rule {RULE}: say so", owner, lambda text: text.replace("THEN", "THEN: dance\nTHEN", 1))
    assert "is not a candidate" in copy.said
    assert not copy.waits
    tool = ended("evolve the git tool", owner, lambda text: f"# better\n{text}" if "TOOL =" in text else text)
    assert tool.proposed.startswith("--- a/git_tool/tools/git_tool.py\n")
    taken = candidates.take_in(tool, by=operator)
    assert taken.version is not None
    assert taken.version.body == tool.proposed


def test_a_copy_is_offered_once(operator: User, ended: Ended) -> None:
    lifecycle.create("scout", Config(), by=operator)
    copy = ended("evolve scout agent: better", operator, lambda text: text.replace("false", "true"))
    settled = copy.settled_at
    candidates.offer(copy.goal)
    copy.refresh_from_db()
    assert copy.settled_at == settled
    assert copy.goal.log_lines.filter(text=copy.said).count() == 1
