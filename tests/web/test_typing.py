"""Typing into a session on its page: who sees the prompt, what a refused line leaves, what is told afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents.hands import hand_commands
from agents.models import Goal, HandCommand
from agents.record.moves import move_hand_command
from agents.states import HandState
from people.models import User
from sandbox.contract import SessionState
from tests.cast import person

pytestmark = pytest.mark.django_db

ClientOf = Callable[[User], Client]
HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def typist(db: None) -> User:
    return person("tyra", "submitter", "operator", first_name="Tyra", last_name="Lund")


@pytest.fixture
def goal(typist: User, make_goal: Callable[..., Goal]) -> Goal:
    return make_goal(typist)


@pytest.fixture
def page_of(goal: Goal, client_of: ClientOf) -> Callable[[User], str]:
    def shown(user: User) -> str:
        answer = client_of(user).get(reverse("goal-session", args=[goal.pk]))
        assert answer.status_code == 200
        return str(answer.content.decode())

    return shown


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def _type(client: Client, goal: Goal, text: str, headers: dict[str, str] | None = None, **also: str) -> Any:
    return client.post(reverse("goal-type-in", args=[goal.pk]), {"text": text, **also}, headers=headers or {})


def _begun(command: HandCommand) -> HandCommand:
    now = timezone.now()
    return move_hand_command(command, HandState.RUNNING, lease_until=now, lease_owner="w", started_at=now)


def _ended(command: HandCommand, after: str = "", state: SessionState | None = None, **result: Any) -> HandCommand:
    answer = {"status": "SUCCESS", "level": "L3", "duration_s": 0.5, **result}
    session = (state or SessionState()).to_json()
    after = after or command.snapshot_before
    return move_hand_command(
        _begun(command), HandState.DONE, result=answer, session_after=session, snapshot_after=after
    )


def test_who_may_type_sees_the_prompt_and_who_may_not_who_may(
    page_of: Callable[[User], str], typist: User, admin: User, reviewer: User, operator: User, settings: Any
) -> None:
    for user in (typist, admin):
        assert 'id="typed-text"' in page_of(user)
    assert "Only operators can type commands" in plain(page_of(reviewer))
    assert "belongs to somebody else. Only its owner" in plain(page_of(operator))
    settings.FOUR_EYES = True
    assert "MINDX_FOUR_EYES is on" in plain(page_of(typist))
    for user in (reviewer, operator, typist):
        assert 'id="typed-text"' not in page_of(user)


def test_who_may_not_type_is_refused_by_the_address_as_well(
    goal: Goal, client_of: ClientOf, reviewer: User, outsider: User
) -> None:
    assert _type(client_of(reviewer), goal, "ls").status_code == 403
    assert _type(client_of(outsider), goal, "ls").status_code == 404
    assert client_of(reviewer).get(reverse("goal-type-in", args=[goal.pk])).status_code == 405
    assert not HandCommand.objects.exists()


def test_without_scripts_a_line_is_taken_and_leads_back_to_the_page(
    goal: Goal, client_of: ClientOf, typist: User, page_of: Callable[[User], str]
) -> None:
    answer = _type(client_of(typist), goal, "mkdir notes")
    assert (answer.status_code, answer.url) == (302, reverse("goal-session", args=[goal.pk]))
    assert not HandCommand.objects.get().autonomous_once
    assert "waiting for a worker: mkdir notes , of Tyra Lund" in plain(page_of(typist))


def test_with_htmx_the_page_itself_is_the_answer(goal: Goal, client_of: ClientOf, typist: User) -> None:
    answer = _type(client_of(typist), goal, "rm x", HTMX, autonomous="on")
    assert answer.status_code == 200
    html = answer.content.decode()
    assert "waiting for a worker" in plain(html)
    assert 'hx-trigger="every 1s"' in html
    assert HandCommand.objects.get().autonomous_once


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_line_that_is_refused_stays_in_the_field_with_the_reason(
    headers: dict[str, str], goal: Goal, client_of: ClientOf, typist: User
) -> None:
    answer = _type(client_of(typist), goal, f'mkdir a b "{HOSTILE}"', headers)
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "Usage: mkdir PATH." in plain(html)
    assert f'value="mkdir a b &quot;{HOSTILE.replace("<", "&lt;").replace(">", "&gt;")}&quot;"' in html
    assert "<script>alert" not in html


def test_a_second_line_is_refused_for_the_moment(goal: Goal, client_of: ClientOf, typist: User) -> None:
    client = client_of(typist)
    _type(client, goal, "ls")
    answer = _type(client, goal, "mkdir x", HTMX)
    assert answer.status_code == 409
    assert "unfinished on these files" in plain(answer.content.decode())


def test_a_running_command_shows_what_it_wrote_so_far_and_how_to_stop_it(
    goal: Goal, typist: User, client_of: ClientOf, page_of: Callable[[User], str], reviewer: User
) -> None:
    from agents.record import logs
    from agents.record.logs import NewLine

    command = hand_commands.submit(goal, typist, "run pytest")
    _begun(command)
    logs.write(goal.pk, [NewLine("stdout", "execute", f"first {HOSTILE}"), NewLine("stderr", "execute", "second")])
    html = page_of(typist)
    assert re.search(r"running for \d s: run pytest , of Tyra Lund Cancel", plain(html))
    assert plain(html).index("./ $ run pytest") < plain(html).index("first ") < plain(html).index("second")
    assert "<script>alert" not in html
    address = reverse("goal-type-cancel", args=[goal.pk, command.pk])
    assert address in html
    assert address not in page_of(reviewer)
    assert client_of(reviewer).post(address).status_code == 403
    assert client_of(typist).post(address).status_code == 302
    assert HandCommand.objects.get().cancel_requested
    assert "stopping run pytest" in plain(page_of(typist))
    assert client_of(typist).post(reverse("goal-type-cancel", args=[goal.pk, 2**70])).status_code == 404


def test_an_ended_command_stands_with_its_result_its_limits_and_the_way_back(
    goal: Goal, typist: User, page_of: Callable[[User], str]
) -> None:
    command = hand_commands.submit(goal, typist, "run make")
    measured = {"return_code": 2, "stdout": "built\n", "peak_memory_bytes": 64 << 20, "peak_processes": 3}
    failed = {"status": "ERROR", "error_class": "TOOL_EXECUTION_ERROR", "reason": "exit status 2"}
    _ended(command, "b" * 64, SessionState(cwd="src", venv="src/.venv"), **measured, **failed)
    html = page_of(typist)
    shown = plain(html)
    assert "./ $ run make" in shown
    assert "built" in shown
    assert "failed, exit code 2" in shown
    assert "used 64.0 MiB of 1 GiB, 3 of 128 processes, files changed" in shown
    assert "(.venv) ./src $" in shown
    compare = reverse("workspace-compare", args=[goal.workspace.name])
    assert f"{compare}?from={command.snapshot_before}&amp;to={'b' * 64}" in html
    assert reverse("workspace-back", args=[goal.workspace.name, command.snapshot_before]) in html
    assert 'aria-label="memory: 64.0 MiB of 1 GiB"' in html
    assert 'max="1073741824.0" value="67108864.0"' in html
    assert "time 0.50 s of 30 s" in shown


def test_the_reader_of_a_goal_gets_no_way_into_a_workspace_that_is_not_theirs(
    goal: Goal, typist: User, page_of: Callable[[User], str], admin: User, outsider: User
) -> None:
    _ended(hand_commands.submit(goal, typist, "mkdir x"), "b" * 64)
    goal.workspace.owner = outsider
    goal.workspace.save()
    Goal.objects.filter(pk=goal.pk).update(submitted_by=outsider)
    typist.roles = ["submitter"]
    typist.save()
    Goal.objects.filter(pk=goal.pk).update(submitted_by=typist)
    html = page_of(typist)
    assert "mkdir x" in plain(html)
    assert reverse("workspace-compare", args=[goal.workspace.name]) not in html


def test_the_page_asks_again_while_a_command_is_unfinished_and_is_answered_when_something_is_new(
    goal: Goal, client_of: ClientOf, typist: User, page_of: Callable[[User], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    move_to_manual(goal)
    assert "hx-get" not in page_of(typist)
    command = hand_commands.submit(goal, typist, "ls")
    monkeypatch.setattr("agents.pages.sessions.session_page.timezone.now", lambda: command.created_at)
    found = re.search(r'hx-get="([^"]+)"', page_of(typist))
    assert found is not None
    client = client_of(typist)
    assert client.get(found[1], headers=HTMX).status_code == 204
    monkeypatch.undo()
    _ended(command)
    assert client.get(found[1], headers=HTMX).status_code == 200
    assert "hx-get" not in page_of(typist)


def move_to_manual(goal: Goal) -> None:
    from agents.record.moves import move_goal
    from agents.states import GoalState

    for state in (GoalState.PLANNING, GoalState.MANUAL):
        move_goal(goal, state, by="a test")


def test_autonomous_mode_is_told_to_whom_it_holds_for(
    goal: Goal, typist: User, page_of: Callable[[User], str], admin: User
) -> None:
    assert "This command may delete" in plain(page_of(typist))
    command = hand_commands.submit(goal, typist, "toggle_autonomous_mode on")
    _ended(command, state=SessionState(autonomous=True))
    assert "Autonomous mode is on : what you type may delete" in plain(page_of(typist))
    assert "This command may delete" in plain(page_of(admin))


def test_earlier_lines_stand_ready_newest_first_each_once(
    goal: Goal, typist: User, page_of: Callable[[User], str]
) -> None:
    for text in ("ls", "mkdir a", "ls"):
        _ended(hand_commands.submit(goal, typist, text))
    found = re.search(r'<ol id="typed-earlier" hidden>(.*?)</ol>', page_of(typist))
    assert found is not None
    assert found[1] == "<li>ls</li><li>mkdir a</li>"


def test_a_command_on_the_same_files_of_another_goal_is_told(
    goal: Goal, typist: User, page_of: Callable[[User], str], make_goal: Callable[..., Goal]
) -> None:
    other = make_goal(typist, workspace=goal.workspace)
    _begun(hand_commands.submit(other, typist, "run pytest"))
    assert "A command typed by hand is running on these files." in plain(page_of(typist))


def test_the_history_of_the_files_tells_who_typed_what(goal: Goal, typist: User, client_of: ClientOf) -> None:
    from agents.models import WorkspaceChange

    WorkspaceChange.objects.create(
        workspace=goal.workspace, by=typist, kind="command", what="mkdir x", before="a" * 64, after="b" * 64
    )
    html = client_of(typist).get(reverse("workspace-history", args=[goal.workspace.name])).content.decode()
    assert "Tyra Lund typed mkdir x" in plain(html)


# -- hosts ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_hosts_are_shown_in_their_one_spelling_before_anything_runs(
    headers: dict[str, str], goal: Goal, client_of: ClientOf, typist: User
) -> None:
    client = client_of(typist)
    also = {"hosts": "Example.ORG and the package index", "timeout_s": "60"}
    shown = _type(client, goal, "run python ask.py", headers, **also)
    line = "run hosts=example.org,packages timeout_s=60 python ask.py"
    assert shown.status_code == 200
    html = shown.content.decode()
    assert f'name="agreed" value="{line}"' in html
    assert "may reach example.org and the package index and send anything there" in plain(html)
    assert not HandCommand.objects.exists()
    changed = _type(client, goal, line.replace("example.org", "other.org"), headers, agreed=line)
    assert "may reach other.org and the package index" in plain(changed.content.decode())
    assert not HandCommand.objects.exists()
    _type(client, goal, line, headers, agreed=line)
    assert HandCommand.objects.get().text == line


def test_fields_that_are_wrong_stay_as_they_were_sent(goal: Goal, client_of: ClientOf, typist: User) -> None:
    answer = _type(client_of(typist), goal, "run x", hosts=f"{HOSTILE}", timeout_s="soon")
    assert answer.status_code == 422
    html = answer.content.decode()
    assert "A time limit is a whole number of seconds." in plain(html)
    assert 'value="soon"' in html
    assert "<script>alert" not in html
    assert "<details" in html[: html.index("typed-timeout")]
    assert " open>" in html[: html.index("typed-timeout")]


def test_what_a_typed_command_did_on_the_network_stands_on_the_page(
    page_of: Callable[[User], str], goal: Goal, typist: User
) -> None:
    command = hand_commands.submit(goal, typist, "run hosts=packages pip install httpx")
    seen = {
        "refused": [{"host": HOSTILE, "port": 443}],
        "downloads": [{"file": "httpx.whl", "sha256": "ab" * 32, "size_bytes": 2048, "cached": False}],
        "hosts": [],
    }
    _ended(command, return_code=0, stdout="", stderr="", network=seen)
    html = page_of(typist)
    assert f'title="{"ab" * 32}"' in html
    assert "type the command again with access to it" in plain(html)
    assert "run hosts=packages pip install httpx fetched httpx.whl" in plain(html)
    assert "<script>alert" not in html
